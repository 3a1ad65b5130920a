// Last write of ours to each living object. Invariant: the event of a write wakes nobody but resources that did not write it, because it holds nothing
// that the reconcile that wrote it did not know, and would only overtake its backoff.
import type { InformerEvent } from '../cache/change-handler.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'

interface OwnWrite {
  readonly version: string
  readonly author: Key
}

export class OwnWrites {
  /** By uid. */
  readonly #writes = new Map<string, OwnWrite>()

  /** `author`: the resource whose reconcile wrote the object. */
  record({ metadata: { uid, resourceVersion } }: LiveObject, author: LiveObject): void {
    this.#writes.set(uid, { version: resourceVersion, author: keyOf(author) })
  }

  /** The resource whose reconcile made this event by its write; undefined: another writer did. Forgets an object that is gone. */
  authorOf({ kind, object }: InformerEvent): Key | undefined {
    const { uid, resourceVersion } = object.metadata
    if (kind === 'deleted') this.#writes.delete(uid)
    const own = this.#writes.get(uid)
    return own?.version === resourceVersion ? own.author : undefined
  }
}
