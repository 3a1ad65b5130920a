// Faults as data: which requests a rule affects, how often, and how. Pure.
// The rules, their counts and the drawn numbers determine the faults of a request.
import type { RequestInfo } from '../request-info.ts'

export type Fault =
  /** Delays the answer by `ms`; for two numbers, by a random time between them. */
  | { readonly kind: 'latency'; readonly ms: number | readonly [number, number] }
  /** Rejects the request without any effect. */
  | { readonly kind: 'refuse'; readonly code: 409 | 410 | 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  /** Ends the connection without an answer, before or after the server has processed the request. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  /** Breaks a watch after this many events. */
  | { readonly kind: 'cut-watch'; readonly afterEvents: number }
  /** Drops or repeats this share of a watch's events. */
  | { readonly kind: 'lose-events' | 'repeat-events'; readonly share: number }
  /** Delays a watch's events by `ms`, in order. */
  | { readonly kind: 'delay-events'; readonly ms: number }
  /** Keeps a watch open without events, like a server without connection to its store. */
  | { readonly kind: 'freeze-watch' }
  /** Answers reads at an older revision, this many writes ago, like a server that lags behind. */
  | { readonly kind: 'stale-read'; readonly revisions: number }

export interface FaultRule {
  readonly fault: Fault
  /** Conditions on the request; an absent one matches everything. */
  readonly on?: {
    /** RBAC verbs: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`. */
    readonly verbs?: readonly string[]
    /** Plural of the resource. */
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
    /** Prefix of the client's User-Agent. */
    readonly userAgent?: string
  }
  /** Share of the matching requests that the rule affects. Default: 1. */
  readonly share?: number
  /** Number of matching requests that pass first. Default: 0. */
  readonly after?: number
  /** Maximal number of affected requests. Default: all. */
  readonly times?: number
}

/** Counts of a rule: matching and affected requests. */
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

/** Returns whether the rule affects a matching request. `drawn` is a random number in [0, 1). */
export function strikes(
  { share = 1, after = 0, times = Number.POSITIVE_INFINITY }: FaultRule,
  count: RuleCount,
  drawn: number,
): boolean {
  return count.matched >= after && count.struck < times && drawn < share
}
