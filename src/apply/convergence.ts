// Do our applies settle? Compares with what the server taught us. When the same desired object had to be applied three times,
// somebody keeps changing it back: then we stop writing for a while and name the fields, instead of fighting (I7). What
// the server refused for good is not sent again either, until it is declared otherwise (I10).
import { CodedError } from '../base/errors.ts'
import { type Comparison, compare } from '../diff/compare.ts'
import type { FieldPath } from '../diff/field-path.ts'
import { desiredHashOf, LearnedPairs, pairOf } from '../diff/learned-pairs.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { identityOf } from './plan.ts'

/** How long a fight, or a refusal, is left alone before one more try. */
export const holdOffMs = 5 * 60_000

interface Held {
  /** What was declared then: something else is another matter. */
  readonly desired: KubeObject
  readonly untilMs: number
  readonly error: CodedError
}

/** The answer to an apply. */
export interface Answer {
  readonly desired: KubeObject
  readonly live: LiveObject
  /** What differed before. */
  readonly paths: readonly FieldPath[]
  /** Managers from whom fields were taken back; empty if none had them, or nobody asked. */
  readonly rivals: readonly string[]
  readonly nowMs: number
}

/** An object that was deleted because a field of it could not change. */
interface Recreated {
  readonly uid: string
  readonly desiredHash: string
  readonly untilMs: number
}

export class Convergence {
  readonly #manager: string
  readonly #pairs = new LearnedPairs()
  /** Objects that are left alone for now, by uid. What has run out is dropped when something is added. */
  readonly #held = new Map<string, Held>()
  /** By the desired object itself: a change of the declaration makes another object. */
  readonly #refused = new WeakMap<KubeObject, Held>()
  /** By identity. What has run out is dropped when something is added. */
  readonly #recreated = new Map<string, Recreated>()

  constructor({ manager }: { readonly manager: string }) {
    this.#manager = manager
  }

  /** Equal, too, if the server is known to answer an apply of `desired` with just these values. */
  compare(desired: KubeObject, live: LiveObject, nowMs: number): Comparison {
    const comparison = compare({ desired, live, manager: this.#manager })
    if (comparison.kind !== 'different') return comparison
    const pair = pairOf(desired, live, this.#manager)
    const isKnown = pair !== undefined && this.#pairs.isKnown(live.metadata.uid, pair, nowMs)
    return isKnown ? { kind: 'equal' } : comparison
  }

  /** Throws what happened last time, while this object is left alone. `live` is absent where it does not exist. */
  assertMayApply(desired: KubeObject, live: LiveObject | undefined, nowMs: number): void {
    const fought = live === undefined ? undefined : this.#held.get(live.metadata.uid)
    const held = this.#refused.get(desired) ?? (fought?.desired === desired ? fought : undefined)
    if (held === undefined) return
    if (nowMs < held.untilMs) throw held.error
    this.#refused.delete(desired)
    if (live !== undefined) this.#held.delete(live.metadata.uid)
  }

  /** What came of sending this object: if the server refused it for good, it is not sent again for a while. */
  learnRefusal(desired: KubeObject, thrown: unknown, nowMs: number): void {
    if (!(thrown instanceof CodedError) || thrown.remedy !== 'stop') return
    this.#refused.set(desired, { desired, untilMs: nowMs + holdOffMs, error: thrown })
  }

  /** The uid of the object that was deleted last to be made anew as `desired`; undefined if that was never or long ago. */
  lastRecreated(desired: KubeObject, nowMs: number): string | undefined {
    const last = this.#recreated.get(identityOf(desired))
    const holds = last !== undefined && nowMs < last.untilMs && last.desiredHash === desiredHashOf(desired)
    return holds ? last.uid : undefined
  }

  learnRecreation(desired: KubeObject, uid: string, nowMs: number): void {
    for (const [identity, { untilMs }] of this.#recreated) if (untilMs <= nowMs) this.#recreated.delete(identity)
    const untilMs = nowMs + holdOffMs
    this.#recreated.set(identityOf(desired), { uid, desiredHash: desiredHashOf(desired), untilMs })
  }

  /** Takes in the answer to an apply. Throws NotConverging when it was one too many. */
  learn({ desired, live, paths, rivals, nowMs }: Answer): void {
    const { uid } = live.metadata
    const pair = pairOf(desired, live, this.#manager)
    if (pair === undefined) return
    const isRewritten = compare({ desired, live, manager: this.#manager }).kind !== 'equal'
    const settling = this.#pairs.learn({ uid, pair, isRewritten, paths, nowMs })
    if (settling.kind === 'settling') return
    const error = notConverging({ live, rivals, ours: this.#manager, rounds: settling.rounds, paths: settling.paths })
    for (const [held, { untilMs }] of this.#held) if (untilMs <= nowMs) this.#held.delete(held)
    this.#held.set(uid, { desired, untilMs: nowMs + holdOffMs, error })
    throw error
  }
}

interface Fight {
  readonly live: LiveObject
  readonly rivals: readonly string[]
  readonly ours: string
  readonly rounds: number
  readonly paths: readonly string[]
}

/** Names both sides. A field that was taken away and left out has no other owner; then all who wrote the object may be meant. */
function notConverging({ live, rivals, ours, rounds, paths }: Fight): CodedError<'NotConverging'> {
  const writers = (live.metadata.managedFields ?? []).map(({ manager }) => manager).filter((name) => name !== ours)
  const others = [...new Set(rivals.length > 0 ? rivals : writers)]
  const whom = others.length === 0 ? 'another writer or an admission webhook' : others.join(', ')
  return new CodedError({
    code: 'NotConverging',
    message: `${describeRef(refOf(live))} was applied ${rounds} times by ${ours} and keeps being changed back at ${paths.join(', ') || 'unknown fields'} by ${rivals.length > 0 ? whom : `perhaps ${whom}`}; leave these fields to one of the two, e.g. with shared()`,
    remedy: 'retry',
    retryAfterMs: holdOffMs,
  })
}
