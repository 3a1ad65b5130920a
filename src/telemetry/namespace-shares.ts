// Shares of namespaces in a store with a limit. Pure. Invariant: in a full store a namespace with less than any other gets a place, at the cost of
// the one that holds most, so that the tenants of one namespace do not crowd out those of the others.

export class NamespaceShares {
  readonly #held = new Map<string, number>()

  add(namespace: string): void {
    this.#held.set(namespace, this.heldBy(namespace) + 1)
  }

  remove(namespace: string): void {
    const left = this.heldBy(namespace) - 1
    if (left > 0) this.#held.set(namespace, left)
    else this.#held.delete(namespace)
  }

  heldBy(namespace: string): number {
    return this.#held.get(namespace) ?? 0
  }

  /** The namespace that gives up a place of a full store for this one; undefined: none holds more than this one would. Linear in namespaces. */
  giverFor(namespace: string): string | undefined {
    let giver: string | undefined
    for (const [other, count] of this.#held) if (giver === undefined || count > this.heldBy(giver)) giver = other
    return giver !== undefined && this.heldBy(giver) > this.heldBy(namespace) + 1 ? giver : undefined
  }
}
