// Where does time come from? The only file that reads the machine's clock or sets its timers; every other part is handed
// a Clock, so that tests and the simulator can own time.

/** A pending timer. */
export interface Timer {
  cancel(): void
}

/** The time port. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump; use it for timestamps that people or the API server read. */
  now(): number
  /** Milliseconds on a clock that never goes back; use it for durations and deadlines. */
  monotonicMs(): number
  /** Calls `run` once after `delayMs`; a delay of 0 or less means as soon as the current work has ended. */
  setTimer(delayMs: number, run: () => void): Timer
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer: (delayMs, run) => {
    const handle = setTimeout(run, Math.max(0, delayMs))
    return { cancel: () => clearTimeout(handle) }
  },
}

/**
 * Resolves after `delayMs`, or rejects with the signal's reason as soon as it aborts.
 *
 * @example await sleep(clock, 1_000, signal)
 */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      timer.cancel()
      reject(signal.reason)
    }
    const timer = clock.setTimer(delayMs, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** A limit on a piece of work. */
export interface Deadline {
  /** Aborts when the caller's signal does, or when the limit is reached. */
  readonly signal: AbortSignal
  /** Was the limit reached, as opposed to the caller giving up? */
  hasPassed(): boolean
  /** Takes the limit away; the caller's signal still counts. */
  lift(): void
  /** Aborts the work now, for a reason of the one who runs it. */
  cancel(reason: unknown): void
  /** Must be called when the work has ended, whatever its outcome. */
  clear(): void
}

/**
 * Limits work to `limitMs`, and to the life of `signal`.
 *
 * @example
 * const limit = deadline(clock, 30_000, signal)
 * try { await work(limit.signal) } finally { limit.clear() }
 */
export function deadline(clock: Clock, limitMs: number, signal: AbortSignal): Deadline {
  const controller = new AbortController()
  let passed = false
  const onAbort = () => controller.abort(signal.reason)
  const timer = clock.setTimer(limitMs, () => {
    passed = true
    controller.abort(new DOMException(`the limit of ${limitMs} ms was reached`, 'TimeoutError'))
  })
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return {
    signal: controller.signal,
    hasPassed: () => passed,
    lift: () => timer.cancel(),
    cancel: (reason) => controller.abort(reason),
    clear: () => {
      timer.cancel()
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/** How long work may take, and what is said of it when it takes longer. */
export interface TimeLimit {
  readonly clock: Clock
  readonly limitMs: number
  readonly signal: AbortSignal
  readonly tooLate: () => Error
}

/** For work to end by itself after its signal aborted. */
const graceMs = 1_000

/**
 * Does work that may not heed its signal. When the limit is reached or the caller's signal aborts, the work's own signal does, and
 * a second later its caller goes on without it: what comes of it then, nobody hears. Rejects with `tooLate()` when the limit was reached,
 * whatever the work says of it.
 *
 * @example await withinLimit({ clock, limitMs: 30_000, signal, tooLate }, (until) => fetch(url, { signal: until }))
 */
export function withinLimit<T>(
  { clock, limitMs, signal, tooLate }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const limit = deadline(clock, limitMs, signal)
    let grace: Timer | undefined
    const fail = (thrown: unknown) => {
      limit.clear()
      grace?.cancel()
      reject(limit.hasPassed() ? tooLate() : thrown)
    }
    const onAbort = () => {
      grace = clock.setTimer(graceMs, () => fail(signal.reason))
    }
    limit.signal.addEventListener('abort', onAbort, { once: true })
    // What it throws at once counts as what it rejects with.
    const done = new Promise<T>((settle) => settle(work(limit.signal)))
    done.then((result) => {
      limit.clear()
      grace?.cancel()
      resolve(result)
    }, fail)
  })
}

/** `now` in the form that Kubernetes writes into conditions: RFC 3339 in UTC with whole seconds. */
export function timestampOf(clock: Clock): string {
  return timestampAt(clock.now())
}

/** As timestampOf, of a moment in milliseconds since the epoch. */
export function timestampAt(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}

/** `now` as a MicroTime, the form of Events and Leases: RFC 3339 in UTC with exactly six decimals, or it is refused. */
export function microTimestampOf(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace('Z', '000Z')
}
