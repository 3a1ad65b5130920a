// Shares one piece of work between many callers: the first call starts it, later calls join it. Invariant: the work
// never runs twice at once, and aborts when its last caller leaves.

interface SharedRun<T> {
  readonly result: Promise<T>
  readonly abandon: AbortController
  callers: number
}

/** Runs at most one `task` at a time and gives its outcome to every caller that joined meanwhile. */
export class SharedRunner<T> {
  #current: SharedRun<T> | undefined

  /** Joins the running task, or starts `task`. Rejects with the signal's reason as soon as it aborts. */
  async run(task: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    const run = this.#current ?? this.#start(task)
    run.callers += 1
    try {
      return await untilAborted(run.result, signal)
    } finally {
      run.callers -= 1
      if (run.callers === 0) this.#leave(run)
    }
  }

  #start(task: (signal: AbortSignal) => Promise<T>): SharedRun<T> {
    const abandon = new AbortController()
    const run: SharedRun<T> = { result: task(abandon.signal), abandon, callers: 0 }
    this.#current = run
    return run
  }

  // All callers leave in the same iteration of the event loop in which the work ends, so a new caller never joins an
  // old run.
  #leave(run: SharedRun<T>): void {
    if (this.#current === run) this.#current = undefined
    run.abandon.abort(new DOMException('nobody waits for this any more', 'AbortError'))
  }
}

/** Returns the outcome of `work`, or rejects with the signal's reason if it aborts first; the work itself continues. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
