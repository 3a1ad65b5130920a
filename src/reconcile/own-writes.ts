// The operator's last write to each existing object. Invariant: the event of a write triggers only resources that did
// not write it. Their reconcile already knows the content, and the event would only bypass their backoff.
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

  /**
   * Returns the resource whose reconcile caused this event by its write; undefined: another writer did. Forgets a
   * deleted object.
   */
  authorOf({ kind, object }: InformerEvent): Key | undefined {
    const { uid, resourceVersion } = object.metadata
    if (kind === 'deleted') this.#writes.delete(uid)
    const own = this.#writes.get(uid)
    return own?.version === resourceVersion ? own.author : undefined
  }
}
