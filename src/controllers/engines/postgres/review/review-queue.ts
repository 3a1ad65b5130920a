// Order of reviews among namespaces: one review at a time, next the namespace with the least recent review time.
// Invariant: a namespace waits for at most one review of another one, however many that one requests. The queue has a
// bounded size. Pure.

export interface QueuedReview {
  readonly namespace: string
  /** Size of its steps in memory while queued. */
  readonly sizeBytes: number
  /** Last request by a caller, in monotonic milliseconds. */
  readonly askedAtMs: number
  /** Callers that wait for its outcome in their reconciliation. */
  readonly waiting: number
}

/** Callers ask again every 15 seconds. A review without recent requests leaves the queue. */
const abandonedAfterMs = 60_000
/** Half-life of used review time. */
const halfLifeMs = 600_000

/** Returns the first review of the namespace with the least used time. Ties go to the earliest. */
export function nextReview<Q extends QueuedReview>(
  queued: readonly Q[],
  usedMs: (namespace: string) => number,
): Q | undefined {
  return queued.reduce<Q | undefined>(
    (best, one) => (best === undefined || usedMs(one.namespace) < usedMs(best.namespace) ? one : best),
    undefined,
  )
}

export function isAbandoned({ askedAtMs, waiting }: QueuedReview, nowMs: number): boolean {
  return waiting === 0 && nowMs - askedAtMs > abandonedAfterMs
}

/**
 * Returns the reviews that leave an oversized queue: the latest of the namespace with the largest share. Their callers
 * ask again.
 */
export function displacedReviews<Q extends QueuedReview>(queued: readonly Q[], mostBytes: number): readonly Q[] {
  const sizes = new Map<string, number>()
  for (const { namespace, sizeBytes } of queued) sizes.set(namespace, (sizes.get(namespace) ?? 0) + sizeBytes)
  const displaced = new Set<Q>()
  for (let excess = sizeOf(queued) - mostBytes; excess > 0; ) {
    const [largest] = [...sizes].toSorted(([, left], [, right]) => right - left)
    const last = queued.findLast((one) => one.namespace === largest?.[0] && !displaced.has(one))
    if (largest === undefined || last === undefined) break
    displaced.add(last)
    sizes.set(last.namespace, largest[1] - last.sizeBytes)
    excess -= last.sizeBytes
  }
  return [...displaced]
}

function sizeOf(queued: readonly QueuedReview[]): number {
  return queued.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Recent review time of each namespace. It decays exponentially and is removed below 1 ms. */
export class UsedTime {
  readonly #used = new Map<string, { readonly ms: number; readonly atMs: number }>()

  of(namespace: string, nowMs: number): number {
    const used = this.#used.get(namespace)
    return used === undefined ? 0 : used.ms * 0.5 ** ((nowMs - used.atMs) / halfLifeMs)
  }

  add(namespace: string, ms: number, nowMs: number): void {
    this.#used.set(namespace, { ms: this.of(namespace, nowMs) + ms, atMs: nowMs })
    for (const other of [...this.#used.keys()]) if (this.of(other, nowMs) < 1) this.#used.delete(other)
  }
}
