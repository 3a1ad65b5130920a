// State of one selection of one resource, with change handlers: a store that a watch updates, and own writes as an
// overlay. Invariant: a handler gets every change once, in order, after the store has it.
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { Slices } from '../base/slices.ts'
import type { KubeClient, Selection } from '../kube/client.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyFor, keyOf } from '../object/ref.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { type CacheMetrics, cacheMetrics } from './cache-metrics.ts'
import { ChangeHandler, type InformerEvent, type InformerHandler } from './change-handler.ts'
import type { Deleted, Witness } from './freshness.ts'
import { type Reduction, reduced } from './reduction.ts'
import { compareVersions } from './resource-version.ts'
import { isAssertionWithout } from './secret-errors.ts'
import { selectionText } from './selection-text.ts'
import {
  type Indexes,
  isSameVersion,
  type ObjectSelection,
  type ReadonlyStore,
  Store,
  type StoreChange,
} from './store.ts'
import type { DataFrame } from './watch-state.ts'
import type { WatchTally } from './watch-tally.ts'
import { Watcher, type WatchHealth } from './watcher.ts'
import { ghostsAmong, WriteOverlay } from './write-overlay.ts'

export interface InformerHealth extends WatchHealth {
  /** `statefulsets.apps` */
  readonly resource: string
  /** `namespace=default,labels=(app=store)`; empty for everything. */
  readonly selection: string
}

export interface InformerOptions<T extends LiveObject = LiveObject> extends Reduction<T> {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
  readonly resource: Resource
  readonly selection: Selection
  /** As in InformersOptions. */
  readonly cluster?: string | undefined
  readonly tally?: WatchTally | undefined
  /** Shares the event loop with the other informers of the process. Default: none to share with. */
  readonly slices?: Slices | undefined
  readonly indexes?: Indexes<T> | undefined
  /**
   * Objects that it rejects are not kept. After a change, `refill` loads accepted objects, `prune` drops rejected ones.
   */
  readonly keeps?: ((object: LiveObject) => boolean) | undefined
}

/** Reads show own writes at once, and other changes as the watch delivers them. */
export class Informer<T extends LiveObject = LiveObject> implements ReadonlyStore<T>, Witness {
  readonly #options: InformerOptions<T>
  readonly #series: { readonly resource: string; readonly selection: string }
  readonly #metrics: CacheMetrics
  readonly #slices: Slices
  readonly #store: Store<T>
  /** The next, partial snapshot. Reads do not see it. */
  #next: Store<T> | undefined
  readonly #view: WriteOverlay<T>
  #watcher: Watcher
  readonly #handlers: ChangeHandler<T>
  readonly #waiters = new Set<() => void>()
  readonly #servedHandlers = new Set<(isServed: boolean) => void>()
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #life: AbortSignal | undefined
  /** Ends the current watch. */
  #turnOver = new AbortController()
  /** Resolves with the next snapshot, while `refill` waits for one. */
  #refilling: PromiseWithResolvers<void> | undefined
  #resourceVersion: string | undefined
  #hasSynced = false
  /** True from the comparison with a snapshot until its handlers have all changes. */
  #isReplacing = false
  #isPruneDue = false
  #isServed = true

