// Answers of the API server to our applies: pairs of the hash of the desired object and the hash of our fields in the answer. A known pair
// means that another apply of the same object would change nothing, although the server stores other values than declared. Also counts
// applies that do not settle. The memory only saves work: what it forgets costs one apply without effect. Bounded by the applies of an hour.
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
  /** Applies of the same desired object after which it counts as not converging. Default 3. */
  readonly rounds?: number
  /** An object that needed no apply for this long starts again at round one. Default 600000, ten minutes. */
  readonly quietMs?: number
  /** A pair is known for this long: a webhook or schema that rewrites may change. Default 3600000, one hour. */
  readonly knownMs?: number
}

export interface Lesson {
  readonly uid: string
  readonly pair: Pair
  /** The answer differs from the desired object. */
  readonly isRewritten: boolean
  /** What differed before the apply. */
  readonly paths: readonly FieldPath[]
  /** When the response came; any clock that does not go back, in milliseconds. */
  readonly nowMs: number
}

interface Applies {
  readonly desiredHash: string
  readonly rounds: number
  readonly paths: readonly string[]
  readonly learnedMs: number
}

interface KnownPair extends Pair {
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
  readonly #rounds: number
  readonly #quietMs: number
  readonly #knownMs: number
  /** By uid, the oldest first. */
  readonly #applies = new Map<string, Applies>()
  /** Of rewritten objects, by uid, the oldest first. */
  readonly #known = new Map<string, KnownPair>()

  constructor({ rounds = 3, quietMs = 600_000, knownMs = 3_600_000 }: LearnedPairsOptions = {}) {
    this.#rounds = rounds
    this.#quietMs = quietMs
    this.#knownMs = knownMs
  }

  /** How many objects it remembers something of, counted once for each of its two purposes. */
  get size(): number {
    return this.#applies.size + this.#known.size
  }

  /** True if the answer to the last apply of this object differed from what was declared. */
  isRewritten(uid: string): boolean {
    return this.#known.has(uid)
  }

  /** True if the last apply of this desired object left our fields as they are now, within the last hour. */
  isKnown(uid: string, pair: Pair, nowMs: number): boolean {
    const known = this.#known.get(uid)
    const isYoung = known !== undefined && nowMs - known.learnedMs < this.#knownMs
    return isYoung && known.desiredHash === pair.desiredHash && known.ownedHash === pair.ownedHash
  }

  /**
   * Takes in the answer to an apply. Rounds count applies of the same desired object with no quiet time in between, however
   * often it looked settled meanwhile: in a fight with another writer it does after each of our turns.
   */
  learn({ uid, pair, isRewritten, paths, nowMs }: Lesson): Settling {
    const before = this.#applies.get(uid)
    const isNextRound = before?.desiredHash === pair.desiredHash && nowMs - before.learnedMs < this.#quietMs
    const rendered = paths.slice(0, maxPaths).map(renderPath)
    const rounds = isNextRound ? before.rounds + 1 : 1
    const recurring = isNextRound && before.rounds > 1 ? commonPaths(before.paths, rendered) : rendered
    const { desiredHash } = pair
    putLast(this.#applies, uid, { desiredHash, rounds, paths: recurring, learnedMs: nowMs })
    if (isRewritten) putLast(this.#known, uid, { ...pair, learnedMs: nowMs })
    else this.#known.delete(uid)
    dropOlder(this.#applies, nowMs - this.#quietMs)
    dropOlder(this.#known, nowMs - this.#knownMs)
    return rounds < this.#rounds ? { kind: 'settling', rounds } : { kind: 'not-converging', rounds, paths: recurring }
  }
}

function putLast<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
}

/** Linear in what is dropped: the oldest come first. */
function dropOlder(map: Map<string, { readonly learnedMs: number }>, untilMs: number): void {
  for (const [key, { learnedMs }] of map) {
    if (learnedMs > untilMs) return
    map.delete(key)
  }
}

/** The paths that differed in every round, or the latest ones if they keep changing. */
function commonPaths(before: readonly string[], now: readonly string[]): readonly string[] {
  const recurring = now.filter((path) => before.includes(path))
  return recurring.length > 0 ? recurring : now
}
