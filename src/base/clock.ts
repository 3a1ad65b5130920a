// Source of time. Invariant: only this file reads the machine's clock or sets its timers. Every other part receives a
// Clock, so that tests and the simulator control time.

/** A pending timer. */
export interface Timer {
  cancel(): void
}

/** Port to the time. Production code uses `systemClock`, tests use a `SimClock`. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump; use it for timestamps that people or the API server read. */
  now(): number
  /** Milliseconds on a monotonic clock; use it for durations and deadlines. */
  monotonicMs(): number
  /** Calls `run` once after `delayMs`; a delay of 0 or less means after the current work. */
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

/** A time limit of a piece of work. */
export interface Deadline {
  /** Aborts when the caller's signal does, or when the limit is reached. */
  readonly signal: AbortSignal
  /** True if the limit was reached; false if the caller aborted. */
  hasPassed(): boolean
  /** Removes the limit; the caller's signal still counts. */
  lift(): void
  /** Aborts the work now, for a reason of the code that runs it. */
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

/** Time limit of work, and the error after it. */
export interface TimeLimit {
  readonly clock: Clock
  readonly limitMs: number
  readonly signal: AbortSignal
  readonly tooLate: () => Error
}

/** Time in which aborted work may end by itself. */
const graceMs = 1_000

/**
 * Runs work that may ignore its signal. When the limit is reached or the caller's signal aborts, the work's own signal
 * aborts. One second later the caller continues without the work, and its result is dropped. Rejects with `tooLate()`
 * if the limit was reached, whatever the work returns.
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
    // Turns an error that it throws at once into a rejection.
    const done = new Promise<T>((settle) => settle(work(limit.signal)))
    done.then((result) => {
      limit.clear()
      grace?.cancel()
      resolve(result)
    }, fail)
  })
}

/** Returns `now` in the form of conditions in Kubernetes: RFC 3339 in UTC with whole seconds. */
export function timestampOf(clock: Clock): string {
  return timestampAt(clock.now())
}

/**
 * Returns a time in milliseconds since the epoch as RFC 3339 in UTC with whole seconds, the form of conditions in
 * Kubernetes.
 */
export function timestampAt(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}

/**
 * Returns `now` as a MicroTime, the form of Events and Leases: RFC 3339 in UTC. The API server requires exactly six
 * decimals.
 */
export function microTimestampOf(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace('Z', '000Z')
}
