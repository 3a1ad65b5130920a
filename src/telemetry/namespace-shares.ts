// Shares of namespaces in a bounded store. Invariant: if the store is full, a namespace with a smaller share than
// another gets an entry, at the cost of the largest share. So one namespace cannot crowd out the others. Pure.

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

  /**
   * Returns the namespace that loses an entry of a full store to this one; undefined if none holds more than this one
   * would. Linear in namespaces.
   */
  giverFor(namespace: string): string | undefined {
    let giver: string | undefined
    for (const [other, count] of this.#held) if (giver === undefined || count > this.heldBy(giver)) giver = other
    return giver !== undefined && this.heldBy(giver) > this.heldBy(namespace) + 1 ? giver : undefined
  }
}
