// Runs the reviews of all namespaces, one at a time, in the order of review-queue.ts. A reconcile waits for its review for some seconds at most
// and asks again later: reviews of one namespace never hold the reconciles of the others.
// Invariant: one review at a time; one reconcile of a namespace and a few of all wait; none outlives `life`.
import { createHash } from 'node:crypto'
import type { Clock } from '../../../../index.ts'
import type { QueuedReviewer, ReviewRequest, StepReview, StepReviewer } from '../../step-review.ts'
import { ReviewMemory } from './review-memory.ts'
import { displacedReviews, isAbandoned, nextReview, type QueuedReview, UsedTime } from './review-queue.ts'

export interface ReviewQueueOptions {
  /** Reviews at once, within limits of memory and time. */
  readonly review: StepReviewer
  readonly clock: Clock
  /** Ends the review that runs. */
  readonly life: AbortSignal
  /** A reconcile waits for so long. */
  readonly patienceMs?: number
}

/** The limit of the review that runs, and an everyday review behind it. */
const usualPatienceMs = 17_000
/** Of ten reconciles at once. */
const mostWaiting = 4
const mostQueuedBytes = 16_777_216
/** Of an entry, beside the text of its steps. */
const overheadBytes = 1_024

interface Entry extends QueuedReview {
  readonly key: string
  readonly digest: string
  readonly request: ReviewRequest
  askedAtMs: number
  waiting: number
  readonly end: AbortController
  readonly ended: PromiseWithResolvers<void>
  outcome: Outcome | undefined
}

type Outcome =
  | { readonly kind: 'reviewed'; readonly review: StepReview }
  | { readonly kind: 'failed'; readonly error: unknown }

export class ReviewQueueRunner {
  readonly #options: ReviewQueueOptions
  readonly #memory = new ReviewMemory()
  readonly #used = new UsedTime()
  /** Those that wait, that run, and that failed while no caller waited; in the order in which they were queued. */
  readonly #entries = new Map<string, Entry>()
  #running: Entry | undefined

  constructor(options: ReviewQueueOptions) {
    this.#options = options
  }

  readonly review: QueuedReviewer = async (request, signal) => {
    signal.throwIfAborted()
    const { namespace, steps, rules, isRepeated } = request
    if (steps.length === 0) return { findings: [], blindSpots: [] }
    const text = JSON.stringify({ steps, rules })
    const digest = createHash('sha256').update(text).digest('hex')
    if (isRepeated) this.#memory.forget(namespace, digest)
    const known = this.#memory.find(namespace, digest)
    if (known !== undefined) return known
    const entry = this.#queued(request, digest, text.length)
    this.#begin()
    if (this.#mayWait(namespace)) await this.#wait(entry, signal)
    const { outcome } = entry
    if (outcome === undefined) return undefined
    this.#leave(entry)
    if (outcome.kind === 'failed') throw outcome.error
    return outcome.review
  }

  #queued(request: ReviewRequest, digest: string, length: number): Entry {
    const { namespace } = request
    const nowMs = this.#options.clock.monotonicMs()
    const key = `${namespace}/${digest}`
    const known = this.#entries.get(key)
    if (known !== undefined) {
      known.askedAtMs = nowMs
      return known
    }
    const entry: Entry = {
      ...{ key, namespace, digest, request, sizeBytes: length + overheadBytes, askedAtMs: nowMs, waiting: 0 },
      ...{ end: new AbortController(), ended: Promise.withResolvers<void>(), outcome: undefined },
    }
    this.#entries.set(key, entry)
    const queued = [...this.#entries.values()].filter((one) => one !== this.#running)
    for (const one of displacedReviews(queued, mostQueuedBytes)) this.#leave(one)
    return entry
  }

  #mayWait(namespace: string): boolean {
    const waiting = [...this.#entries.values()].filter((one) => one.waiting > 0)
    return waiting.length < mostWaiting && !waiting.some((one) => one.namespace === namespace)
  }

  /** Until the review has ended, or for as long as the caller may wait. A caller that gives up leaves the queue. */
  async #wait(entry: Entry, signal: AbortSignal): Promise<void> {
    const { clock, patienceMs = usualPatienceMs } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.setTimer(patienceMs, resolve)
    const giveUp = () => resolve()
    signal.addEventListener('abort', giveUp, { once: true })
    entry.waiting += 1
    await Promise.race([entry.ended.promise, promise])
    entry.waiting -= 1
    timer.cancel()
    signal.removeEventListener('abort', giveUp)
    if (!signal.aborted) return
    entry.end.abort(signal.reason)
    this.#leave(entry)
    signal.throwIfAborted()
  }

  #leave(entry: Entry): void {
    // Another may have taken its place meanwhile.
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
    entry.ended.resolve()
  }

  #begin(): void {
    const { clock, life } = this.#options
    if (this.#running !== undefined || life.aborted) return
    const nowMs = clock.monotonicMs()
    for (const entry of this.#entries.values()) if (isAbandoned(entry, nowMs)) this.#leave(entry)
    const queued = [...this.#entries.values()].filter(({ outcome }) => outcome === undefined)
    const next = nextReview(queued, (namespace) => this.#used.of(namespace, nowMs))
    if (next === undefined) return
    this.#running = next
    void this.#run(next)
  }

  /** Never rejects. */
  async #run(entry: Entry): Promise<void> {
    const { clock, review, life } = this.#options
    const { namespace, digest, request } = entry
    const startedMs = clock.monotonicMs()
    try {
      const found = await review(request.steps, request.rules, AbortSignal.any([life, entry.end.signal]))
      this.#memory.keep(namespace, digest, found)
      entry.outcome = { kind: 'reviewed', review: found }
      this.#leave(entry)
    } catch (error) {
      // It is kept for whoever asks next.
      entry.outcome = { kind: 'failed', error }
      if (entry.waiting > 0) this.#leave(entry)
    }
    const nowMs = clock.monotonicMs()
    this.#used.add(namespace, nowMs - startedMs, nowMs)
    entry.ended.resolve()
    this.#running = undefined
    this.#begin()
  }
}
