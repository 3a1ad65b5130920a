// View of one holder on its informers: one store, even if there is an informer per namespace, and the holder's own
// handlers, which `release` removes.
import { assert } from '../base/assert.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, parseKey } from '../object/ref.ts'
import type { InformerHandler } from './change-handler.ts'
import type { Deleted, Witness } from './freshness.ts'
import type { Informer, InformerHealth } from './informer.ts'
import type { ObjectSelection, ReadonlyStore } from './store.ts'

export interface InformerViewOptions<T extends LiveObject> {
  /** By namespace; undefined for the only informer that watches all namespaces. */
  readonly parts: ReadonlyMap<string | undefined, Informer<T>>
  readonly onRelease: () => Promise<void>
}

/** Reads like a single informer. It neither records nor waits for objects outside its namespaces. */
export class InformerView<T extends LiveObject = LiveObject> implements ReadonlyStore<T>, Witness {
  readonly #parts: ReadonlyMap<string | undefined, Informer<T>>
  readonly #informers: readonly Informer<T>[]
  readonly #onRelease: () => Promise<void>
  readonly #removals = new Set<() => void>()
  #isReleased = false

  constructor({ parts, onRelease }: InformerViewOptions<T>) {
    this.#parts = parts
    this.#informers = [...parts.values()]
    this.#onRelease = onRelease
  }

  /** Removes this holder's handlers; the informers stop after their last holder. */
  async release(): Promise<void> {
    assert(!this.#isReleased, 'an informer is released once by each holder')
    this.#isReleased = true
    for (const remove of this.#removals) remove()
    this.#removals.clear()
    await this.#onRelease()
  }

  /** See Informer.addHandler. */
  addHandler(handler: InformerHandler<T>): () => void {
    const removals = this.#informers.map((informer) => informer.addHandler(handler))
    const remove = () => {
      for (const removePart of removals) removePart()
      this.#removals.delete(remove)
    }
    this.#removals.add(remove)
    return remove
  }

  get hasSynced(): boolean {
    return this.#informers.every((informer) => informer.hasSynced)
  }

  /** Rejects with the signal's reason; the signal limits the wait. */
  async waitUntilSynced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.waitUntilSynced(signal)))
  }

  /** True if the kind is served, as far as the informers know; also before the first response. */
  get isServed(): boolean {
    return this.#informers.every((informer) => informer.isServed)
  }

  /** Resolves when each informer has synced, or knows that its kind is not served. Rejects like `waitUntilSynced`. */
  async waitUntilKnown(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.waitUntilKnown(signal)))
  }

  /** See Informer.addServedHandler: called for each informer. */
  addServedHandler(handler: (isServed: boolean) => void): () => void {
    const removals = this.#informers.map((informer) => informer.addServedHandler(handler))
    const remove = () => {
      for (const removePart of removals) removePart()
      this.#removals.delete(remove)
    }
    this.#removals.add(remove)
    return remove
  }

  get health(): readonly InformerHealth[] {
    return this.#informers.map((informer) => informer.health)
  }

  /** Takes the API server's response to an own write: reads show it from now on. */
  recordWrite(object: LiveObject): void {
    this.#partFor(object.metadata.namespace)?.recordWrite(object)
  }

  hasSeen(resourceVersion: string, namespace?: string): boolean {
    return this.#partFor(namespace)?.hasSeen(resourceVersion) ?? true
  }

  hasSeenDeleteOf(deleted: Deleted): boolean {
    return this.#partFor(deleted.namespace)?.hasSeenDeleteOf(deleted) ?? true
  }

  /**
   * True if the view contains this namespace. An object outside may exist without being found. Undefined: the whole
   * cluster.
   */
  covers(namespace: string | undefined): boolean {
    return this.#parts.has(undefined) || (namespace !== undefined && this.#parts.has(namespace))
  }

  get size(): number {
    return this.#informers.reduce((sum, informer) => sum + informer.size, 0)
  }

  get(key: Key): T | undefined {
    return this.#partFor(parseKey(key).namespace)?.get(key)
  }

  list(): readonly T[] {
    return this.#informers.flatMap((informer) => informer.list())
  }

  byOwner(uid: string): readonly T[] {
    return this.#informers.flatMap((informer) => informer.byOwner(uid))
  }

  byLabel(label: string, value: string): readonly T[] {
    return this.#informers.flatMap((informer) => informer.byLabel(label, value))
  }

  byIndex(name: string, value: string): readonly T[] {
    return this.#informers.flatMap((informer) => informer.byIndex(name, value))
  }

  select(selection: ObjectSelection): readonly T[] {
    const { namespace } = selection
    const parts = namespace === undefined ? this.#informers : [this.#partFor(namespace)]
    return parts.flatMap((informer) => informer?.select(selection) ?? [])
  }

  #partFor(namespace: string | undefined): Informer<T> | undefined {
    return this.#parts.get(undefined) ?? this.#parts.get(namespace)
  }
}
