// Store of objects by key, with indexes by owner, label value and field value. Invariant: an object is in an index
// exactly under its current values.
import { assert } from '../base/assert.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'

/** Selects the objects of one namespace with these labels; without a namespace, those of all namespaces. */
export interface ObjectSelection {
  readonly namespace?: string | undefined
  readonly labels?: Readonly<Record<string, string>>
}

/** Returns the index values of an object; pure. If it throws or returns no list, the object has no value. */
export type IndexFunction<T extends LiveObject> = (object: T) => readonly string[]

/** Called when an index function throws, or returns no list. */
export type OnIndexError = (name: string, object: LiveObject, thrown: unknown) => void

/** Indexes of a store besides keys and owners. */
export interface Indexes<T extends LiveObject = LiveObject> {
  /** Label keys whose values are looked up. */
  readonly labels?: readonly string[]
  /** Named functions of the object. */
  readonly fields?: Readonly<Record<string, IndexFunction<T>>>
}

/** Read access. A look-up costs the size of its result; the caller owns the result. */
export interface ReadonlyStore<T extends LiveObject = LiveObject> {
  readonly size: number
  get(key: Key): T | undefined
  list(): readonly T[]
  /** Returns the objects that have an owner reference to this uid. */
  byOwner(uid: string): readonly T[]
  /** Returns the objects whose label has this value; the label must be indexed. */
  byLabel(label: string, value: string): readonly T[]
  /** Returns the objects for which the named index function returns this value. */
  byIndex(name: string, value: string): readonly T[]
  select(selection: ObjectSelection): readonly T[]
}

export type StoreChange<T extends LiveObject = LiveObject> =
  | { readonly kind: 'added'; readonly object: T }
  | { readonly kind: 'updated'; readonly object: T; readonly previous: T }
  /** The last known state. */
  | { readonly kind: 'deleted'; readonly object: T }

interface Index<T extends LiveObject> {
  readonly name: string
  readonly declared: IndexFunction<T>
  readonly entries: Map<string, Map<Key, T>>
}

/**
 * Limit of the label indexes: controllers choose the labels, and few. Further selections use another label, or the
 * namespace.
 */
const mostLabelIndexes = 16

/** Write access; it has one owner. Writes return their changes. */
export class Store<T extends LiveObject = LiveObject> implements ReadonlyStore<T> {
  #objects = new Map<Key, T>()
  #owners: Index<T> = indexOf('owner', ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid))
  #labels = new Map<string, Index<T>>()
  #fields = new Map<string, Index<T>>()
  /** Created on first use. */
  #namespaces: Index<T> | undefined
  readonly #onIndexError: OnIndexError

  constructor(indexes: Indexes<T> = {}, onIndexError: OnIndexError = () => {}) {
    this.#onIndexError = onIndexError
    this.addIndexes(indexes)
  }

  get size(): number {
    return this.#objects.size
  }

  /** Adds missing indexes; linear in objects. The name of a field index stands for one function only. */
  addIndexes({ labels = [], fields = {} }: Indexes<T>): void {
    for (const label of labels) {
      if (this.#labels.has(label)) continue
      this.#labels.set(label, this.#filled(indexOf(label, (object) => valueOrNone(object.metadata.labels?.[label]))))
    }
    for (const [name, declared] of Object.entries(fields)) {
      const existing = this.#fields.get(name)
      assert(
        existing === undefined || existing.declared === declared,
        `one function per index name, but two for ${name}`,
      )
      if (existing === undefined) this.#fields.set(name, this.#filled(indexOf(name, declared)))
    }
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key)
  }

