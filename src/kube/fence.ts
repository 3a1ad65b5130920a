// May a write leave this process now? Only while the fence is open, and it is open only up to a moment on the monotonic clock:
// nobody has to be awake to close it. A process that slept beyond that moment finds it closed (I9).
import type { Clock, Timer } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'

/** A write that was kept back, or cut off under way. Nothing is wrong with it: whoever leads now makes it. */
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

/** A write on its way through the fence. */
export interface Passage {
  /** Aborts when the caller's signal does, or with a FenceError when the fence closes. */
  readonly signal: AbortSignal
  /** Must be called when the write has ended, whatever its outcome. */
  end(): void
}

/** Closed at first. */
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

  /** Writes may leave before `untilMs` of the monotonic clock; those under way then are cut off. */
  openUntil(untilMs: number): void {
    this.#timer?.cancel()
    this.#openUntilMs = untilMs
    this.#timer = this.#clock.setTimer(untilMs - this.#clock.monotonicMs(), () => this.close())
  }

  /** From now on nothing leaves, and what is under way is cut off. */
  close(): void {
    this.#timer?.cancel()
    this.#openUntilMs = Number.NEGATIVE_INFINITY
    for (const cut of [...this.#passing])
      cut(new FenceError('the write was cut off and may have happened all the same'))
  }

  /** Throws a FenceError unless a write may leave at this moment. */
  check(): void {
    if (!this.isOpen) throw new FenceError('the write was not sent')
  }

  /** Lets one write through; throws a FenceError if the fence is closed. */
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
