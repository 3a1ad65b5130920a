// Restart backoff of a container: the first restart is immediate, the next one waits 10 s, doubling up to 5 min. A run
// of 10 min resets it. Source: client-go's flowcontrol.Backoff as kuberuntime's doBackOff uses it.

export interface RestartBackoff {
  readonly delayMs: number
  /** Time of the container's last start. */
  readonly updatedAtMs: number
}

const baseMs = 10_000
const capMs = 300_000

/** Returns the earliest time of the restart of a container that ended at `finishedAtMs`. */
export function restartDueMs(backoff: RestartBackoff | undefined, finishedAtMs: number): number {
  return backoff === undefined || hasExpired(backoff, finishedAtMs) ? finishedAtMs : finishedAtMs + backoff.delayMs
}

/** Returns the backoff after a restart at `nowMs` of a container that ended at `finishedAtMs`. */
export function backoffAfterRestart(
  backoff: RestartBackoff | undefined,
  { finishedAtMs, nowMs }: { readonly finishedAtMs: number; readonly nowMs: number },
): RestartBackoff {
  const isFirst = backoff === undefined || hasExpired(backoff, finishedAtMs)
  return { delayMs: isFirst ? baseMs : Math.min(backoff.delayMs * 2, capMs), updatedAtMs: nowMs }
}

/** Formats a duration as Go does: `10s`, `1m20s`, `5m0s`. */
export function goDuration(delayMs: number): string {
  const seconds = Math.floor(delayMs / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

function hasExpired({ updatedAtMs }: RestartBackoff, finishedAtMs: number): boolean {
  return finishedAtMs - updatedAtMs > 2 * capMs
}
