// Overlay of own writes that the watch has not delivered yet. The responses cover the store until the watch reaches
// their resourceVersion, so that a reconcile reads the writes of the last one. Invariant: every entry is newer than the
// store's object.
import { isBeingDeleted, type LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import { hasReached, isComparable } from './resource-version.ts'
import { type Indexes, type ObjectSelection, type ReadonlyStore, Store, type StoreChange } from './store.ts'
import { VersionQueue } from './version-queue.ts'

/**
 * A store as it will be after the watch has caught up with own writes. At most one entry per written key.
 *
 * Deletions are not shown before the watch delivers them. The API server may keep the object for its finalizers, and a
 * name that looks free would be used again. A reconcile that needs to know waits until they have been seen.
 *
 * A written object outside of the informer's selection is shown until the watch passes its version.
 */
export class WriteOverlay<T extends LiveObject = LiveObject> implements ReadonlyStore<T> {
  readonly #base: ReadonlyStore<T>
  readonly #written: Store<T>
  /** Versions of every entry, and of entries that a later response replaced. */
  readonly #versions = new VersionQueue()

  constructor(base: ReadonlyStore<T>, indexes: Indexes<T> = {}) {
    this.#base = base
    this.#written = new Store(indexes)
  }

  addIndexes(indexes: Indexes<T>): void {
    this.#written.addIndexes(indexes)
  }

  /**
   * Takes the response to a write, unless the watch (`seen`, its last version) or a later response has passed it. An
   * object that was deleted since must not return. Versions that cannot be ordered are ignored.
   */
  put(object: T, seen: string | undefined): void {
    const { resourceVersion } = object.metadata
    if (!isComparable(resourceVersion) || (seen !== undefined && hasReached(seen, resourceVersion))) return
    const key = keyOf(object)
    const earlier = this.#written.get(key)
    if (earlier !== undefined && hasReached(earlier.metadata.resourceVersion, resourceVersion)) return
    this.#written.put(object)
    this.#versions.add(key, resourceVersion)
  }

  /** True if no read shows the object with this uid, or only as being deleted. */
  hasSeenDeleteOf(key: Key, uid: string): boolean {
    const object = this.get(key)
    return object === undefined || object.metadata.uid !== uid || isBeingDeleted(object)
  }

  /**
   * Removes and returns the entries up to `resourceVersion`, which the watch has reached. Linear in those, up to a
   * logarithm.
   */
  reached(resourceVersion: string): readonly T[] {
    const left: T[] = []
    for (let next = this.#versions.takeReached(resourceVersion); next !== undefined; ) {
      const object = this.#written.get(next.key)
      if (object !== undefined && hasReached(resourceVersion, object.metadata.resourceVersion)) {
        this.#written.remove(object)
        left.push(object)
      }
      next = this.#versions.takeReached(resourceVersion)
    }
    return left
  }

  /** Removes and returns the matching entries. Linear in all. */
  drop(matches: (object: T) => boolean): readonly T[] {
    const dropped = this.#written.list().filter(matches)
    for (const object of dropped) this.#written.remove(object)
    return dropped
  }

  /** Removes and returns all entries: the kind is not served any more. */
  clear(): readonly T[] {
    const left = this.#written.list()
    for (const object of left) this.#written.remove(object)
    this.#versions.clear()
    return left
  }

  get size(): number {
    return this.#base.size + this.#written.list().filter((object) => this.#base.get(keyOf(object)) === undefined).length
  }

  get(key: Key): T | undefined {
    return this.#written.get(key) ?? this.#base.get(key)
  }

  list(): readonly T[] {
    return this.#merge(this.#base.list(), this.#written.list())
  }

  byOwner(uid: string): readonly T[] {
    return this.#merge(this.#base.byOwner(uid), this.#written.byOwner(uid))
  }

  byLabel(label: string, value: string): readonly T[] {
    return this.#merge(this.#base.byLabel(label, value), this.#written.byLabel(label, value))
  }

  byIndex(name: string, value: string): readonly T[] {
    return this.#merge(this.#base.byIndex(name, value), this.#written.byIndex(name, value))
  }

  select(selection: ObjectSelection): readonly T[] {
    return this.#merge(this.#base.select(selection), this.#written.select(selection))
  }

  /** An entry hides the store's object even if only the older of the two matches. */
  #merge(seen: readonly T[], written: readonly T[]): readonly T[] {
    if (this.#written.size === 0) return seen
    return [...seen.filter((object) => this.#written.get(keyOf(object)) === undefined), ...written]
  }
}

/**
 * Returns deletions of written objects that the watch passed without showing them: deleted before they were seen, or
 * never selected.
 */
export function ghostsAmong<T extends LiveObject>(
  left: readonly T[],
  store: ReadonlyStore<T>,
  changes: readonly StoreChange<T>[],
): readonly StoreChange<T>[] {
  if (left.length === 0) return []
  const deleted = changes.filter(({ kind }) => kind === 'deleted')
  const gone = new Set(deleted.map(({ object }) => object.metadata.uid))
  return left
    .filter(({ metadata: { uid } }) => !gone.has(uid))
    .filter((object) => store.get(keyOf(object))?.metadata.uid !== object.metadata.uid)
    .map((object) => ({ kind: 'deleted', object }))
}
