// How long does a container that ended wait for its restart? The first one not at all, then 10 s, doubling up to 5 min; one
// that ran for 10 min begins anew. Source: client-go's flowcontrol.Backoff as kuberuntime's doBackOff uses it.

export interface RestartBackoff {
  readonly delayMs: number
  /** When the container was last started. */
  readonly updatedAtMs: number
}

const baseMs = 10_000
const capMs = 300_000

/** When the container that ended at `finishedAtMs` may be started again. */
export function restartDueMs(backoff: RestartBackoff | undefined, finishedAtMs: number): number {
  return backoff === undefined || hasExpired(backoff, finishedAtMs) ? finishedAtMs : finishedAtMs + backoff.delayMs
}

/** The back-off after the restart, made at `nowMs`, of a container that had ended at `finishedAtMs`. */
export function backoffAfterRestart(
  backoff: RestartBackoff | undefined,
  { finishedAtMs, nowMs }: { readonly finishedAtMs: number; readonly nowMs: number },
): RestartBackoff {
  const isFirst = backoff === undefined || hasExpired(backoff, finishedAtMs)
  return { delayMs: isFirst ? baseMs : Math.min(backoff.delayMs * 2, capMs), updatedAtMs: nowMs }
}

/** `10s`, `1m20s`, `5m0s`: as Go writes such durations. */
export function goDuration(delayMs: number): string {
  const seconds = Math.floor(delayMs / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

function hasExpired({ updatedAtMs }: RestartBackoff, finishedAtMs: number): boolean {
  return finishedAtMs - updatedAtMs > 2 * capMs
}
