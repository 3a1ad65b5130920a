// Append-only log of committed writes with one revision for all kinds, like etcd.
// Invariants: a revision is never used twice; every read is a view at one revision; committed states are immutable.
// Cost: a view of the past takes time linear in the writes since then.
import { assert } from '../base/assert.ts'
import type { JsonObject } from '../base/json.ts'
import { parseWireJson, wireJson } from '../base/wire-json.ts'

/** Storage key prefix of one kind in all its versions: `pods`, `deployments.apps`. */
export type StorageShelf = string

/** Storage key of one object; cluster-scoped objects have the namespace ''. */
export interface Place {
  readonly shelf: StorageShelf
  readonly namespace: string
  readonly name: string
}

const texts = new WeakMap<JsonObject, string>()

/** Returns the stored text if `object` is the tree of a committed state; undefined for any other tree. */
export function committedText(object: JsonObject): string | undefined {
  return texts.get(object)
}

/** Committed state of one object. Kept as text, a third of the tree's memory; the tree is parsed on demand. */
export class Committed {
  readonly place: Place
  readonly revision: number
  /** Object in its stored version. Its resourceVersion equals this revision. */
  readonly text: string
  readonly #shelter: TreeShelter
  #object: JsonObject | undefined

  constructor(state: { place: Place; revision: number; object: JsonObject; shelter: TreeShelter }) {
    this.place = state.place
    this.revision = state.revision
    this.text = wireJson(state.object)
    this.#shelter = state.shelter
    this.#keep(state.object)
  }

  get object(): JsonObject {
    return this.#object ?? this.#keep(parseStored(this.text))
  }

  forgetTree(): void {
    this.#object = undefined
  }

  #keep(object: JsonObject): JsonObject {
    this.#object = object
    texts.set(object, this.text)
    this.#shelter.add(this)
    return object
  }
}

export type LogEntry =
  | {
      readonly kind: 'created'
      readonly revision: number
      readonly place: Place
      readonly now: Committed
      readonly before: undefined
    }
  | {
      readonly kind: 'changed'
      readonly revision: number
      readonly place: Place
      readonly now: Committed
      readonly before: Committed
    }
  /** `now` is the last state, with the resourceVersion of the deletion. */
  | {
      readonly kind: 'deleted'
      readonly revision: number
      readonly place: Place
      readonly now: Committed
      readonly before: Committed
    }

/** Read access at one revision. */
export interface View {
  readonly revision: number
  get(place: Place): Committed | undefined
  /** Returns the objects in the order of etcd's keys: by the bytes of namespace, then name. */
  list(shelf: StorageShelf, namespace?: string): readonly Committed[]
}

export interface ObjectLogOptions {
  /** Number of entries kept for watches and old lists; new entries compact older ones. Default: 100,000. */
  readonly historyLength?: number
  /** Number of characters that the entries may have together, to bound memory. Default: 256 Mi. */
  readonly historyCharacters?: number
  /** Number of objects kept as parsed trees. Default: 512. */
  readonly treesKept?: number
}

export class ObjectLog implements View {
  readonly #historyLength: number
  readonly #historyCharacters: number
  readonly #shelter: TreeShelter
  readonly #shelves = new Map<StorageShelf, Map<string, Committed>>()
  readonly #sorted = new Map<StorageShelf, readonly Committed[]>()
  readonly #listeners = new Set<(entry: LogEntry) => void>()
  #record: (entry: LogEntry) => void = () => {}
  #hearCompacted: () => void = () => {}
  #entries: LogEntry[] = []
  #revision = 1
  #compacted = 0
  #characters = 0

  constructor(options: ObjectLogOptions = {}) {
    const { historyLength = 100_000, historyCharacters = 256 * 1024 * 1024, treesKept = 512 } = options
    this.#historyLength = historyLength
    this.#historyCharacters = historyCharacters
    this.#shelter = new TreeShelter(treesKept)
  }

  /** Revision of the last write. */
  get revision(): number {
    return this.#revision
  }

