// Compaction of the object log: every five minutes it drops revisions older than the previous compaction.
// Invariant: clients can read and watch from a revision for at least five and at most ten minutes.
// No timer runs while the log has nothing to compact.
// Source: k8s.io/apiserver/pkg/storage/etcd3/compact.go.
import type { Clock, Timer } from '../base/clock.ts'
import type { ObjectLog } from './object-log.ts'

/** Source: --etcd-compaction-interval. */
const intervalMs = 300_000

export class LogCompactor {
  readonly #clock: Clock
  readonly #log: ObjectLog
  /** Revision of the log at the previous compaction. */
  #before = 0
  #timer: Timer | undefined
  #leave: () => void = () => {}

  constructor({ clock, log }: { readonly clock: Clock; readonly log: ObjectLog }) {
    this.#clock = clock
    this.#log = log
  }

  start(): void {
    this.#leave = this.#log.listen(() => this.#wait())
    this.#wait()
  }

  stop(): void {
    this.#leave()
    this.#timer?.cancel()
  }

  #wait(): void {
    this.#timer ??= this.#clock.setTimer(intervalMs, () => this.#compact())
  }

  #compact(): void {
    this.#timer = undefined
    this.#log.compact(this.#before)
    this.#before = this.#log.revision
    if (this.#log.compactedRevision < this.#log.revision) this.#wait()
  }
}
