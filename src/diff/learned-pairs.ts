// What did the server make of what we applied? Each apply teaches a pair: the hash of what was desired, and the hash of what
// then stood in our fields. Seeing the same pair again means there is nothing to do, whatever the spellings. Also counts the
// applies that do not settle. Bounded: the objects longest out of use are forgotten, which costs at most one comparison each.
import { assert } from '../base/assert.ts'
import { hashJson, type JsonObject } from '../base/json.ts'
import { asJson, type KubeObject, type LiveObject } from '../object/object.ts'
import type { FieldPath } from './field-path.ts'
import { renderPath } from './field-path.ts'
import { ownedFieldsOf } from './owned-fields.ts'
import { project } from './project.ts'

export interface Pair {
  readonly desiredHash: string
  readonly ownedHash: string
}

/** How the applies of one object go. */
export type Settling =
  | { readonly kind: 'settling'; readonly rounds: number }
  /** The same desired object had to be applied `rounds` times in a row; `paths` differed every time, rendered. */
  | { readonly kind: 'not-converging'; readonly rounds: number; readonly paths: readonly string[] }

export interface LearnedPairsOptions {
  /** Objects remembered; each takes some hundred bytes. Default 16384. */
  readonly capacity?: number
  /** Applies of the same desired object after which it counts as not converging. Default 3. */
  readonly rounds?: number
  /** An object that needed no apply for this long starts again at round one. Default 600000, ten minutes. */
  readonly quietMs?: number
}

export interface Lesson {
  readonly uid: string
  readonly pair: Pair
  /** What differed before the apply. */
  readonly paths: readonly FieldPath[]
  /** When the response came; any clock that does not go back, in milliseconds. */
  readonly nowMs: number
}

interface Memory extends Pair {
  readonly rounds: number
  readonly paths: readonly string[]
  readonly learnedMs: number
}

/** Paths kept for each object; more help nobody to find the other writer. */
const maxPaths = 20

/**
 * The pair for a desired object, normalized, and a live one as an apply returned it or the cache holds it. Undefined if
 * `manager` has not applied the live object.
 */
export function pairOf(desired: KubeObject, live: LiveObject, manager: string): Pair | undefined {
  const owned = ownedFieldsOf(live, manager)
  if (owned === undefined) return undefined
  return { desiredHash: desiredHashOf(desired), ownedHash: hashJson(project(asJson(live), owned)) }
}

const desiredHashes = new WeakMap<JsonObject, string>()

/** Hashed once for each object identity: synth hands out the same objects as long as its inputs are the same. */
export function desiredHashOf(desired: KubeObject): string {
  const json = asJson(desired)
  const known = desiredHashes.get(json)
  if (known !== undefined) return known
  const hash = hashJson(json)
  desiredHashes.set(json, hash)
  return hash
}

export class LearnedPairs {
  readonly #capacity: number
  readonly #rounds: number
  readonly #quietMs: number
  /** By uid, the longest unused first. */
  readonly #memories = new Map<string, Memory>()

  constructor({ capacity = 16_384, rounds = 3, quietMs = 600_000 }: LearnedPairsOptions = {}) {
    assert(
      capacity > 0 && rounds > 0 && quietMs >= 0,
      'learned pairs have room for one object and count at least one round',
    )
    this.#capacity = capacity
    this.#rounds = rounds
    this.#quietMs = quietMs
  }

  get size(): number {
    return this.#memories.size
  }

  /** Did the last apply of this desired object leave our fields just as they are now? */
  isKnown(uid: string, pair: Pair): boolean {
    const memory = this.#recall(uid)
    return memory?.desiredHash === pair.desiredHash && memory.ownedHash === pair.ownedHash
  }

  /** Was the last apply that is remembered one of another desired object? */
  hasOther(uid: string, desiredHash: string): boolean {
    const memory = this.#recall(uid)
    return memory !== undefined && memory.desiredHash !== desiredHash
  }

  /**
   * Takes in the answer to an apply. Rounds count applies of the same desired object with no quiet time in between, however
   * often it looked settled meanwhile: in a fight with another writer it does after each of our turns.
   */
  learn({ uid, pair, paths, nowMs }: Lesson): Settling {
    const before = this.#recall(uid)
    const isNextRound = before?.desiredHash === pair.desiredHash && nowMs - before.learnedMs < this.#quietMs
    const rendered = paths.slice(0, maxPaths).map(renderPath)
    const memory: Memory = {
      ...pair,
      rounds: isNextRound ? before.rounds + 1 : 1,
      paths: isNextRound && before.rounds > 1 ? commonPaths(before.paths, rendered) : rendered,
      learnedMs: nowMs,
    }
    this.#remember(uid, memory)
    const { rounds } = memory
    return rounds < this.#rounds
      ? { kind: 'settling', rounds }
      : { kind: 'not-converging', rounds, paths: memory.paths }
  }

  /** The object is gone. */
  forget(uid: string): void {
    this.#memories.delete(uid)
  }

  #recall(uid: string): Memory | undefined {
    const memory = this.#memories.get(uid)
    if (memory !== undefined) this.#remember(uid, memory)
    return memory
  }

  #remember(uid: string, memory: Memory): void {
    this.#memories.delete(uid)
    this.#memories.set(uid, memory)
    if (this.#memories.size <= this.#capacity) return
    const oldest = this.#memories.keys().next().value
    if (oldest !== undefined) this.#memories.delete(oldest)
  }
}

/** The paths that differed in every round, or the latest ones if they keep changing. */
function commonPaths(before: readonly string[], now: readonly string[]): readonly string[] {
  const recurring = now.filter((path) => before.includes(path))
  return recurring.length > 0 ? recurring : now
}
