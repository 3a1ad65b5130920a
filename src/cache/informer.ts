// What is the state of one selection of one resource, and who wants to know when it changes? A store kept by a watch, our own
// writes laid over it, and handlers, which hear of every change once, in order, after the store has it.
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { KubeClient, Selection } from '../kube/client.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyFor, keyOf } from '../object/ref.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { type CacheMetrics, cacheMetrics } from './cache-metrics.ts'
import type { FieldSetPool } from './field-set-pool.ts'
import type { Deleted, Witness } from './freshness.ts'
import { compareVersions } from './resource-version.ts'
import { selectionText } from './selection-text.ts'
import { type Indexes, type ObjectSelection, type ReadonlyStore, Store, type StoreChange } from './store.ts'
import { type TrimOptions, trim } from './trim.ts'
import type { DataFrame } from './watch-state.ts'
import type { WatchTally } from './watch-tally.ts'
import { Watcher, type WatchHealth } from './watcher.ts'
import { WriteOverlay } from './write-overlay.ts'

/** A change of the store. `isInitial` marks what was there before this process first looked. */
export type InformerEvent<T extends LiveObject = LiveObject> = StoreChange<T> & { readonly isInitial: boolean }

/** Called synchronously; a throw is logged and counted, and disturbs nobody else. */
export type InformerHandler<T extends LiveObject = LiveObject> = (event: InformerEvent<T>) => void

/** Reduces an object before it is kept, e.g. strips the data of Secrets. Pure; must leave name, uid and version alone. */
export type Transform<T extends LiveObject = LiveObject> = (object: T) => T

export interface InformerHealth extends WatchHealth {
  /** `statefulsets.apps` */
  readonly resource: string
  /** `namespace=default,labels=(app=store)`; empty for everything. */
  readonly selection: string
}

export interface InformerOptions<T extends LiveObject = LiveObject> {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
  readonly resource: Resource
  readonly selection: Selection
  readonly keepsFieldsOf: TrimOptions['keepsFieldsOf']
  readonly fieldSets: FieldSetPool
  readonly tally?: WatchTally | undefined
  readonly indexes?: Indexes<T> | undefined
  readonly transform?: Transform<T> | undefined
}

/** Reads show our own writes at once and everything else as the watch brings it. */
export class Informer<T extends LiveObject = LiveObject> implements ReadonlyStore<T>, Witness {
  readonly #options: InformerOptions<T>
  readonly #series: { readonly resource: string; readonly selection: string }
  readonly #metrics: CacheMetrics
  readonly #store: Store<T>
  readonly #view: WriteOverlay<T>
  readonly #watcher: Watcher
  readonly #handlers = new Set<InformerHandler<T>>()
  readonly #waiters = new Set<() => void>()
  readonly #servedHandlers = new Set<(isServed: boolean) => void>()
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #resourceVersion: string | undefined
  #isServed = true

