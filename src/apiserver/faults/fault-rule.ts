// What goes wrong, and with whom? Faults as data: which requests a rule strikes, how often, and what becomes of them. Pure: which faults
// strike a request follows from the rules, what they have struck before, and the numbers drawn.
import type { RequestInfo } from '../request-info.ts'

export type Fault =
  /** The answer comes so much later; of two numbers, somewhere between them. */
  | { readonly kind: 'latency'; readonly ms: number | readonly [number, number] }
  /** The server refuses, and nothing happens. */
  | { readonly kind: 'refuse'; readonly code: 409 | 410 | 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  /** The connection ends without an answer: before the server heard of the request, or after it did all of it. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  /** A watch breaks off after so many events. */
  | { readonly kind: 'cut-watch'; readonly afterEvents: number }
  /** Of a watch's events, this share never arrives, or arrives twice. */
  | { readonly kind: 'lose-events' | 'repeat-events'; readonly share: number }
  /** A watch's events arrive so much later, in their order. */
  | { readonly kind: 'delay-events'; readonly ms: number }
  /** A watch stays open and tells nothing, as one of a server that is cut off from its store. */
  | { readonly kind: 'freeze-watch' }
  /** Reads answer as the cluster was so many writes ago, as a server does that lags behind. */
  | { readonly kind: 'stale-read'; readonly revisions: number }

export interface FaultRule {
  readonly fault: Fault
  /** What a request must be to be struck; what is left out does not matter. */
  readonly on?: {
    /** As RBAC has them: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`. */
    readonly verbs?: readonly string[]
    /** The plural. */
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
    /** The beginning of the client's User-Agent. */
    readonly userAgent?: string
  }
  /** Of the requests that match, this share is struck. Default 1. */
  readonly share?: number
  /** So many that match pass first. Default 0. */
  readonly after?: number
  /** So many are struck at most. Default: all. */
  readonly times?: number
}

/** What a rule has done so far. */
export interface RuleCount {
  readonly matched: number
  readonly struck: number
}

export function matchesRule({ on = {} }: FaultRule, info: RequestInfo, userAgent: string): boolean {
  return (
    (on.verbs === undefined || on.verbs.includes(info.verb)) &&
    (on.resource === undefined || on.resource === info.resource) &&
    (on.subresource === undefined || on.subresource === info.subresource) &&
    (on.namespace === undefined || on.namespace === info.namespace) &&
    (on.name === undefined || on.name === info.name) &&
    (on.userAgent === undefined || userAgent.startsWith(on.userAgent))
  )
}

/** Does a rule strike a request that matches it? `drawn` is a number in [0, 1). */
export function strikes(
  { share = 1, after = 0, times = Number.POSITIVE_INFINITY }: FaultRule,
  count: RuleCount,
  drawn: number,
): boolean {
  return count.matched >= after && count.struck < times && drawn < share
}
