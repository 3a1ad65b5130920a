// Runs the reviews of all namespaces, one at a time, in the order of the review queue. A reconciliation waits for its
// review for some seconds and asks again later. One namespace therefore does not block the others. Invariant: one review
// at a time. At most one reconciliation of a namespace and a few in total wait; none outlives `life`.
import { createHash } from 'node:crypto'
import type { Clock } from '../../../../index.ts'
import type { QueuedReviewer, ReviewRequest, StepReview, StepReviewer } from '../../step-review.ts'
import { ReviewMemory } from './review-memory.ts'
import { displacedReviews, isAbandoned, nextReview, type QueuedReview, UsedTime } from './review-queue.ts'

export interface ReviewQueueOptions {
  /** Reviews immediately, within limits of memory and time. */
  readonly review: StepReviewer
  readonly clock: Clock
  /** Ends the running review. */
  readonly life: AbortSignal
  /** Maximum wait of a reconciliation. */
  readonly patienceMs?: number
}

/** The time limit of the running review, plus a typical review. */
const usualPatienceMs = 17_000
/** Out of ten concurrent reconciliations. */
const mostWaiting = 4
const mostQueuedBytes = 16_777_216
/** Size of an entry, in addition to the text of its steps. */
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
  /** Entries that are queued, running, or failed while no caller waited; in order of arrival. */
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

  /** Waits until the review has ended, at most `patienceMs`. Removes the entry when the caller gives up. */
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
    // Another entry may have replaced it.
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
      // Kept for the next caller.
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
