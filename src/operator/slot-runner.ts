// Runner of a member's slot decisions: loads the objects of taken slots and ends the reconciles of released ones.
// Invariant: a slot is released only when no reconcile of it runs and none of its requests is pending.
import { type Clock, deadline, sleep } from '../base/clock.ts'
import type { Log } from '../base/instrument.ts'
import { untilAborted } from '../kube/shared-runner.ts'
import type { Shard, Slot } from '../reconcile/shard.ts'

/** Caches and queues of the process that depend on its slots. */
export interface ShardWork {
  /** Resolves when all caches are filled, or their kinds are known to be missing; then the member can take slots. */
  prepare(signal: AbortSignal): Promise<void>
  /** Loads the objects of taken slots. */
  fill(signal: AbortSignal): Promise<void>
  /** Queues the resources of slots that this process now works. */
  resync(signal: AbortSignal): void
  /** Drops the objects of released slots. */
  prune(): void
  /** Number of resources in memory. */
  readonly resources: number
}

export interface SlotRunnerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly shard: Shard
  readonly work: ShardWork
  /** Time for running reconciles to end before they are aborted. */
  readonly handOverMs: number
  /** Time after an abort for pending requests to arrive or be lost. */
  readonly settleMs: number
  readonly onChange: () => void
  readonly onReleased: (slots: readonly Slot[]) => void
}

export class SlotRunner {
  readonly #options: SlotRunnerOptions
  readonly #running = new Set<Promise<void>>()
  readonly #begun = Promise.withResolvers<void>()
  #isFilling = false

  constructor(options: SlotRunnerOptions) {
    this.#options = options
  }

  /** Resolves when this process works its first slots. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  take(slots: readonly Slot[], signal: AbortSignal): void {
    if (slots.length === 0) return
    this.#options.shard.fill(slots)
    if (!this.#isFilling) this.#track(this.#fill(signal))
  }

  give(slots: readonly Slot[], signal: AbortSignal): void {
    if (slots.length === 0) return
    this.#options.shard.drain(slots)
    this.#track(this.#handOver(slots, signal))
  }

  /** Resolves when no hand-over or load runs. Aborted signals of `take` and `give` end them early. */
  async end(): Promise<void> {
    await Promise.all(this.#running)
  }

  #track(work: Promise<void>): void {
    // Only the signal rejects.
    const tracked = work.catch(() => {}).finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
  }

  /** Repeats until no slot is left to fill, because others may be taken meanwhile. */
  async #fill(signal: AbortSignal): Promise<void> {
    const { shard, work, onChange } = this.#options
    this.#isFilling = true
    try {
      for (let slots = shard.slotsIn('filling'); slots.length > 0; slots = shard.slotsIn('filling')) {
        await work.fill(signal)
        const filling = new Set(shard.slotsIn('filling'))
        shard.work(slots.filter((slot) => filling.has(slot)))
        this.#begun.resolve()
        work.resync(signal)
        onChange()
      }
    } finally {
      this.#isFilling = false
    }
  }

  async #handOver(slots: readonly Slot[], signal: AbortSignal): Promise<void> {
    const { clock, log, shard, work, handOverMs, settleMs, onChange, onReleased } = this.#options
    const idle = shard.whenIdle(slots)
    const limit = deadline(clock, handOverMs, signal)
    await untilAborted(idle, limit.signal).catch(() => {})
    limit.clear()
    signal.throwIfAborted()
    if (shard.cut(slots)) {
      log.warn({ slots: slots.length, handOverMs }, 'reconciles are cut off, as their slots go to another member')
      await untilAborted(idle, signal)
      await sleep(clock, settleMs, signal)
    }
    shard.release(slots)
    work.prune()
    onReleased(slots)
    onChange()
  }
}
