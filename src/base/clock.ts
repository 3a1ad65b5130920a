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

/** `now` in the form that Kubernetes writes into conditions: RFC 3339 in UTC with whole seconds. */
export function timestampOf(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