  /** Oldest readable revision. */
  get compactedRevision(): number {
    return this.#compacted
  }

  get(place: Place): Committed | undefined {
    return this.#shelves.get(place.shelf)?.get(keyOf(place))
  }

  list(shelf: StorageShelf, namespace?: string): readonly Committed[] {
    const all = this.#sortedShelf(shelf)
    if (namespace === undefined) return all
    return all.slice(firstAtOrAfter(all, `${namespace}/`), firstAtOrAfter(all, `${namespace}0`)) // '0' follows '/'.
  }

  shelves(): readonly StorageShelf[] {
    return [...this.#shelves.keys()]
  }

  /** Returns the state at an earlier revision; undefined for a compacted or future revision. */
  at(revision: number): View | undefined {
    if (revision === this.#revision) return this
    if (revision > this.#revision || revision < this.#compacted) return undefined
    return new PastView(this, revision, this.entriesAfter(revision))
  }

  /** Returns the entries after a revision, oldest first. */
  entriesAfter(revision: number): readonly LogEntry[] {
    assert(revision >= this.#compacted, 'only what has not been compacted is asked for')
    return this.#entries.slice(firstAfter(this.#entries, revision))
  }

  /**
   * Commits a write. `build` receives the resourceVersion of the new state. `deleted` commits the deletion.
   * All listeners have run when this returns.
   */
  commit(place: Place, kind: LogEntry['kind'], build: (resourceVersion: string) => JsonObject): Committed {
    const before = this.get(place)
    assert(
      (before === undefined) === (kind === 'created'),
      'only what is absent is created, only what is there is changed',
    )
    const revision = this.#revision + 1
    const now = new Committed({ place, revision, object: build(String(revision)), shelter: this.#shelter })
    const entry = { kind, revision, place, now, before } as LogEntry // Sound: `before` fits the kind, by the assertion.
    this.#record(entry)
    this.#accept(entry)
    return now
  }

  /** Restores an entry of a persisted log. */
  replay(kind: LogEntry['kind'], place: Place, revision: number, object: JsonObject): void {
    assert(revision > this.#revision, 'revisions only go up')
    const now = new Committed({ place, revision, object, shelter: this.#shelter })
    this.#accept({ kind, revision, place, now, before: this.get(place) } as LogEntry) // Sound: as above.
  }

  /** Skips revisions, like writes of a real cluster that no client sees. */
  skipTo(revision: number): void {
    this.#revision = Math.max(this.#revision, revision)
  }

  /** Drops the history before `revision`. */
  compact(revision: number): void {
    const until = Math.min(revision, this.#revision)
    if (until <= this.#compacted) return
    this.#compacted = until
    const kept = firstAfter(this.#entries, until)
    for (let index = 0; index < kept; index++) this.#characters -= this.#entries[index]?.now.text.length ?? 0
    this.#entries = this.#entries.slice(kept)
    this.#hearCompacted()
  }

  /**
   * Registers the recorder. `record` runs before each commit; an exception prevents the commit.
   * `compacted` runs after each compaction.
   */
  recordWith(record: (entry: LogEntry) => void, compacted: () => void): void {
    this.#record = record
    this.#hearCompacted = compacted
  }

  /** Calls `hear` at each commit, in order. Returns the function that unsubscribes. */
  listen(hear: (entry: LogEntry) => void): () => void {
    this.#listeners.add(hear)
    return () => this.#listeners.delete(hear)
  }

  #accept(entry: LogEntry): void {
    const { shelf } = entry.place
    const objects = this.#shelves.get(shelf) ?? new Map<string, Committed>()
    this.#shelves.set(shelf, objects)
    if (entry.kind === 'deleted') objects.delete(keyOf(entry.place))
    else objects.set(keyOf(entry.place), entry.now)
    this.#sorted.delete(shelf)
    this.#revision = entry.revision
    this.#entries.push(entry)
    this.#characters += entry.now.text.length
    this.#forget()
    for (const hear of [...this.#listeners]) hear(entry)
  }

  /** Drops old entries a tenth at a time, so that the amortized cost per write is constant. */
  #forget(): void {
    if (this.#entries.length > this.#historyLength * 1.1)
      this.compact(this.#entries[this.#entries.length - this.#historyLength]?.revision ?? this.#revision)
    if (this.#characters <= this.#historyCharacters * 1.1) return
    let left = this.#characters
    let oldest = 0
    while (left > this.#historyCharacters) left -= this.#entries[oldest++]?.now.text.length ?? left
    this.compact(this.#entries[oldest - 1]?.revision ?? this.#revision)
  }

  #sortedShelf(shelf: StorageShelf): readonly Committed[] {
    const known = this.#sorted.get(shelf)
    if (known !== undefined) return known
    const sorted = [...(this.#shelves.get(shelf)?.values() ?? [])].sort((left, right) =>
      compareKeys(keyOf(left.place), keyOf(right.place)),
    )
    this.#sorted.set(shelf, sorted)
    return sorted
  }
}

/** View of an earlier revision: the log with the later changes reverted. */
class PastView implements View {
  readonly revision: number
  readonly #log: ObjectLog
  /** State of each location before its first later change, by shelf and key. */
  readonly #restored = new Map<StorageShelf, Map<string, { place: Place; state: Committed | undefined }>>()

  constructor(log: ObjectLog, revision: number, since: readonly LogEntry[]) {
    this.#log = log
    this.revision = revision
    for (const { place, before } of since) {
      const shelf = this.#restored.get(place.shelf) ?? new Map<string, { place: Place; state: Committed | undefined }>()
      this.#restored.set(place.shelf, shelf)
      if (!shelf.has(keyOf(place))) shelf.set(keyOf(place), { place, state: before })
    }
  }

  get(place: Place): Committed | undefined {
    const restored = this.#restored.get(place.shelf)?.get(keyOf(place))
    return restored === undefined ? this.#log.get(place) : restored.state
  }

  list(shelf: StorageShelf, namespace?: string): readonly Committed[] {
    const restored = this.#restored.get(shelf)
    const today = this.#log.list(shelf, namespace)
    if (restored === undefined) return today
    const back = [...restored.values()].flatMap(({ state }) =>
      state !== undefined && (namespace === undefined || state.place.namespace === namespace) ? [state] : [],
    )
    return [...today.filter(({ place }) => !restored.has(keyOf(place))), ...back].sort((left, right) =>
      compareKeys(keyOf(left.place), keyOf(right.place)),
    )
  }
}

/** Bounded set of parsed trees; the oldest is dropped first. Parsing again is cheap, keeping all trees is not. */
class TreeShelter {
  readonly #limit: number
  readonly #kept: Committed[] = []
  #oldest = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(state: Committed): void {
    if (this.#kept.length < this.#limit) {
      this.#kept.push(state)
      return
    }
    this.#kept[this.#oldest]?.forgetTree()
    this.#kept[this.#oldest] = state
    this.#oldest = (this.#oldest + 1) % this.#limit
  }
}

/** Returns the part of an etcd key that is unique within a shelf. */
export function keyOf({ namespace, name }: Pick<Place, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/** Compares by UTF-16 units, which equals byte order for the names that Kubernetes allows. */
function compareKeys(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function firstAtOrAfter(sorted: readonly Committed[], key: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    const state = sorted[middle]
    if (state !== undefined && keyOf(state.place) < key) low = middle + 1
    else high = middle
  }
  return low
}

function firstAfter(entries: readonly LogEntry[], revision: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.revision ?? 0) <= revision) low = middle + 1
    else high = middle
  }
  return low
}

/** Parses a stored text. It is well-formed JSON; only integers beyond 2^53 need the exact parser. */
function parseStored(text: string): JsonObject {
  return (/\d{16}/.test(text) ? parseWireJson(text).value : JSON.parse(text)) as JsonObject // Committed wrote it.
}
