// Places of a worker: which group may begin another reconcile. Pure. Invariant: while others wait, one group begins none beyond half of
// the places, so that reconciles of one namespace that hang do not stop those of the others.

export interface PlaceRequest {
  /** Keys of one namespace are one group. */
  readonly group: string
  /** Is a key of another group ready? */
  readonly othersWait: boolean
}

export class Places {
  readonly #limit: number
  /** The share of one group, while others wait. */
  readonly #share: number
  readonly #held = new Map<string, number>()

  /** `holders` has the group of each running reconcile. */
  constructor(limit: number, holders: Iterable<string>) {
    this.#limit = limit
    this.#share = Math.ceil(limit / 2)
    for (const group of holders) this.#held.set(group, this.#heldBy(group) + 1)
  }

  /**
   * What a group holds beyond its share, because no other waited at that time, does not count against the others: they begin at once, with
   * at most half as many reconciles again as the limit.
   */
  isFree({ group, othersWait }: PlaceRequest): boolean {
    const own = this.#heldBy(group)
    if (othersWait && own >= this.#share) return false
    let taken = own
    for (const [other, count] of this.#held) if (other !== group) taken += Math.min(count, this.#share)
    return taken < this.#limit
  }

  #heldBy(group: string): number {
    return this.#held.get(group) ?? 0
  }
}
