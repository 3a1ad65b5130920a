// Is a report a new Event, or one more of a series? The same said of the same object within six minutes is one Event with
// a count. How much is remembered, and how many new Events one object may cause, has a bound (I12).
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { EventReport } from './event-object.ts'

/** How often something was reported, and how much of that is written. */
export interface EventSeries {
  readonly first: EventReport
  count: number
  lastSeenMs: number
}

export type EventDecision =
  | { readonly kind: 'first' | 'repeat'; readonly series: EventSeries }
  /** `object`: this object caused too many events; `memory`: too many series are open. */
  | { readonly kind: 'drop'; readonly reason: 'object' | 'memory' }

/** A series ends when nothing was added for this long, as in client-go. */
const seriesEndMs = 6 * 60_000
const maxOpenSeries = 1_024
const maxObjects = 1_024
/** client-go's spam filter: a burst of 25 an object, then one in five minutes. Repeats are free. */
const objectLimit: TokenBucketLimit = { perSecond: 1 / 300, burst: 25 }

export class EventSeriesBook {
  /** By what makes reports the same; the longest unseen first. */
  readonly #open = new Map<string, EventSeries>()
  /** By object; the longest unseen first. */
  readonly #buckets = new Map<string, TokenBucket>()

  /** Decides on a report at `nowMs`, a time that never goes back, and keeps count. */
  admit(report: EventReport, nowMs: number): EventDecision {
    this.#close(nowMs)
    const object = objectIdOf(report)
    const id = JSON.stringify([object, report.type, report.reason, report.action, report.note])
    const known = this.#open.get(id)
    if (known !== undefined) {
      known.count++
      known.lastSeenMs = nowMs
      moveToEnd(this.#open, id, known)
      return { kind: 'repeat', series: known }
    }
    if (this.#open.size >= maxOpenSeries) return { kind: 'drop', reason: 'memory' }
    if (this.#bucketOf(object).take(nowMs) > 0) return { kind: 'drop', reason: 'object' }
    const series = { first: report, count: 1, lastSeenMs: nowMs }
    this.#open.set(id, series)
    return { kind: 'first', series }
  }

  /** Ends the series that have not been added to for long: they are the first of the map. */
  #close(nowMs: number): void {
    for (const [id, { lastSeenMs }] of this.#open) {
      if (nowMs - lastSeenMs <= seriesEndMs) return
      this.#open.delete(id)
    }
  }

  #bucketOf(object: string): TokenBucket {
    const bucket = this.#buckets.get(object) ?? new TokenBucket(objectLimit)
    moveToEnd(this.#buckets, object, bucket)
    const [longestUnseen] = this.#buckets.keys()
    if (this.#buckets.size > maxObjects && longestUnseen !== undefined) this.#buckets.delete(longestUnseen)
    return bucket
  }
}

function objectIdOf({ regarding }: EventReport): string {
  return regarding.metadata.uid ?? describeRef(refOf(regarding))
}

function moveToEnd<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
}
