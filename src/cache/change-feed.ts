// Events of a watch for one reader, which may be slower than the watch. Invariant: the events show states that the
// objects had, in order, and lead to the newest state. Intermediate states are skipped, so memory holds at most one per
// object.
import type { DeletedObject, ObjectEvent } from '../kube/object-event.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import type { DataFrame } from './watch-state.ts'

/** The state of an object that the reader knows. */
interface SentChange extends DeletedObject {
  readonly resourceVersion: string
}

export class ChangeFeed {
  /** The partial snapshot. */
  #snapshot = new Map<Key, LiveObject>()
  /** The newest unread state of each object, the longest unread first. */
  readonly #unread = new Map<Key, LiveObject | 'deleted'>()
  /** Stays at the first entry: a new iterator would walk over the entries that have been read. */
  #cursor = this.#unread.entries()
  readonly #told = new Map<Key, SentChange>()
  /** Number of unread keys of the first snapshot; undefined before it. */
  #initial: number | undefined
  #hasToldSynced = false

  /** True after the first snapshot. */
  get hasBegun(): boolean {
    return this.#initial !== undefined
  }

  collect(object: LiveObject): void {
    this.#snapshot.set(keyOf(object), object)
  }

  uncollect(object: LiveObject): void {
    this.#snapshot.delete(keyOf(object))
  }

  discard(): void {
    this.#snapshot.clear()
  }

  /** The snapshot is complete: objects that it lacks have been deleted. */
  replace(): void {
    const snapshot = this.#snapshot
    this.#snapshot = new Map()
    for (const key of [...this.#told.keys(), ...this.#unread.keys()]) {
      if (!snapshot.has(key)) this.#unread.set(key, 'deleted')
    }
    for (const [key, object] of snapshot) {
      const isTold = this.#told.get(key)?.resourceVersion === object.metadata.resourceVersion
      if (!isTold || this.#unread.has(key)) this.#unread.set(key, object)
    }
    this.#initial ??= this.#unread.size
  }

  apply({ type, object }: DataFrame): void {
    this.#unread.set(keyOf(object), type === 'DELETED' ? 'deleted' : object)
  }

  /** Every object has been deleted, with its kind. */
  absent(): void {
    this.#snapshot.clear()
    for (const key of [...this.#told.keys(), ...this.#unread.keys()]) this.#unread.set(key, 'deleted')
  }

  /** Returns the next events; none if the reader has the newest state. Amortized constant time. */
  take(): readonly ObjectEvent[] {
    for (;;) {
      if (this.#initial === 0 && !this.#hasToldSynced) {
        this.#hasToldSynced = true
        return [{ kind: 'synced' }]
      }
      const { done, value } = this.#cursor.next()
      if (done === true) {
        // An iterator that has ended does not see later entries.
        this.#cursor = this.#unread.entries()
        return []
      }
      const [key, state] = value
      this.#unread.delete(key)
      if (this.#initial !== undefined && this.#initial > 0) this.#initial -= 1
      const events = this.#eventsOf(key, state)
      if (events.length > 0) return events
    }
  }

  /** An object that was deleted and created again makes both events. */
  #eventsOf(key: Key, state: LiveObject | 'deleted'): readonly ObjectEvent[] {
    const told = this.#told.get(key)
    if (state === 'deleted') {
      this.#told.delete(key)
      return told === undefined ? [] : [deletionOf(told)]
    }
    const { namespace, name, uid, resourceVersion } = state.metadata
    this.#told.set(key, { namespace, name, uid, resourceVersion })
    if (told === undefined) return [{ kind: 'added', object: state }]
    if (told.uid !== uid) return [deletionOf(told), { kind: 'added', object: state }]
    return told.resourceVersion === resourceVersion ? [] : [{ kind: 'modified', object: state }]
  }
}

function deletionOf({ namespace, name, uid }: SentChange): ObjectEvent {
  return { kind: 'deleted', object: { namespace, name, uid } }
}
