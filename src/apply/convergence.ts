// Convergence of applies. A field that had to be set back three times is fought over: the object is then left alone for a while, and an error
// names the field and the other manager (I7). Edits of different fields do not add up. What the API server rejects is sent again after growing
// times, whatever events come between; at once when it is declared otherwise (I10).
import { type BackoffPolicy, backoffDelayMs } from '../base/backoff.ts'
import { CodedError } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { type Comparison, compare } from '../diff/compare.ts'
import { type FieldPath, renderPath } from '../diff/field-path.ts'
import { FieldRounds, maxFields, type SetBack } from '../diff/field-rounds.ts'
import { KnownExtras, type Part } from '../diff/known-extras.ts'
import { desiredHashOf, LearnedPairs, pairOf } from '../diff/learned-pairs.ts'
import { isKubeError, rejections } from '../kube/kube-errors.ts'
import { isBuiltIn } from '../object/built-in.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupOf } from '../object/resource.ts'
import { identityOf } from './plan.ts'
import { claimantsOf, isAbout, type RivalClaim } from './rival-claims.ts'
import { droppedFields } from './unknown-fields.ts'

/** How long a fight is left alone before one more try. */
export const holdOffMs = 5 * 60_000

/**
 * How long a rejected object is left alone: half of what the queue waits by default after as many failures. So each retry of the queue
 * sends, and the reconciles that events ask for meanwhile do not.
 */
const rejectionHold: BackoffPolicy = { baseMs: 2_500, capMs: 150_000 }

interface Held {
  readonly uid: string
  readonly untilMs: number
  readonly error: CodedError
}

/** For whom, and when. */
export interface Moment {
  /** The field manager of the desired object. */
  readonly manager: string
  /** On the monotonic clock. */
  readonly nowMs: number
}

/** The answer to an apply. */
export interface Answer extends Moment {
  /** What was applied. */
  readonly desired: KubeObject
  /** What the constructs declare, if a part of it was left out. */
  readonly declared?: KubeObject
  readonly live: LiveObject
  /** What differed before. */
  readonly paths: readonly FieldPath[]
  /** Managers from whom fields were taken back; empty if none had them, or nobody asked. */
  readonly rivals: readonly RivalClaim[]
  /** Digest of the extras before, if the apply was sent to verify them. */
  readonly doubted?: string | undefined
  /** No apply of the manager was recorded or remembered before. */
  readonly isFirst?: boolean
}

/** An object that the API server does not take as declared. */
interface Rejected {
  /** Of the object that was to be changed; undefined if it was to be created. */
  readonly uid: string | undefined
  /** Rejections in a row. */
  readonly count: number
  readonly untilMs: number
  readonly error: CodedError
}

/** What was thrown when an object was sent. */
export interface Rejection {
  /** The object that was to be changed; undefined if it was to be created. */
  readonly live: LiveObject | undefined
  readonly thrown: unknown
  readonly nowMs: number
}

/** An object that was deleted because a field of it could not change. */
interface Recreated {
  readonly uid: string
  readonly desiredHash: string
  readonly untilMs: number
}

export class Convergence {
  readonly #random: Random
  readonly #pairs = new LearnedPairs()
  readonly #rounds = new FieldRounds()
  readonly #extras = new KnownExtras()
  /** Objects that are left alone for now, by the desired object itself: a change of the declaration makes another object. */
  readonly #held = new WeakMap<KubeObject, Held>()
  /** By the desired object itself: a change of the declaration makes another object. */
  readonly #rejected = new WeakMap<KubeObject, Rejected>()
  /** By identity. What has run out is dropped when something is added. */
  readonly #recreated = new Map<string, Recreated>()

  constructor(random: Random) {
    this.#random = random
  }

  /**
   * Equal, too, if the server is known to answer an apply of `desired` with just these values. Different, if undeclared fields inside a value that is
   * owned as a whole are not those of the last answer.
   */
  compare(desired: KubeObject, live: LiveObject, { manager, nowMs }: Moment): Comparison {
    const comparison = compare({ desired, live, manager })
    if (comparison.kind === 'equal' && comparison.extras !== undefined) {
      const doubt = this.#extras.doubtAbout({ uid: live.metadata.uid, manager }, comparison.extras)
      return doubt === undefined ? comparison : { kind: 'different', ...doubt }
    }
    if (comparison.kind !== 'different') return comparison
    const pair = pairOf(desired, live, manager)
    const isKnown = pair !== undefined && this.#pairs.isKnown(partKeyOf(live, manager), pair, nowMs)
    return isKnown ? { kind: 'equal' } : comparison
  }

