// Which call goes wrong, and how? Faults are data: what they match, which of the matching calls they strike, and what comes
// instead of the proper course. A frame of a watch can be struck like a call, by the same faults.
import type { ApiCall } from './api-call.ts'

export type FrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'

/** Everything that is set has to fit. */
export interface FaultMatch {
  readonly verb?: ApiCall['verb'] | readonly ApiCall['verb'][]
  readonly resource?: string
  /** Empty: calls without a subresource only. */
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** Strikes such frames of the watches that match, and not the calls. The name is that of the frame's object. */
  readonly frame?: FrameType | 'any'
}

export type Effect =
  /** The answer is this status; of a frame: an ERROR event with this status comes instead, and the stream ends. */
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly reason?: string
      readonly message?: string
      readonly retryAfterSeconds?: number
    }
  /** Nothing comes from here on, and the connection stays open. */
  | { readonly kind: 'silence' }
  /** The connection breaks, after so many bytes of the answer or frame; by default before the first. */
  | { readonly kind: 'break'; readonly afterBytes?: number }
  /** It takes so much longer. What comes after a frame on the same stream waits with it. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The frame is left out and the stream goes on; a call is answered as if it had been `silence`. */
  | { readonly kind: 'lose' }
  /** From here on nothing passes through the proxy in any direction: what a process is to the world once it is dead. */
  | { readonly kind: 'freeze' }

export interface Fault {
  readonly match: FaultMatch
  /** The first matching call that it strikes, from 1. Default 1. */
  readonly nth?: number
  /** How many it strikes in a row. Default 1. */
  readonly times?: number
  /** Before the API server hears of the call, or after it has done what it was asked. Default before. */
  readonly when?: 'before' | 'after'
  readonly effect: Effect
}

/** A call, or a frame of a watch that was called for. */
export interface Occurrence extends ApiCall {
  readonly frame?: FrameType | undefined
}

/** Remembers how often each fault has matched. */
export class FaultBook {
  readonly #seen = new Map<Fault, number>()

  add(...faults: readonly Fault[]): void {
    for (const fault of faults) this.#seen.set(fault, 0)
  }

  clear(): void {
    this.#seen.clear()
  }

  /** The fault that strikes this occurrence, if any: the first that was added. Every fault that matches counts it. */
  strike(occurrence: Occurrence): Fault | undefined {
    let struck: Fault | undefined
    for (const [fault, before] of this.#seen) {
      if (!matches(fault.match, occurrence)) continue
      this.#seen.set(fault, before + 1)
      if (strikes(fault, before + 1)) struck ??= fault
    }
    return struck
  }

  /** Will it strike no more? */
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