  constructor(options: InformerOptions<T>) {
    const { resource, selection, cluster, instruments } = options
    this.#options = options
    this.#slices = options.slices ?? new Slices(options.clock)
    this.#handlers = new ChangeHandler({ slices: this.#slices, onThrow: (...thrown) => this.#report(...thrown) })
    this.#series = { resource: groupResourceOf(resource), selection: selectionText(selection, cluster) }
    this.#metrics = cacheMetrics(instruments.metrics, this.#series)
    this.#store = new Store<T>(options.indexes, (index, object, thrown) => {
      this.#report(`index function ${index}`, object, thrown)
    })
    this.#view = new WriteOverlay<T>(this.#store, options.indexes)
    this.#watcher = this.#makeWatcher()
  }

  /** Starts the watch; ends with `signal` or `stop`. A bug in the watch ends the process as an unhandled rejection. */
  start(signal: AbortSignal): void {
    assert(this.#running === undefined, 'an informer starts once')
    this.#life = AbortSignal.any([signal, this.#stopped.signal])
    this.#running = this.#watcher.run(AbortSignal.any([this.#life, this.#turnOver.signal]))
  }

  /**
   * Reads all objects again, because `keeps` may accept more. Current objects stay until the snapshot arrives. Resolves
   * after the snapshot and its handlers, or when the kind is not served; stays pending if the informer ends.
   */
  refill(): Promise<void> {
    assert(this.#running !== undefined && this.#life !== undefined, 'an informer that was started is refilled')
    this.#turnOver.abort(new Error('the informer reads all objects again'))
    this.#turnOver = new AbortController()
    this.#refilling ??= Promise.withResolvers()
    const watcher = this.#makeWatcher()
    this.#watcher = watcher
    const life = AbortSignal.any([this.#life, this.#turnOver.signal])
    this.#running = this.#running.then(() => {
      this.#next = undefined
      return watcher.run(life)
    })
    return this.#refilling.promise
  }

  /** Drops the objects that `keeps` rejects now; handlers get them as deleted. */
  prune(): void {
    const { keeps } = this.#options
    if (keeps === undefined) return
    // The changes of a snapshot are reported first.
    this.#isPruneDue = this.#isReplacing
    if (this.#isReplacing) return
    for (const object of this.#next?.list() ?? []) if (!keeps(object)) this.#next?.remove(object)
    const stored = this.#store.list().filter((object) => !keeps(object))
    const written = this.#view.drop((object) => !keeps(object))
    const known = new Set(stored.map(({ metadata: { uid } }) => uid))
    const unseen = written.filter(({ metadata: { uid } }) => !known.has(uid))
    const changes = stored.flatMap((object) => this.#store.remove(object))
    if (this.#resourceVersion !== undefined) this.#metrics.content(this.#store.size, this.#resourceVersion)
    const gone = [...changes, ...unseen.map((object) => ({ kind: 'deleted', object }) as const)]
    this.#handlers.tell(this.#eventsOf(gone, false))
  }

  /** Resolves when the watch has ended. The content stays readable, and becomes stale. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the informer was stopped'))
    await this.#running
    this.#metrics.close()
  }

  /** True after the first snapshot and its handlers. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /**
   * False after the API server reported that it does not serve the kind, until the next snapshot. The store is empty.
   */
  get isServed(): boolean {
    return this.#isServed
  }

  /** Resolves after the first snapshot and its handlers. The signal limits the wait: rejects with its reason. */
  waitUntilSynced(signal: AbortSignal): Promise<void> {
    return this.#waitUntil(() => this.hasSynced, signal)
  }

  /** Resolves like `waitUntilSynced`, or once the API server reported that it does not serve the kind. */
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
    const health = this.#watcher.health
    // While it reads all objects again, the current ones are as good as before.
    const isRefilling = this.#refilling !== undefined && this.hasSynced && health.state === 'starting'
    return { ...this.#series, ...health, ...(isRefilling ? { state: 'synced' } : {}) }
  }

  /** The newest version seen; undefined before the first snapshot. */
  get lastResourceVersion(): string | undefined {
    return this.#resourceVersion
  }

  /** Adds a handler, which gets every object as initial, then every change. Returns a function that removes it. */
  addHandler(handler: InformerHandler<T>): () => void {
    return this.#handlers.add(handler, this.#store.list())
  }

  /** Calls back when `isServed` changes, after the handlers of the objects. Returns a function that removes it. */
  addServedHandler(handler: (isServed: boolean) => void): () => void {
    const added = (isServed: boolean) => handler(isServed)
    this.#servedHandlers.add(added)
    return () => void this.#servedHandlers.delete(added)
  }

  /** Adds indexes, also over current objects. An index name stands for one function. */
  addIndexes(indexes: Indexes<T>): void {
    this.#store.addIndexes(indexes)
    this.#next?.addIndexes(indexes)
    this.#view.addIndexes(indexes)
  }

  /** Takes the API server's response to an own write: reads show it from now on. */
  recordWrite(object: LiveObject): void {
    if (this.#options.keeps?.(object) === false) return
    this.#view.put(this.#keep(object), this.#resourceVersion)
  }

  /** True for a kind that is not served: no write becomes visible any more. */
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

  /** Reduces each object and reuses unchanged ones, so a snapshot of known objects costs only its indexes. */
  #collect(object: LiveObject): void {
    this.#next ??= this.#store.emptied()
    const known = this.#store.get(keyOf(object))
    this.#next.put(known !== undefined && isSameVersion(known, object) ? known : this.#keep(object))
  }

  /** Reads switch to the whole snapshot at once; handlers then get its changes. */
  async #replace(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const isInitial = !this.#hasSynced
    this.#isReplacing = true
    const changes = await this.#becomeNext(signal)
    if (changes === undefined) return
    await this.#handlers.tellInSlices(this.#eventsOf(this.#advance(changes, resourceVersion), isInitial), signal)
    if (signal.aborted) return
    this.#isReplacing = false
    if (this.#isPruneDue) this.prune()
    this.#hasSynced = true
    this.#setServed(true)
    for (const onChange of [...this.#waiters]) onChange()
  }

  /** The kind is not served: no object of it exists, and the last writes are gone. */
  async #clear(signal: AbortSignal): Promise<void> {
    this.#next = undefined
    const stored = await this.#becomeNext(signal)
    if (stored === undefined) return
    const known = new Set(stored.map(({ object }) => object.metadata.uid))
    const written = this.#view.clear().filter(({ metadata: { uid } }) => !known.has(uid))
    if (this.#resourceVersion !== undefined) this.#metrics.content(0, this.#resourceVersion)
    const gone = [...stored, ...written.map((object) => ({ kind: 'deleted', object }) as const)]
    await this.#handlers.tellInSlices(this.#eventsOf(gone, false), signal)
    if (signal.aborted) return
    this.#setServed(false)
    for (const onChange of [...this.#waiters]) onChange()
  }

  #makeWatcher(): Watcher {
    const turn = this.#turnOver
    // A snapshot of the previous watch does not end a refill: it used the previous rule.
    const endRefill = () => {
      if (turn !== this.#turnOver) return
      this.#refilling?.resolve()
      this.#refilling = undefined
    }
    return new Watcher({
      ...this.#options,
      slices: this.#slices,
      seen: this.#resourceVersion,
      sink: {
        collect: (object) => this.#collect(object),
        uncollect: (object) => void this.#next?.remove(object as T), // As in `#keep`.
        discard: () => {
          this.#next = undefined
        },
        // Lives as long as the informer, not only this watch: handlers get all changes of a snapshot.
        replace: async (resourceVersion, signal) => {
          await this.#replace(resourceVersion, this.#life ?? signal)
          endRefill()
        },
        apply: (frame) => this.#apply(frame),
        reached: (resourceVersion) => this.#handlers.tell(this.#eventsOf(this.#advance([], resourceVersion), false)),
        absent: async (signal) => {
          await this.#clear(this.#life ?? signal)
          endRefill()
        },
      },
    })
  }

  /** Returns the changes; undefined if the signal aborted before. The watch delivers nothing meanwhile. */
  async #becomeNext(signal: AbortSignal): Promise<readonly StoreChange<T>[] | undefined> {
    const next = this.#next ?? this.#store.emptied()
    const changes: StoreChange<T>[] = []
    for (const found of this.#store.changesTo(next)) {
      changes.push(...found)
      if (this.#slices.isOver) await this.#slices.nextTurn(signal)
      if (signal.aborted) return undefined
    }
    this.#store.become(next)
    this.#next = undefined
    return changes
  }

  #setServed(isServed: boolean): void {
    if (this.#isServed === isServed) return
    this.#isServed = isServed
    for (const handler of [...this.#servedHandlers]) handler(isServed)
  }

  #apply({ type, object }: DataFrame): void {
    const kept = this.#keep(object)
    const changes = type === 'DELETED' ? this.#store.remove(kept) : this.#store.put(kept)
    this.#handlers.tell(this.#eventsOf(this.#advance(changes, object.metadata.resourceVersion), false))
  }

  /** Sets the store's version. Returns the changes to report, now that every read agrees with them. */
  #advance(changes: readonly StoreChange<T>[], resourceVersion: string): readonly StoreChange<T>[] {
    this.#resourceVersion = resourceVersion
    const ghosts = ghostsAmong(this.#view.reached(resourceVersion), this.#store, changes)
    this.#metrics.content(this.#store.size, resourceVersion)
    return ghosts.length === 0 ? changes : [...changes, ...ghosts]
  }

  *#eventsOf(changes: readonly StoreChange<T>[], isInitial: boolean): Iterable<InformerEvent<T>> {
    // As far as is known, the objects of a refill existed before.
    const isRefill = this.#refilling !== undefined
    for (const change of changes) yield { ...change, isInitial: isInitial || (isRefill && change.kind === 'added') }
  }

  #keep(object: LiveObject): T {
    return reduced(object, this.#options, (thrown) => this.#report('transform', object, thrown))
  }

  #report(who: string, object: LiveObject, thrown: unknown, previous?: LiveObject): void {
    const { namespace, name } = object.metadata
    this.#metrics.handlerError()
    // Messages of parsers often quote their input.
    const isTold = this.#options.resource.kind !== 'Secret' || isAssertionWithout(thrown, [object, previous])
    const error = isTold ? messageOf(thrown) : 'withheld: it may quote the Secret'
    this.#options.instruments.log.error(
      { ...this.#series, namespace, name, error },
      `${who} of an informer threw; correct it: the object was passed over`,
    )
  }
}
