// Must this resource be synthesized again? Only if something that constructs may read has changed; else the set of the
// last time is given again. Bounded: one set a resource, and the resources used longest ago are forgotten first.
import { assert } from '../base/assert.ts'
import { deepEqual, hashJson } from '../base/json.ts'
import { asJson, desiredVersionOf, type KubeObject, type LiveObject } from '../object/object.ts'
import type { DesiredObject, DesiredSet } from './desired.ts'
import { wireJson } from './wire-json.ts'

export interface SynthMemoOptions {
  /** How many resources to remember. A set of four objects takes about 10 KiB. */
  readonly capacity: number
}

export interface MemoInput {
  readonly parent: LiveObject
  /** What `observe` found. Must be JSON: a class instance would look the same after a change. */
  readonly facts: unknown
}

interface Remembered {
  readonly parentHash: string
  readonly inputHash: string
  readonly set: DesiredSet
}

/**
 * The memo of one controller, in one life of the process: the code of `desired` is no part of the key.
 *
 * The key is the parent's uid, generation, labels and annotations, and the facts. Generation stands for the spec, so that
 * a big spec is not read in every turn; without one, as in a preview, the content counts itself. Status, resourceVersion and
 * managedFields do not count: `desired` must not read them.
 */
export class SynthMemo {
  readonly #capacity: number
  /** By uid, used longest ago first. */
  readonly #remembered = new Map<string, Remembered>()

  constructor({ capacity }: SynthMemoOptions) {
    assert(Number.isInteger(capacity) && capacity > 0, 'a memo has room for at least one resource')
    this.#capacity = capacity
  }

  get size(): number {
    return this.#remembered.size
  }

  /**
   * The set for this input; `make` runs only if it is not remembered. What `make` throws is passed on, not remembered. Facts
   * that change nothing of the objects leave them the very same objects: what was learned of those holds on.
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

  /** For a resource that is gone. */
  forget(uid: string): void {
    this.#remembered.delete(uid)
  }
}

/**
 * All but the objects is new: predicates may close over facts. A resource that has changed gets new objects, but for what it contributes to itself:
 * its own writes, and those of a rival, are changes of the resource.
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
