// Memo of synthesized sets. Invariant: a resource is synthesized again exactly if something changed that constructs may
// read. Bounded: one set per resource; the least recently used resources are dropped first.
import { assert } from '../base/assert.ts'
import { deepEqual, hashJson } from '../base/json.ts'
import { asJson, desiredVersionOf, type KubeObject, type LiveObject } from '../object/object.ts'
import type { DesiredObject, DesiredSet } from './desired.ts'
import { wireJson } from './wire-json.ts'

export interface SynthMemoOptions {
  /** Resources to remember. A set of four objects takes about 10 KiB. */
  readonly capacity: number
}

export interface MemoInput {
  readonly parent: LiveObject
  /** Result of `observe`. Must be JSON: a class instance would look the same after a change. */
  readonly facts: unknown
}

interface Remembered {
  readonly parentHash: string
  readonly inputHash: string
  readonly set: DesiredSet
}

/**
 * Memo of one controller, for the life of the process: the code of `desired` is not part of the key.
 *
 * The key is the parent's uid, generation, labels and annotations, and the facts. The generation stands for the spec,
 * so a large spec is not hashed in every reconcile. Without a generation, as in a preview, the content itself counts.
 * Status, resourceVersion and managedFields do not count: `desired` must not read them.
 */
export class SynthMemo {
  readonly #capacity: number
  /** By uid, least recently used first. */
  readonly #remembered = new Map<string, Remembered>()

  constructor({ capacity }: SynthMemoOptions) {
    assert(Number.isInteger(capacity) && capacity > 0, 'a memo has room for at least one resource')
    this.#capacity = capacity
  }

  get size(): number {
    return this.#remembered.size
  }

  /**
   * Returns the set for this input; `make` runs only if the set is not remembered. An error of `make` is thrown and not
   * remembered. If new facts do not change the objects, the set keeps the same object values, so results that callers
   * cached for them stay valid.
   */
  get({ parent, facts }: MemoInput, make: () => DesiredSet): DesiredSet {
    const { uid } = parent.metadata
    const parentHash = hashOf(parent)
    const inputHash = hashJson([parentHash, hashOfFacts(facts)])
    const last = this.#remembered.get(uid)
    const set = last?.inputHash === inputHash ? last.set : continued(make(), last, parentHash)
    this.#remembered.delete(uid)
    this.#remembered.set(uid, { parentHash, inputHash, set })
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > this.#capacity && oldest !== undefined) this.#remembered.delete(oldest)
    return set
  }

  /** Forgets a deleted resource. */
  forget(uid: string): void {
    this.#remembered.delete(uid)
  }
}

/**
 * Returns the new set with the previous object values: predicates may close over facts. A changed resource gets new
 * objects, except for contributions to itself, because its own writes and those of other field managers change the
 * resource.
 */
function continued(set: DesiredSet, last: Remembered | undefined, parentHash: string): DesiredSet {
  if (last === undefined) return set
  const isSame = last.parentHash === parentHash && last.set.hash === set.hash
  const self = last.set.objects.find(({ policies }) => policies.isSelf)
  const objects = set.objects.map((item, index) => {
    const before = item.policies.isSelf ? sameSelf(item, self) : isSame ? last.set.objects[index] : undefined
    return before === undefined ? item : Object.freeze({ ...item, object: before.object, lasting: before.lasting })
  })
  return Object.freeze({ ...set, objects: Object.freeze(objects) })
}

function sameSelf(item: DesiredObject, last: DesiredObject | undefined): DesiredObject | undefined {
  const isSame = (left: KubeObject, right: KubeObject) => deepEqual(asJson(left), asJson(right))
  return last && isSame(item.object, last.object) && isSame(item.lasting, last.lasting) ? last : undefined
}

function hashOf(parent: LiveObject): string {
  const { labels, annotations } = parent.metadata
  const inputs = { version: desiredVersionOf(parent), labels, annotations }
  return hashJson(wireJson(inputs, { name: 'the resource' }))
}

function hashOfFacts(facts: unknown): string {
  return hashJson(wireJson({ facts: facts ?? null }, { name: 'what observe returned' }))
}
