// How many watches of this process are in which status? Invariant: however many change together, the changes that are worth a line of
// the log are few: the first three, then each power of ten, and of those that recover the last three. Pure.
import type { WatchStatus } from './watch-state.ts'

const fewWatches = 3

export interface CountedChange {
  /** Is it worth a line of the log? */
  readonly isNews: boolean
  /** Of a watch in trouble: how many are. Of a watch in sync: how many are still in trouble. */
  readonly inTrouble: number
}

/** Shared by all watches of a process. */
export class WatchTally {
  readonly #counts: Record<WatchStatus, number> = { starting: 0, synced: 0, waiting: 0, failing: 0 }

  /** A watch has begun. */
  begin(status: WatchStatus): void {
    this.#counts[status] += 1
  }

  /** A watch has ended. */
  end(status: WatchStatus): void {
    this.#counts[status] -= 1
  }

  change(before: WatchStatus, status: WatchStatus): CountedChange {
    this.end(before)
    this.begin(status)
    const inTrouble = this.#counts.waiting + this.#counts.failing
    if (status !== 'synced') return { isNews: isFirstOrRound(inTrouble), inTrouble }
    // The first snapshots are counted up, recoveries down to none.
    return { isNews: isFirstOrRound(before === 'starting' ? this.#counts.synced : inTrouble + 1), inTrouble }
  }
}

function isFirstOrRound(count: number): boolean {
  return count <= fewWatches || /^10+$/.test(String(count))
}
