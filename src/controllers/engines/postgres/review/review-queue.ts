// Order in which namespaces have their steps reviewed: one review at a time, next the namespace whose reviews took the least time lately.
// Invariant: however many reviews a namespace asks for, another one waits for at most one of them; the queue holds a bounded size. Pure.

export interface QueuedReview {
  readonly namespace: string
  /** Of its steps, in memory while it waits. */
  readonly sizeBytes: number
  /** When a caller asked for it last, in monotonic milliseconds. */
  readonly askedAtMs: number
  /** Callers that wait for its outcome in their reconcile. */
  readonly waiting: number
}

/** Callers ask again every 15 seconds. A review that no caller asks for any more leaves the queue. */
const abandonedAfterMs = 60_000
/** Time that a review took counts half after this long. */
const halfLifeMs = 600_000

/** The first review of the namespace that used the least time; between equals, the one that was queued first. */
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

/** Reviews that leave a queue that is too long: of the namespace that holds most of it, the last. Their callers ask again. */
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

/** Time that the reviews of each namespace took lately. What is long ago counts for less and less, and is forgotten in the end. */
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
