// Field fights between resources of one controller that contribute different values to one field. They write as one
// field manager, so neither the API server nor the desired object distinguishes them.
// Invariant: after three rounds one resource keeps the field, and every other one pauses for a while after each write
// of its own.
import { CodedError } from '../base/errors.ts'
import { nameList } from '../base/name-list.ts'
import type { Change } from '../diff/compare.ts'
import { renderPath } from '../diff/field-path.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { holdOffMs } from './convergence.ts'

/** An accepted contribution. */
export interface Contribution {
  /** The resource that contributes. */
  readonly parent: LiveObject
  readonly desired: KubeObject
  readonly live: LiveObject
  /** Changes of values. */
  readonly changes: readonly Change[]
  /** On the monotonic clock. */
  readonly nowMs: number
}

/** One resource, at its last write of a field. */
interface Writer {
  readonly uid: string
  /** `Site default/a` */
  readonly name: string
  readonly atMs: number
}

/** One field of one object. */
interface Field {
  readonly writer: Writer
  /**
   * Number of writes by another resource than the one before. Odd: the writer is the resource whose value was first.
   */
  readonly turns: number
  /** The resource whose value stays; undefined: there is no fight yet. */
  readonly keeper: Writer | undefined
}

/** A contribution that pauses if it would change only these fields. */
interface Held {
  readonly paths: ReadonlySet<string>
  readonly untilMs: number
  readonly error: CodedError
}

/** Two resources have written three times each. Odd, because the first one keeps the field. */
const mostTurns = 5
/** Time without a write after which a fight over a field ends. Longer than the pause of a resource. */
const quietMs = 2 * holdOffMs
/** Number of fields that a message names. */
const namedFields = 5

export class ContributionFights {
  /** By object and path, the last written at the end. Bounded by the contributions of `quietMs`. */
  readonly #fields = new Map<string, Field>()
  /** By the identity of the desired object: a change of the declaration makes another object. */
  readonly #held = new WeakMap<KubeObject, Held>()

  /** Throws NotConverging while this contribution pauses. `changes`: the value changes that it would make. */
  assertMayApply(desired: KubeObject, changes: readonly Change[], nowMs: number): void {
    const held = this.#heldNow(desired, nowMs)
    if (held !== undefined && changes.every(({ path }) => held.paths.has(renderPath(path)))) throw held.error
  }

  /** Records an accepted contribution. Throws NotConverging when it was one too many. */
  learn({ parent, desired, live, changes, nowMs }: Contribution): void {
    const writer = { uid: parent.metadata.uid, name: describeRef(refOf(parent)), atMs: nowMs }
    this.#forget(nowMs - quietMs)
    const fought = changes.flatMap((change) => {
      const path = renderPath(change.path)
      const keeper = this.#turn(`${live.metadata.uid} ${path}`, writer, change)
      return keeper === undefined || keeper.uid === writer.uid ? [] : [{ path, keeper }]
    })
    const [first] = fought
    if (first === undefined) return
    const fields = fought.map(({ path }) => path)
    const error = notConverging({ live, writer, keeper: first.keeper, fields })
    const paths = new Set([...(this.#heldNow(desired, nowMs)?.paths ?? []), ...fields])
    this.#held.set(desired, { paths, untilMs: nowMs + holdOffMs, error })
    throw error
  }

  #heldNow(desired: KubeObject, nowMs: number): Held | undefined {
    const held = this.#held.get(desired)
    return held !== undefined && nowMs < held.untilMs ? held : undefined
  }

  /** Returns the resource that keeps the field, if there is a fight over it. */
  #turn(key: string, writer: Writer, change: Change): Writer | undefined {
    const before = this.#fields.get(key)
    const isFirst = change.live === undefined
    const turns = before === undefined ? Number(isFirst) : before.turns + Number(before.writer.uid !== writer.uid)
    const known = before?.keeper?.uid === writer.uid ? writer : before?.keeper
    // A keeper that released the field, or is gone, does not write it any more.
    const isThere = known !== undefined && writer.atMs - known.atMs < quietMs
    const keeper = isThere ? known : turns >= mostTurns ? writer : undefined
    this.#fields.delete(key)
    this.#fields.set(key, { writer, turns, keeper })
    return keeper
  }

  /** Linear in the dropped entries. */
  #forget(untilMs: number): void {
    for (const [key, { writer }] of this.#fields) {
      if (writer.atMs > untilMs) return
      this.#fields.delete(key)
    }
  }
}

interface Fight {
  readonly live: LiveObject
  readonly writer: Writer
  readonly keeper: Writer
  readonly fields: readonly string[]
}

function notConverging({ live, writer, keeper, fields }: Fight): CodedError<'NotConverging'> {
  const [object, names] = [describeRef(refOf(live)), nameList(fields, namedFields)]
  return new CodedError({
    code: 'NotConverging',
    message: `${object}: ${writer.name} and ${keeper.name} contribute different values to ${names}, and set them in turn; the values of ${keeper.name} stay: declare these fields in one of the two`,
    remedy: 'retry',
    retryAfterMs: holdOffMs,
  })
}
