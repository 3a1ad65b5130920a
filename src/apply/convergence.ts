// Convergence of applies. A field that had to be corrected three times is in a field fight. The object then pauses for
// a while, and an error names the field and the other manager (I7). Edits of different fields do not add up. A rejected
// object is sent again after growing delays, whatever events come between, and at once with another declaration (I10).
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
import { claimantsOf, isAbout, type OtherClaim } from './other-claims.ts'
import { identityOf } from './plan.ts'
import { droppedFields } from './unknown-fields.ts'

/** Pause of a field fight before another attempt. */
export const holdOffMs = 5 * 60_000

/**
 * Pause of a rejected object: half of the queue's default delay after the same number of failures. Each retry of the
 * queue thus sends it, and reconciles for events in between do not.
 */
const rejectionHold: BackoffPolicy = { baseMs: 2_500, capMs: 150_000 }

interface Held {
  readonly uid: string
  readonly untilMs: number
  readonly error: CodedError
}

/** Manager and time. */
export interface Moment {
  /** The field manager of the desired object. */
  readonly manager: string
  /** On the monotonic clock. */
  readonly nowMs: number
}

/** Response to an apply. */
export interface Answer extends Moment {
  /** The applied object. */
  readonly desired: KubeObject
  /** The whole declaration, if a part of it was left out. */
  readonly declared?: KubeObject
  readonly live: LiveObject
  /** Fields that differed before. */
  readonly paths: readonly FieldPath[]
  /** Claims of the managers from which fields were taken; empty if none had them, or the apply did not ask. */
  readonly rivals: readonly OtherClaim[]
  /** Digest of the extras before, if the apply was sent to verify them. */
  readonly doubted?: string | undefined
  /** True if no apply of the manager was recorded or remembered before. */
  readonly isFirst?: boolean
}

/** An object that the API server rejects as declared. */
interface Rejected {
  /** Uid of the object to change; undefined if it was to be created. */
  readonly uid: string | undefined
  /** Rejections in a row. */
  readonly count: number
  readonly untilMs: number
  readonly error: CodedError
}

/** Error of a sent object. */
export interface Rejection {
  /** The object to change; undefined if it was to be created. */
  readonly live: LiveObject | undefined
  readonly thrown: unknown
  readonly nowMs: number
}

/** An object that was deleted because one of its fields is immutable. */
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
  /** Pausing objects, by the identity of the desired object: a change of the declaration makes another object. */
  readonly #held = new WeakMap<KubeObject, Held>()
  /** By the identity of the desired object: a change of the declaration makes another object. */
  readonly #rejected = new WeakMap<KubeObject, Rejected>()
  /** By identity. Additions drop expired entries. */
  readonly #recreated = new Map<string, Recreated>()

  constructor(random: Random) {
    this.#random = random
  }

  /**
   * Equal also if the server is known to respond to an apply of `desired` with exactly these values. Different if
   * undeclared fields inside a value that is owned as a whole are not those of the last response.
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

  /**
   * Makes the next comparison of this child verify its undeclared fields by an apply, which changes nothing if they are
   * defaults.
   */
  doubt(part: Part): void {
    this.#extras.doubt(part)
  }

  /** Call when the child is gone. */
  forget(uid: string): void {
    this.#extras.forget(uid)
  }

  /**
   * Returns declared fields that the response to the last apply of this object lacks; empty if the server stored it as
   * declared.
   */
  droppedFields(desired: KubeObject, live: LiveObject, manager: string): readonly string[] {
    if (!this.#pairs.isRewritten(partKeyOf(live, manager)) || isBuiltIn({ group: groupOf(desired.apiVersion) }))
      return []
    return droppedFields(compare({ desired, live, manager }))
  }

  /** True if an apply of this manager is remembered. */
  hasApplied(live: LiveObject, manager: string): boolean {
    return this.#rounds.knows(partKeyOf(live, manager))
  }

  /** Throws the last error while this object pauses. `live` is absent if it does not exist. */
  assertMayApply(desired: KubeObject, live: LiveObject | undefined, nowMs: number): void {
    const fought = this.#held.get(desired)
    const rejected = this.#rejected.get(desired)
    // An immutable field can be created, once the object is gone.
    const isSame = rejected !== undefined && rejected.uid === live?.metadata.uid
    if (isSame && nowMs < rejected.untilMs) throw rejected.error
    if (fought !== undefined && fought.uid === live?.metadata.uid && nowMs < fought.untilMs) throw fought.error
  }

  /** If the API server rejected this object, or it is impossible, it pauses, longer each time. */
  learnRejection(desired: KubeObject, { live, thrown, nowMs }: Rejection): void {
    if (!(thrown instanceof CodedError)) return
    if (thrown.remedy !== 'stop' && !isKubeError(thrown, ...rejections)) return
    const count = (this.#rejected.get(desired)?.count ?? 0) + 1
    const holdMs = backoffDelayMs({ policy: rejectionHold, failures: count, random: this.#random })
    this.#rejected.set(desired, { uid: live?.metadata.uid, count, untilMs: nowMs + holdMs, error: thrown })
  }

  /**
   * Returns the uid of the object that was last deleted to be created again as `desired`; undefined if that was never
   * or long ago.
   */
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

  /** Records the response to an apply. Throws NotConverging when it was one too many. */
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

/** An object and a manager: each owner of an object has its own part. */
const partKeyOf = ({ metadata: { uid } }: LiveObject, manager: string): string => `${uid} ${manager}`

/**
 * Returns the fields that differed before an apply, in the cache or on the API server, which knows later edits. Without
 * values that the server always rewrites, because those differ with every edit.
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

/**
 * Names both sides. A field that was removed and not set has no other owner; then all writers of the object are
 * candidates.
 */
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
