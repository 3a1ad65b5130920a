// Carries out what a member has decided about its slots: loads the objects of those that it takes, and ends the reconciles of those that it
// gives up. Invariant: a slot is released only when no reconcile of it runs and no request of one can still arrive.
import { type Clock, deadline, sleep } from '../base/clock.ts'
import type { Log } from '../base/instrument.ts'
import { untilAborted } from '../kube/shared-runner.ts'
import type { Shard, Slot } from '../reconcile/shard.ts'

/** The caches and queues of the process, as far as a change of its slots concerns them. */
export interface ShardWork {
  /** Resolves when all caches are filled, or their kinds known to be missing: the member can take slots. */
  prepare(signal: AbortSignal): Promise<void>
  /** Loads the objects of slots that were taken. */
  fill(signal: AbortSignal): Promise<void>
  /** Queues the resources of slots that are worked now. */
  resync(signal: AbortSignal): void
  /** Drops the objects of slots that are given up. */
  prune(): void
  /** How many resources are in memory. */
  readonly resources: number
}

export interface SlotRunnerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly shard: Shard
  readonly work: ShardWork
  /** For running reconciles to end before they are cut off. */
  readonly handOverMs: number
  /** After a cut, for requests on their way to arrive or to be lost. */
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

  /** Resolves when the first slots are worked. */
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

  /** Resolves when nothing is under way any more; it ends early when the signals of `take` and `give` abort. */
  async end(): Promise<void> {
    await Promise.all(this.#running)
  }

  #track(work: Promise<void>): void {
    // Only the signal rejects.
    const tracked = work.catch(() => {}).finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
  }

  /** Until no slot is left to be filled: more may be taken meanwhile. */
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
