// Which objects are there, and which belong to an owner, carry a label value, or have a value of a field? One map by key
// and one map per index, always in step: an object is in an index exactly under the values it has now.
import { assert } from '../base/assert.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'

/** The objects of one namespace with these labels; of all namespaces without one. */
export interface ObjectSelection {
  readonly namespace?: string | undefined
  readonly labels?: Readonly<Record<string, string>>
}

/** The values under which an object is found; pure. An object for which it throws or returns no list is found under none. */
export type IndexFunction<T extends LiveObject> = (object: T) => readonly string[]

/** Told of an index function that threw, or returned no list. */
export type OnIndexError = (name: string, object: LiveObject, thrown: unknown) => void

/** What a store is asked for besides keys and owners. */
export interface Indexes<T extends LiveObject = LiveObject> {
  /** Label keys whose values are looked up. */
  readonly labels?: readonly string[]
  /** Named functions of the object. */
  readonly fields?: Readonly<Record<string, IndexFunction<T>>>
}

/** The reading side. Every look-up costs the size of its answer; answers are the caller's own lists. */
export interface ReadonlyStore<T extends LiveObject = LiveObject> {
  readonly size: number
  get(key: Key): T | undefined
  list(): readonly T[]
  /** The objects that have an owner reference to this uid. */
  byOwner(uid: string): readonly T[]
  /** The objects whose label has this value; the label must be indexed. */
  byLabel(label: string, value: string): readonly T[]
  /** The objects that the named index function gives this value. */
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

/** Labels are chosen by controllers, and few. What is asked for beyond them is found by another label, or by its namespace. */
const mostLabelIndexes = 16

/** The writing side; it has one owner. Writes answer with what they changed. */
export class Store<T extends LiveObject = LiveObject> implements ReadonlyStore<T> {
  #objects = new Map<Key, T>()
  #owners: Index<T> = indexOf('owner', ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid))
  #labels = new Map<string, Index<T>>()
  #fields = new Map<string, Index<T>>()
  /** Made when it is first asked for. */
  #namespaces: Index<T> | undefined
  readonly #onIndexError: OnIndexError

  constructor(indexes: Indexes<T> = {}, onIndexError: OnIndexError = () => {}) {
    this.#onIndexError = onIndexError
    this.addIndexes(indexes)
  }

  get size(): number {
    return this.#objects.size
  }

  /** Adds what is not indexed yet; linear in objects. A field index keeps its name for one function only. */
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
   * From an index on the namespace or on one of the labels, which is made on first use: costs the size of its answer for the rarest of them.
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

  /** A namesake with another uid was deleted and created anew; the same version again is no change. */
  put(object: T): readonly StoreChange<T>[] {
    const key = keyOf(object)
    const previous = this.#objects.get(key)
    const changes = changesOf(previous, object)
    if (changes.length > 0) this.#set(key, object, previous)
    return changes
  }

  /** Removes this very object, and not a namesake; `object` is its last state. */
  remove(object: T): readonly StoreChange<T>[] {
    const key = keyOf(object)
    const previous = this.#objects.get(key)
    if (previous?.metadata.uid !== object.metadata.uid) return []
    this.#drop(key, previous)
    return [{ kind: 'deleted', object }]
  }

  /** An empty store with the same indexes: the next content is put together in it, aside from readers. */
  emptied(): Store<T> {
    const empty = new Store<T>({}, this.#onIndexError)
    for (const { name, declared } of this.#labels.values()) empty.#labels.set(name, indexOf(name, declared))
    for (const { name, declared } of this.#fields.values()) empty.#fields.set(name, indexOf(name, declared))
    if (this.#namespaces !== undefined) empty.#namespaces = namespaceIndex()
    return empty
  }

  /**
   * What changes when `next` becomes the content, the deletions first. Yields a list for each object of either, which is empty for one that
   * stays, so that it can be read in slices while neither store changes.
   */
  *changesTo(next: Store<T>): Generator<readonly StoreChange<T>[], void> {
    for (const [key, object] of this.#objects) yield next.#objects.has(key) ? [] : [{ kind: 'deleted', object }]
    for (const [key, object] of next.#objects) yield changesOf(this.#objects.get(key), object)
  }

  /** Takes over content and indexes of `next`, which is not used any more. Constant time. */
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

  /** One odd object must not stop the watch that brought it. */
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

/** Equal versions of one object are one state of it. */
export function isSameVersion(left: LiveObject, right: LiveObject): boolean {
  return left.metadata.uid === right.metadata.uid && left.metadata.resourceVersion === right.metadata.resourceVersion
}

function valueOrNone(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}
