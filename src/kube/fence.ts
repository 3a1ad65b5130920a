// Gate in front of every write of this process. Invariant: it is open only up to a moment on the monotonic clock, so no
// code has to run to close it. A process that slept beyond that moment finds it closed (I9).
import type { Clock, Timer } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'

/**
 * Error of a write that was not sent, or was cut off in flight. The write itself is valid: the current leader makes it.
 */
export class FenceError extends CodedError<'NotLeader'> {
  override readonly name = 'FenceError'

  constructor(what: string) {
    super({
      code: 'NotLeader',
      remedy: 'retry',
      message: `${what}: this process does not hold the lease; its leader writes`,
    })
  }
}

/** A write that the fence let through. */
export interface Passage {
  /** Aborts when the caller's signal does, or with a FenceError when the fence closes. */
  readonly signal: AbortSignal
  /** Must be called when the write has ended, whatever its outcome. */
  end(): void
}

/** A new fence is closed. */
export class Fence {
  readonly #clock: Clock
  readonly #passing = new Set<(reason: unknown) => void>()
  #openUntilMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isOpen(): boolean {
    return this.#clock.monotonicMs() < this.#openUntilMs
  }

  /** Lets writes through until `untilMs` of the monotonic clock, and then cuts off the writes in flight. */
  openUntil(untilMs: number): void {
    this.#timer?.cancel()
    this.#openUntilMs = untilMs
    this.#timer = this.#clock.setTimer(untilMs - this.#clock.monotonicMs(), () => this.close())
  }

  /** Closes the fence at once and cuts off the writes in flight. */
  close(): void {
    this.#timer?.cancel()
    this.#openUntilMs = Number.NEGATIVE_INFINITY
    for (const cut of [...this.#passing])
      cut(new FenceError('the write was cut off and may have happened all the same'))
  }

  /** Throws a FenceError if the fence is closed. */
  check(): void {
    if (!this.isOpen) throw new FenceError('the write was not sent')
  }

  /** Lets one write through. Throws a FenceError if the fence is closed. */
  enter(signal: AbortSignal): Passage {
    this.check()
    const controller = new AbortController()
    const cut = (reason: unknown) => controller.abort(reason)
    const onAbort = () => cut(signal.reason)
    this.#passing.add(cut)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const end = () => {
      this.#passing.delete(cut)
      signal.removeEventListener('abort', onAbort)
    }
    return { signal: controller.signal, end }
  }
}
