// Number of watches of this process in each status. Invariant: however many change together, few changes are logged:
// the first three, then each power of ten, and the last three recoveries. Pure.
import type { WatchStatus } from './watch-state.ts'

const fewWatches = 3

export interface CountedChange {
  /** True if the change is worth a log line. */
  readonly isNews: boolean
  /** Number of watches in trouble; after a recovery, those that still are. */
  readonly inTrouble: number
}

/** Shared by all watches of a process. */
export class WatchTally {
  readonly #counts: Record<WatchStatus, number> = { starting: 0, synced: 0, waiting: 0, failing: 0 }

  /** Call when a watch begins. */
  begin(status: WatchStatus): void {
    this.#counts[status] += 1
  }

  /** Call when a watch ends. */
  end(status: WatchStatus): void {
    this.#counts[status] -= 1
  }

  change(before: WatchStatus, status: WatchStatus): CountedChange {
    this.end(before)
    this.begin(status)
    const inTrouble = this.#counts.waiting + this.#counts.failing
    if (status !== 'synced') return { isNews: isFirstOrRound(inTrouble), inTrouble }
    // First snapshots are counted up, recoveries down to none.
    return { isNews: isFirstOrRound(before === 'starting' ? this.#counts.synced : inTrouble + 1), inTrouble }
  }
}

function isFirstOrRound(count: number): boolean {
  return count <= fewWatches || /^10+$/.test(String(count))
}
