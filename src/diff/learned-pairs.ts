// API responses to applies: pairs of the hash of the desired object and the hash of the owned fields in the response. A
// known pair means that another apply of the same object would change nothing, although the server stores other values
// than declared.
// The pairs only save work: a forgotten pair costs one apply without effect. Bounded by the applies of an hour.
import { hashJson, type JsonObject } from '../base/json.ts'
import { asJson, type KubeObject, type LiveObject } from '../object/object.ts'
import { ownedFieldsOf } from './owned-fields.ts'
import { project } from './project.ts'

export interface Pair {
  readonly desiredHash: string
  readonly ownedHash: string
}

export interface LearnedPairsOptions {
  /** Time for which a pair is known, because a rewriting webhook or schema may change. Default 3600000, one hour. */
  readonly knownMs?: number
}

export interface Lesson {
  /** The object and the manager: an object may have several. */
  readonly part: string
  readonly pair: Pair
  /** True if the response differs from the desired object. */
  readonly isRewritten: boolean
  /** Time of the response on any monotonic clock, in milliseconds. */
  readonly nowMs: number
}

interface KnownPair extends Pair {
  readonly learnedMs: number
}

/**
 * Returns the pair for a desired, normalized object, and a live one from an apply or the cache. Undefined if `manager`
 * has not applied the live object.
 */
export function pairOf(desired: KubeObject, live: LiveObject, manager: string): Pair | undefined {
  const owned = ownedFieldsOf(live, manager)
  if (owned === undefined) return undefined
  return { desiredHash: desiredHashOf(desired), ownedHash: hashJson(project(asJson(live), owned)) }
}

const desiredHashes = new WeakMap<JsonObject, string>()

/** Computed once for each object identity: synthesis returns the same objects while its inputs are the same. */
export function desiredHashOf(desired: KubeObject): string {
  const json = asJson(desired)
  const known = desiredHashes.get(json)
  if (known !== undefined) return known
  const hash = hashJson(json)
  desiredHashes.set(json, hash)
  return hash
}

export class LearnedPairs {
  readonly #knownMs: number
  /** Rewritten objects by part, the oldest first. */
  readonly #known = new Map<string, KnownPair>()

  constructor({ knownMs = 3_600_000 }: LearnedPairsOptions = {}) {
    this.#knownMs = knownMs
  }

  /** Number of remembered objects. */
  get size(): number {
    return this.#known.size
  }

  /** True if the response to the last apply of this object differed from the declaration. */
  isRewritten(part: string): boolean {
    return this.#known.has(part)
  }

  /** True if the last apply of this desired object, within the last hour, left the owned fields as they are now. */
  isKnown(part: string, pair: Pair, nowMs: number): boolean {
    const known = this.#known.get(part)
    const isYoung = known !== undefined && nowMs - known.learnedMs < this.#knownMs
    return isYoung && known.desiredHash === pair.desiredHash && known.ownedHash === pair.ownedHash
  }

  /** Records the response to an apply. */
  learn({ part, pair, isRewritten, nowMs }: Lesson): void {
    this.#known.delete(part)
    if (isRewritten) this.#known.set(part, { ...pair, learnedMs: nowMs })
    for (const [oldest, { learnedMs }] of this.#known) {
      if (learnedMs > nowMs - this.#knownMs) return
      this.#known.delete(oldest)
    }
  }
}
