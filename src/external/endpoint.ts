// Port through which one namespace calls one endpoint outside the cluster. Calls are counted and rate-limited, and
// rejected at once while those of that namespace keep failing. A dead server costs one probe, not a reconcile of every
// resource.

/** Time limit of one call. */
export interface CallLimit {
  /** Milliseconds. Default: 30 seconds. */
  readonly limitMs: number
}

/** Remote system of external resources, as one namespace calls it. */
export interface Endpoint {
  readonly name: string
  /**
   * Makes one call. `operation` is one word for metrics and traces. Only failures of the endpoint itself, those with
   * `remedy: 'retry'`, count for the breaker, and only for the namespace of the endpoint. Rejects with the call's own
   * error, or with a CodedError:
   *
   * - `DependencyUnavailable` while the breaker is open, and if this call opened it. Remedy: retry, with the wait until
   *   the next probe.
   * - `DependencyBusy` if the rate limit would delay the call for too long.
   * - `DependencyTimeout` after the limit. The signal of `run` aborts, and one second later the caller continues.
   */
  call<T>(
    operation: string,
    run: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    limit?: CallLimit,
  ): Promise<T>
  /** True while calls are rejected because calls of this namespace failed repeatedly. */
  readonly isOpen: boolean
}