  /** The next comparison of this child verifies its undeclared fields by an apply, which changes nothing if they are defaults. */
  doubt(part: Part): void {
    this.#extras.doubt(part)
  }

  /** The child is gone. */
  forget(uid: string): void {
    this.#extras.forget(uid)
  }

  /** Declared fields that are not in the answer to the last apply of this object; empty for one that the server stored as declared. */
  droppedFields(desired: KubeObject, live: LiveObject, manager: string): readonly string[] {
    if (!this.#pairs.isRewritten(partKeyOf(live, manager)) || isBuiltIn({ group: groupOf(desired.apiVersion) }))
      return []
    return droppedFields(compare({ desired, live, manager }))
  }

  /** True if an apply of this manager is remembered. */
  hasApplied(live: LiveObject, manager: string): boolean {
    return this.#rounds.knows(partKeyOf(live, manager))
  }

  /** Throws what happened last time, while this object is left alone. `live` is absent where it does not exist. */
  assertMayApply(desired: KubeObject, live: LiveObject | undefined, nowMs: number): void {
    const fought = this.#held.get(desired)
    const rejected = this.#rejected.get(desired)
    // What cannot be changed may be created, once the object is gone.
    const isSame = rejected !== undefined && rejected.uid === live?.metadata.uid
    if (isSame && nowMs < rejected.untilMs) throw rejected.error
    if (fought !== undefined && fought.uid === live?.metadata.uid && nowMs < fought.untilMs) throw fought.error
  }

  /** If the API server rejected this object, or it was found impossible, it is left alone for a while, longer each time. */
  learnRejection(desired: KubeObject, { live, thrown, nowMs }: Rejection): void {
    if (!(thrown instanceof CodedError)) return
    if (thrown.remedy !== 'stop' && !isKubeError(thrown, ...rejections)) return
    const count = (this.#rejected.get(desired)?.count ?? 0) + 1
    const holdMs = backoffDelayMs({ policy: rejectionHold, failures: count, random: this.#random })
    this.#rejected.set(desired, { uid: live?.metadata.uid, count, untilMs: nowMs + holdMs, error: thrown })
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
  learn(answer: Answer): void {
    const { desired, declared = desired, live, manager, doubted, nowMs } = answer
    const { uid } = live.metadata
    const part = partKeyOf(live, manager)
    this.#rejected.delete(declared)
    const rewritten = compare({ desired, live, manager })
    const extras = rewritten.kind === 'equal' ? rewritten.extras : undefined
    // An apply that verified defaults is no round of a fight.
    if (extras !== undefined && this.#extras.learn({ uid, manager }, extras, doubted)) return
    const pair = pairOf(desired, live, manager)
    if (pair === undefined) return
    const isSteady = this.#pairs.isKnown(part, pair, nowMs)
    this.#pairs.learn({ part, pair, isRewritten: rewritten.kind !== 'equal', nowMs })
    const fields = answer.isFirst === true ? [] : setBackFields(answer, isSteady ? rewritten : { kind: 'equal' })
    const settling = this.#rounds.learn({ part, desiredHash: pair.desiredHash, fields, nowMs })
    if (settling.kind === 'settling') return
    const { rivals, rounds, paths } = settling
    const error = notConverging({ live, rivals, ours: manager, rounds, paths })
    this.#held.set(declared, { uid, untilMs: nowMs + holdOffMs, error })
    throw error
  }
}

/** An object and a manager: each owner of an object has a part of its own. */
const partKeyOf = ({ metadata: { uid } }: LiveObject, manager: string): string => `${uid} ${manager}`

/**
 * What differed before an apply, in memory or for the API server, which knows of later edits. Without the values that the server always
 * rewrites: those differ beside every edit.
 */
function setBackFields({ paths, rivals }: Answer, rewritten: Comparison): readonly SetBack[] {
  const always = new Set(rewritten.kind === 'different' ? rewritten.changes.map(({ path }) => renderPath(path)) : [])
  const differing = paths.map(renderPath).filter((path) => !always.has(path))
  const compared = differing.slice(0, maxFields)
  const claimed = rivals
    .flatMap(({ fields }) => fields)
    .filter((field) => !always.has(field) && !compared.some((path) => isAbout(field, path)))
  const setBack = [...compared, ...claimed].slice(0, maxFields)
  return setBack.map((path) => ({ path, rivals: claimantsOf(path, rivals) }))
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