  list(): readonly T[] {
    return [...this.#objects.values()]
  }

  byOwner(uid: string): readonly T[] {
    return found(this.#owners, uid)
  }

  byLabel(label: string, value: string): readonly T[] {
    const index = this.#labels.get(label)
    assert(index !== undefined, `only indexed labels are looked up, and ${label} is not: name it in indexes.labels`)
    return found(index, value)
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#fields.get(name)
    assert(index !== undefined, `only declared indexes are looked up, and ${name} is not: name it in indexes.fields`)
    return found(index, value)
  }

  /**
   * Uses an index on the namespace or on one of the labels, created on first use: costs the size of the smallest index
   * entry.
   */
  select({ namespace, labels = {} }: ObjectSelection): readonly T[] {
    this.#indexFor({ namespace, labels })
    const wanted = Object.entries(labels)
    const answers = wanted.flatMap(([label, value]) => this.#labels.get(label)?.entries.get(value) ?? [])
    const home = namespace === undefined ? undefined : this.#namespaces?.entries.get(namespace)
    const isIndexed = ([label]: readonly [string, string]) => this.#labels.has(label)
    if (namespace !== undefined && home === undefined) return []
    if (answers.length < wanted.filter(isIndexed).length) return []
    const candidates = [...answers, ...(home === undefined ? [] : [home])]
    const fewest = candidates.toSorted((left, right) => left.size - right.size)[0] ?? this.#objects
    return [...fewest.values()].filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        wanted.every(([label, value]) => metadata.labels?.[label] === value),
    )
  }

  #indexFor({ namespace, labels = {} }: ObjectSelection): void {
    if (namespace !== undefined) this.#namespaces ??= this.#filled(namespaceIndex())
    if (this.#labels.size < mostLabelIndexes)
      this.addIndexes({ labels: Object.keys(labels).slice(0, mostLabelIndexes) })
  }

  /** An object with the same name and another uid was deleted and created again. The same version is no change. */
  put(object: T): readonly StoreChange<T>[] {
    const key = keyOf(object)
    const previous = this.#objects.get(key)
    const changes = changesOf(previous, object)
    if (changes.length > 0) this.#set(key, object, previous)
    return changes
  }

  /** Removes the object with this uid only; `object` is its last state. */
  remove(object: T): readonly StoreChange<T>[] {
    const key = keyOf(object)
    const previous = this.#objects.get(key)
    if (previous?.metadata.uid !== object.metadata.uid) return []
    this.#drop(key, previous)
    return [{ kind: 'deleted', object }]
  }

  /** Returns an empty store with the same indexes, in which the next content is built while reads continue. */
  emptied(): Store<T> {
    const empty = new Store<T>({}, this.#onIndexError)
    for (const { name, declared } of this.#labels.values()) empty.#labels.set(name, indexOf(name, declared))
    for (const { name, declared } of this.#fields.values()) empty.#fields.set(name, indexOf(name, declared))
    if (this.#namespaces !== undefined) empty.#namespaces = namespaceIndex()
    return empty
  }

  /**
   * Returns the changes from the content to `next`, deletions first. Yields a list for each object of either store,
   * empty for an unchanged one, so that it can be read in slices. Neither store may change meanwhile.
   */
  *changesTo(next: Store<T>): Generator<readonly StoreChange<T>[], void> {
    for (const [key, object] of this.#objects) yield next.#objects.has(key) ? [] : [{ kind: 'deleted', object }]
    for (const [key, object] of next.#objects) yield changesOf(this.#objects.get(key), object)
  }

  /** Takes over content and indexes of `next`, which must not be used any more. Constant time. */
  become(next: Store<T>): void {
    this.#objects = next.#objects
    this.#owners = next.#owners
    this.#labels = next.#labels
    this.#fields = next.#fields
    this.#namespaces = next.#namespaces
  }

  #filled(index: Index<T>): Index<T> {
    for (const [key, object] of this.#objects) this.#enter(index, key, object)
    return index
  }

  #set(key: Key, object: T, previous: T | undefined): void {
    for (const index of this.#indexes()) {
      if (previous !== undefined) this.#leave(index, key, previous)
      this.#enter(index, key, object)
    }
    this.#objects.set(key, object)
  }

  #drop(key: Key, object: T): void {
    for (const index of this.#indexes()) this.#leave(index, key, object)
    this.#objects.delete(key)
  }

  *#indexes(): Iterable<Index<T>> {
    yield this.#owners
    yield* this.#labels.values()
    yield* this.#fields.values()
    if (this.#namespaces !== undefined) yield this.#namespaces
  }

  #enter(index: Index<T>, key: Key, object: T): void {
    for (const value of this.#valuesOf(index, object)) {
      const entry = index.entries.get(value)
      if (entry === undefined) index.entries.set(value, new Map([[key, object]]))
      else entry.set(key, object)
    }
  }

  #leave(index: Index<T>, key: Key, object: T): void {
    for (const value of this.#valuesOf(index, object)) {
      const entry = index.entries.get(value)
      entry?.delete(key)
      if (entry?.size === 0) index.entries.delete(value)
    }
  }

  /** One malformed object must not stop the watch. */
  #valuesOf(index: Index<T>, object: T): readonly string[] {
    try {
      const values: unknown = index.declared(object)
      if (!Array.isArray(values)) throw new TypeError('it returned no list of strings')
      return values
    } catch (thrown) {
      this.#onIndexError(index.name, object, thrown)
      return []
    }
  }
}

function indexOf<T extends LiveObject>(name: string, declared: IndexFunction<T>): Index<T> {
  return { name, declared, entries: new Map() }
}

function found<T extends LiveObject>(index: Index<T>, value: string): readonly T[] {
  return [...(index.entries.get(value)?.values() ?? [])]
}

function namespaceIndex<T extends LiveObject>(): Index<T> {
  return indexOf('namespace', ({ metadata }) => valueOrNone(metadata.namespace))
}

function changesOf<T extends LiveObject>(previous: T | undefined, object: T): readonly StoreChange<T>[] {
  if (previous === undefined) return [{ kind: 'added', object }]
  if (isSameVersion(previous, object)) return []
  if (previous.metadata.uid === object.metadata.uid) return [{ kind: 'updated', object, previous }]
  return [
    { kind: 'deleted', object: previous },
    { kind: 'added', object },
  ]
}

/** True for equal uid and version: both are one state of the object. */
export function isSameVersion(left: LiveObject, right: LiveObject): boolean {
  return left.metadata.uid === right.metadata.uid && left.metadata.resourceVersion === right.metadata.resourceVersion
}

function valueOrNone(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}
