// Faults as data: the calls that they match, the matching calls that they strike, and the effect instead of the usual
// response. The same faults strike frames of a watch.
import type { ApiCall } from './api-call.ts'

export type FrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'

/** Every field that is set must match. */
export interface FaultMatch {
  readonly verb?: ApiCall['verb'] | readonly ApiCall['verb'][]
  readonly resource?: string
  /** Empty: calls without a subresource only. */
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** Strikes frames of this type on matching watches, and no calls. The name is that of the frame's object. */
  readonly frame?: FrameType | 'any'
}

export type Effect =
  /** The response has this status. A frame becomes an ERROR event with this status, and the stream ends. */
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly reason?: string
      readonly message?: string
      readonly retryAfterSeconds?: number
    }
  /** Nothing arrives from now on, and the connection stays open. */
  | { readonly kind: 'silence' }
  /** The connection breaks after this number of bytes of the response or frame. Default: before the first. */
  | { readonly kind: 'break'; readonly afterBytes?: number }
  /** The call or frame takes longer. Later frames of the same stream wait for it. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The frame is left out and the stream continues; a call is treated like `silence`. */
  | { readonly kind: 'lose' }
  /** Nothing passes in any direction from now on, as if the process were dead. */
  | { readonly kind: 'freeze' }

export interface Fault {
  readonly match: FaultMatch
  /** First matching call that the fault strikes, from 1. Default: 1. */
  readonly nth?: number
  /** Number of consecutive matching calls that the fault strikes. Default: 1. */
  readonly times?: number
  /** Before the API server receives the call, or after it has executed the call. Default: before. */
  readonly when?: 'before' | 'after'
  readonly effect: Effect
}

/** A call, or a frame of a requested watch. */
export interface Occurrence extends ApiCall {
  readonly frame?: FrameType | undefined
}

/** Counts the matches of each fault. */
export class FaultBook {
  readonly #seen = new Map<Fault, number>()

  add(...faults: readonly Fault[]): void {
    for (const fault of faults) this.#seen.set(fault, 0)
  }

  clear(): void {
    this.#seen.clear()
  }

  /** Returns the first added fault that strikes this occurrence, if any. Every matching fault counts the occurrence. */
  strike(occurrence: Occurrence): Fault | undefined {
    let struck: Fault | undefined
    for (const [fault, before] of this.#seen) {
      if (!matches(fault.match, occurrence)) continue
      this.#seen.set(fault, before + 1)
      if (strikes(fault, before + 1)) struck ??= fault
    }
    return struck
  }

  /** True if the fault strikes no more. */
  isSpent(fault: Fault): boolean {
    return (this.#seen.get(fault) ?? 0) >= (fault.nth ?? 1) + (fault.times ?? 1) - 1
  }
}

export function matches(match: FaultMatch, occurrence: Occurrence): boolean {
  const verbs = match.verb === undefined ? undefined : [match.verb].flat()
  return (
    (match.frame === undefined) === (occurrence.frame === undefined) &&
    (match.frame === undefined || match.frame === 'any' || match.frame === occurrence.frame) &&
    (verbs === undefined || verbs.includes(occurrence.verb)) &&
    (match.resource === undefined || match.resource === occurrence.resource) &&
    (match.subresource === undefined || match.subresource === (occurrence.subresource ?? '')) &&
    (match.namespace === undefined || match.namespace === occurrence.namespace) &&
    (match.name === undefined || match.name === occurrence.name)
  )
}

function strikes({ nth = 1, times = 1 }: Fault, count: number): boolean {
  return count >= nth && count < nth + times
}
