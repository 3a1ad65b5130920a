// The port through which one namespace calls one place outside the cluster. It counts, keeps to a rate, and refuses at once while the
// calls of that namespace are known to fail: a dead server costs one probe, and not a reconcile of every resource.

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
   * those with `remedy: 'retry'`, count against it, and only for the namespace of the endpoint.
   */
  call<T>(
    operation: string,
    run: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    limit?: CallLimit,
  ): Promise<T>
  /** True while calls are refused because calls of this namespace have failed again and again. */
  readonly isOpen: boolean
}
