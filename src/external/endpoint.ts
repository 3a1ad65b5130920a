// How is one place outside the cluster called? Through this port: it counts, keeps to a rate, and refuses at once while the place
// is known to be down, so that a dead server costs one probe and not a turn of every resource.

export interface CallLimit {
  /** Milliseconds. Default: 30 seconds. */
  readonly limitMs: number
}

export interface Endpoint {
  readonly name: string
  /**
   * Makes one call. `operation` is one word for metrics and traces. Rejects with the call's own error; with a CodedError
   * `DependencyUnavailable` (retry, with the wait until the next probe) while the breaker is open, and when this call opened it;
   * or with `DependencyBusy` when its turn would come too late, or with `DependencyTimeout` when it was not over within the limit: then
   * the signal of `run` aborts, and a second later nobody waits for it. Only failures that say something about the place itself,
   * those with `remedy: 'retry'`, count against it.
   */
  call<T>(
    operation: string,
    run: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    limit?: CallLimit,
  ): Promise<T>
  /** Has it failed so often that calls are refused? */
  readonly isOpen: boolean
}
