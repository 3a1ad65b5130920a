// Is a report a new Event, or one more of a series? The same said of the same object within six minutes is one Event with
// a count. How much is remembered, and how many new Events one object may cause, has a bound (I12). Namespaces share what is remembered.
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { EventReport } from './event-object.ts'
import { NamespaceShares } from './namespace-shares.ts'

/** How often something was reported, and how much of that is written. */
export interface EventSeries {
  readonly first: EventReport
  count: number
  lastSeenMs: number
}

export type EventDecision =
  | { readonly kind: 'first' | 'repeat'; readonly series: EventSeries }
  /** `object`: this object caused too many events; `memory`: too many series are open, and no namespace has more than this one. */
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
  /** Of the open series. */
  readonly #shares = new NamespaceShares()
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
    const namespace = namespaceOf(report)
    const isFull = this.#open.size >= maxOpenSeries
    const giver = isFull ? this.#shares.giverFor(namespace) : undefined
    if (isFull && giver === undefined) return { kind: 'drop', reason: 'memory' }
    if (this.#bucketOf(object).take(nowMs) > 0) return { kind: 'drop', reason: 'object' }
    if (giver !== undefined) this.#closeOneOf(giver)
    const series = { first: report, count: 1, lastSeenMs: nowMs }
    this.#open.set(id, series)
    this.#shares.add(namespace)
    return { kind: 'first', series }
  }

  /** The series that is unseen for longest. Its Event stays; what is reported again is another one. Linear in what is open. */
  #closeOneOf(namespace: string): void {
    for (const [id, { first }] of this.#open) {
      if (namespaceOf(first) !== namespace) continue
      this.#end(id, first)
      return
    }
  }

  #end(id: string, report: EventReport): void {
    this.#open.delete(id)
    this.#shares.remove(namespaceOf(report))
  }

  /** Ends the series that have not been added to for long: they are the first of the map. */
  #close(nowMs: number): void {
    for (const [id, { first, lastSeenMs }] of this.#open) {
      if (nowMs - lastSeenMs <= seriesEndMs) return
      this.#end(id, first)
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

/** Of the object that it is about; empty for a cluster-scoped one. */
export function namespaceOf({ regarding }: EventReport): string {
  return regarding.metadata.namespace ?? ''
}

function objectIdOf({ regarding }: EventReport): string {
  return regarding.metadata.uid ?? describeRef(refOf(regarding))
}

function moveToEnd<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
}
