// Aggregation of reports: equal reports about one object within six minutes are one Event with a count. Invariants:
// memory and the number of new Events per object are bounded (I12), and namespaces share the memory.
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { EventReport } from './event-object.ts'
import { NamespaceShares } from './namespace-shares.ts'

/** Series of equal reports, with its count. */
export interface EventSeries {
  readonly first: EventReport
  count: number
  lastSeenMs: number
}

export type EventDecision =
  | { readonly kind: 'first' | 'repeat'; readonly series: EventSeries }
  /**
   * `object`: this object caused too many Events. `memory`: too many series are open, and no namespace has more than
   * this one.
   */
  | { readonly kind: 'drop'; readonly reason: 'object' | 'memory' }

/** Time without a report after which a series ends, as in client-go. */
const seriesEndMs = 6 * 60_000
const maxOpenSeries = 1_024
const maxObjects = 1_024
/** Limit of client-go's spam filter: a burst of 25 per object, then one in five minutes. Repeats are free. */
const objectLimit: TokenBucketLimit = { perSecond: 1 / 300, burst: 25 }

export class EventSeriesBook {
  /** Open series by the identity of their reports, the least recently reported first. */
  readonly #open = new Map<string, EventSeries>()
  /** Shares of the open series. */
  readonly #shares = new NamespaceShares()
  /** Rate limits by object, the least recently reported first. */
  readonly #buckets = new Map<string, TokenBucket>()

  /** Decides on a report at `nowMs`, a monotonic time, and counts it. */
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

  /**
   * Ends the least recently reported series of a namespace. Its Event remains; a later report starts a new one. Linear
   * in open series.
   */
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

  /** Ends expired series, which are the first of the map. */
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

/** Returns the namespace of the report's object; empty for a cluster-scoped one. */
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