  constructor(options: InformerOptions<T>) {
    const { resource, selection, instruments } = options
    this.#options = options
    this.#series = { resource: groupResourceOf(resource), selection: selectionText(selection) }
    this.#metrics = cacheMetrics(instruments.metrics, this.#series)
    this.#store = new Store<T>(options.indexes, (index, object, thrown) => {
      this.#report(`index function ${index}`, object, thrown)
    })
    this.#view = new WriteOverlay<T>(this.#store, options.indexes)
    this.#watcher = new Watcher({
      ...options,
      sink: {
        replace: (objects, resourceVersion) => this.#replace(objects, resourceVersion),
        apply: (frame) => this.#apply(frame),
        reached: (resourceVersion) => this.#advance([], resourceVersion, false),
        absent: () => this.#clear(),
      },
    })
  }

  /** Starts to watch; ends with `signal` or with `stop`. A bug in the watch ends the process as an unhandled rejection. */
  start(signal: AbortSignal): void {
    assert(this.#running === undefined, 'an informer starts once')
    this.#running = this.#watcher.run(AbortSignal.any([signal, this.#stopped.signal]))
  }

  /** Resolves when the watch has ended. What was read stays readable, and ages. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the informer was stopped'))
    await this.#running
    this.#metrics.close()
  }

  get hasSynced(): boolean {
    return this.#resourceVersion !== undefined
  }

  /** False after the API server has said that it does not serve the kind, until the next snapshot. Meanwhile the store is empty. */
  get isServed(): boolean {
    return this.#isServed
  }

  /** Resolves after the first snapshot and its handlers; rejects with the signal's reason, which is the limit of the wait. */
  waitUntilSynced(signal: AbortSignal): Promise<void> {
    return this.#waitUntil(() => this.hasSynced, signal)
  }

  /** Resolves like `waitUntilSynced`, or once the API server has said that it does not serve the kind. */
  waitUntilKnown(signal: AbortSignal): Promise<void> {
    return this.#waitUntil(() => this.hasSynced || !this.#isServed, signal)
  }

  #waitUntil(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (holds()) return resolve()
      if (signal.aborted) return reject(signal.reason)
      const onChange = () => {
        if (!holds()) return
        this.#waiters.delete(onChange)
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = () => {
        this.#waiters.delete(onChange)
        reject(signal.reason)
      }
      this.#waiters.add(onChange)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  get health(): InformerHealth {
    return { ...this.#series, ...this.#watcher.health }
  }

  /** The newest version seen; undefined before the first snapshot. */
  get lastResourceVersion(): string | undefined {
    return this.#resourceVersion
  }

  /** Hears of every change from now on, and first of every object there is, as initial. Returns how to stop hearing. */
  addHandler(handler: InformerHandler<T>): () => void {
    // A function of its own, so that the same handler added twice is two handlers.
    const added: InformerHandler<T> = (event) => handler(event)
    this.#handlers.add(added)
    for (const object of this.#store.list()) this.#tell(added, { kind: 'added', object, isInitial: true })
    return () => void this.#handlers.delete(added)
  }

  /** Calls back whenever `isServed` changes, after the handlers of the objects that came or went. Returns how to stop it. */
  addServedHandler(handler: (isServed: boolean) => void): () => void {
    const added = (isServed: boolean) => handler(isServed)
    this.#servedHandlers.add(added)
    return () => void this.#servedHandlers.delete(added)
  }

  /** Indexes also what is there already. An index name stands for one function. */
  addIndexes(indexes: Indexes<T>): void {
    this.#store.addIndexes(indexes)
    this.#view.addIndexes(indexes)
  }

  /** The API server's answer to a write of ours: read from now on. */
  recordWrite(object: LiveObject): void {
    this.#view.put(this.#keep(object), this.#resourceVersion)
  }

  /** A kind that is not served shows no write any more. */
  hasSeen(resourceVersion: string): boolean {
    if (!this.#isServed) return true
    return this.#resourceVersion !== undefined && compareVersions(resourceVersion, this.#resourceVersion) !== 'newer'
  }

  hasSeenDeleteOf({ namespace, name, uid }: Deleted): boolean {
    if (!this.#isServed) return true
    return this.hasSynced && this.#view.hasSeenDeleteOf(keyFor(namespace, name), uid)
  }

  get size(): number {
    return this.#view.size
  }

  get(key: Key): T | undefined {
    return this.#view.get(key)
  }

  list(): readonly T[] {
    return this.#view.list()
  }

  byOwner(uid: string): readonly T[] {
    return this.#view.byOwner(uid)
  }

  byLabel(label: string, value: string): readonly T[] {
    return this.#view.byLabel(label, value)
  }

  byIndex(name: string, value: string): readonly T[] {
    return this.#view.byIndex(name, value)
  }

  select(selection: ObjectSelection): readonly T[] {
    return this.#view.select(selection)
  }

  #replace(objects: Iterable<LiveObject>, resourceVersion: string): void {
    const isInitial = !this.hasSynced
    const kept: T[] = []
    for (const object of objects) kept.push(this.#keep(object))
    this.#advance(this.#store.replace(kept), resourceVersion, isInitial)
    this.#setServed(true)
    for (const onChange of this.#waiters) onChange()
  }

  /** The kind is not served: nothing of it exists, and what was written last is gone with it. */
  #clear(): void {
    const stored = this.#store.replace([])
    const known = new Set(stored.map(({ object }) => object.metadata.uid))
    const written = this.#view.clear().filter(({ metadata: { uid } }) => !known.has(uid))
    if (this.#resourceVersion !== undefined) this.#metrics.content(0, this.#resourceVersion)
    const gone = [...stored, ...written.map((object) => ({ kind: 'deleted', object }) as const)]
    for (const change of gone)
      for (const handler of [...this.#handlers]) this.#tell(handler, { ...change, isInitial: false })
    this.#setServed(false)
    for (const onChange of this.#waiters) onChange()
  }

  #setServed(isServed: boolean): void {
    if (this.#isServed === isServed) return
    this.#isServed = isServed
    for (const handler of [...this.#servedHandlers]) handler(isServed)
  }

  #apply({ type, object }: DataFrame): void {
    const kept = this.#keep(object)
    const changes = type === 'DELETED' ? this.#store.remove(kept) : this.#store.put(kept)
    this.#advance(changes, object.metadata.resourceVersion, false)
  }

  /** The store has changed and stands at this version; handlers hear of it when every read agrees with it. */
  #advance(changes: readonly StoreChange<T>[], resourceVersion: string, isInitial: boolean): void {
    this.#resourceVersion = resourceVersion
    const ghosts = ghostsAmong(this.#view.reached(resourceVersion), this.#store, changes)
    const all = ghosts.length === 0 ? changes : [...changes, ...ghosts]
    this.#metrics.content(this.#store.size, resourceVersion)
    // A handler that is added meanwhile has been told of the whole store already.
    const handlers = [...this.#handlers]
    for (const change of all) for (const handler of handlers) this.#tell(handler, { ...change, isInitial })
  }

  #tell(handler: InformerHandler<T>, event: InformerEvent<T>): void {
    if (!this.#handlers.has(handler)) return
    try {
      handler(event)
    } catch (thrown) {
      this.#report(`handler of ${event.kind}`, event.object, thrown)
    }
  }

  #keep(object: LiveObject): T {
    // The API server answers with objects of the resource it was asked for, so they have the resource's wire types.
    const trimmed = trim(object, this.#options) as T
    const { transform } = this.#options
    if (transform === undefined) return trimmed
    try {
      const kept = transform(trimmed)
      assert(isSameObject(kept, trimmed), 'a transform leaves name, namespace, uid and resourceVersion alone')
      return kept
    } catch (thrown) {
      this.#report('transform', object, thrown)
      // What it would have removed must not be kept; that the object exists must be.
      return { apiVersion: trimmed.apiVersion, kind: trimmed.kind, metadata: trimmed.metadata } as T
    }
  }

  #report(who: string, object: LiveObject, thrown: unknown): void {
    const { namespace, name } = object.metadata
    this.#metrics.handlerError()
    // What a parser says often quotes what it could not read.
    const error = this.#options.resource.kind === 'Secret' ? 'withheld: it may quote the Secret' : messageOf(thrown)
    this.#options.instruments.log.error(
      { ...this.#series, namespace, name, error },
      `${who} of an informer threw; correct it: the object was passed over`,
    )
  }
}

/** What we wrote and the watch passed without ever showing it: gone before it was seen, or never selected. */
function ghostsAmong<T extends LiveObject>(
  left: readonly T[],
  store: ReadonlyStore<T>,
  changes: readonly StoreChange<T>[],
): readonly StoreChange<T>[] {
  const deleted = changes.filter(({ kind }) => kind === 'deleted')
  const gone = new Set(deleted.map(({ object }) => object.metadata.uid))
  return left
    .filter(({ metadata: { uid } }) => !gone.has(uid))
    .filter((object) => store.get(keyOf(object))?.metadata.uid !== object.metadata.uid)
    .map((object) => ({ kind: 'deleted', object }))
}

function isSameObject(left: LiveObject, right: LiveObject): boolean {
  return (
    keyOf(left) === keyOf(right) &&
    left.metadata.uid === right.metadata.uid &&
    left.metadata.resourceVersion === right.metadata.resourceVersion
  )
}
