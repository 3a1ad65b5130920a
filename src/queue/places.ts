// Concurrency slots of a worker: decides which group may begin another reconcile. Pure. Invariant: while others wait,
// one group begins no reconcile beyond half of the slots. Hanging reconciles of one namespace thus do not stop the
// others.

export interface PlaceRequest {
  /** Keys of one namespace are one group. */
  readonly group: string
  /** True if a key of another group is ready. */
  readonly othersWait: boolean
}

export class Places {
  readonly #limit: number
  /** The share of one group while others wait. */
  readonly #share: number
  readonly #held = new Map<string, number>()

  /** `holders` has the group of each running reconcile. */
  constructor(limit: number, holders: Iterable<string>) {
    this.#limit = limit
    this.#share = Math.ceil(limit / 2)
    for (const group of holders) this.#held.set(group, this.#heldBy(group) + 1)
  }

  /**
   * True if the group may begin a reconcile. Slots that one group holds beyond its share, taken while no other waited,
   * do not count against the others. Those begin at once, so up to 1.5 times the limit may run.
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
