// Garbage collector. It deletes dependents without a living owner. An owner in foreground deletion waits for the
// dependents that
// block it; an owner with the finalizer `orphan` releases its dependents.
// Source: k8s.io/kubernetes/pkg/controller/garbagecollector.
import { isJsonList, isJsonObject, type JsonObject, own } from '../../base/json.ts'
import { finalizersOf, isTerminating, metadataOf, metadataText, withMetadata } from '../metadata.ts'
import type { LogEntry } from '../object-log.ts'
import { type OwnerRef, ownersOf } from '../owner-references.ts'
import type { ServedResource } from '../strategy.ts'
import type { SystemClient, Target } from '../system-client.ts'
import type { ServerController } from './controller-host.ts'
import { placeKey, placeOfKey } from './place-key.ts'

const foreground = 'foregroundDeletion'
const orphan = 'orphan'
/** Delay until the collector looks up an owner of an unknown kind again. */
const unknownKindMs = 5_000
/** Never owners nor dependents: Events are many and expire by themselves. */
const ignoredShelves: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])

interface Item extends Target {
  readonly object: JsonObject
}

export interface GarbageCollectorOptions {
  readonly client: SystemClient
  /** Called once for an owner reference that is invalid because the owner is in another namespace. */
  readonly onMisplacedOwner: (dependent: JsonObject, owner: OwnerRef) => void
}

export class GarbageCollector implements ServerController {
  readonly name = 'garbage-collector-controller'
  readonly #client: SystemClient
  readonly #onMisplacedOwner: GarbageCollectorOptions['onMisplacedOwner']
  /** Keys of the objects that name an owner, by its uid. */
  readonly #dependents = new Map<string, Set<string>>()
  /** Namespaces of all possible owners, by uid. */
  readonly #namespaces = new Map<string, string>()
  /** Uids of owners in other namespaces that are not reported yet, by the keys of their dependents. */
  readonly #misplaced = new Map<string, Set<string>>()

  constructor({ client, onMisplacedOwner }: GarbageCollectorOptions) {
    this.#client = client
    this.#onMisplacedOwner = onMisplacedOwner
  }

  keysFor(entry: LogEntry): readonly string[] {
    if (ignoredShelves.has(entry.place.shelf)) return []
    const key = placeKey(entry.place)
    const object = entry.now.object
    const before = entry.before === undefined ? [] : ownersOf(entry.before.object)
    const now = entry.kind === 'deleted' ? [] : ownersOf(object)
    for (const { uid } of before) if (!now.some((owner) => owner.uid === uid)) this.#forget(uid, key)
    for (const { uid } of now) this.#note(uid, key)
    const uid = metadataText(object, 'uid')
    const misplacing = this.#notePlace(entry, uid)
    for (const owner of now) if (!before.some((one) => one.uid === owner.uid)) this.#checkPlace(key, owner.uid)
    const dependents = [...(this.#dependents.get(uid) ?? [])]
    // An owner may wait for a dependent that is being deleted or that blocks no longer.
    const waiting = before.flatMap((owner) => this.#keyOfOwner(owner, entry.place.namespace))
    if (entry.kind === 'deleted') return [...dependents, ...waiting]
    const isWaiting = isTerminating(object) && finalizersOf(object).includes(foreground)
    // Dependents first, as in the real collector's graph: they read the owner's state before it changes.
    return [
      ...(isWaiting ? dependents : []),
      ...(now.length > 0 || isTerminating(object) ? [key] : []),
      ...waiting,
      ...misplacing,
    ]
  }

  reconcile(key: string): number | undefined {
    const item = this.#item(key)
    this.#reportMisplaced(key, item)
    if (item === undefined) return undefined
    const finalizers = finalizersOf(item.object)
    if (isTerminating(item.object)) {
      if (finalizers.includes(orphan)) this.#orphanDependents(item)
      else if (finalizers.includes(foreground)) this.#awaitDependents(item)
      return undefined
    }
    return this.#collect(item)
  }

  /** Deletes or keeps an object according to the state of its owners. */
  #collect(item: Item): number | undefined {
    const owners = ownersOf(item.object)
    if (owners.length === 0) return undefined
    const states = owners.map((owner) => ({ owner, state: this.#stateOf(owner, item) }))
    const unknown = states.some(({ state }) => state === 'unknown')
    if (unknown) return unknownKindMs
    if (states.some(({ state }) => state === 'invalid')) return undefined
    const gone = states.filter(({ state }) => state !== 'solid').map(({ owner }) => owner.uid)
    if (gone.length < states.length) {
      if (gone.length > 0) this.#client.update(item, (live) => withoutOwners(live, new Set(gone)))
      return undefined
    }
    const isAwaited = states.some(({ state }) => state === 'waiting')
    const dependents = this.#dependentsOf(item)
    if (isAwaited && dependents.length > 0) {
      // Breaks the cycle of an owner and a dependent that would wait for each other indefinitely.
      if (dependents.some(isDeletingDependents)) this.#client.update(item, withoutBlocking)
      this.#delete(item, 'Foreground')
    } else this.#delete(item, policyOf(item.object))
    return undefined
  }

  #awaitDependents(item: Item): void {
    const uid = metadataText(item.object, 'uid')
    const blocking = this.#dependentsOf(item).filter(({ object }) =>
      ownersOf(object).some((owner) => owner.uid === uid && owner.blocksDeletion),
    )
    if (blocking.length === 0) this.#removeFinalizer(item, foreground)
  }

  #orphanDependents(item: Item): void {
    const uids = new Set([metadataText(item.object, 'uid')])
    for (const dependent of this.#dependentsOf(item))
      this.#client.update(dependent, (live) => withoutOwners(live, uids))
    this.#removeFinalizer(item, orphan)
  }

  #removeFinalizer(item: Item, finalizer: string): void {
    this.#client.update(item, (live) => {
      const left = finalizersOf(live).filter((name) => name !== finalizer)
      return withMetadata(live, { finalizers: left.length === 0 ? undefined : left })
    })
  }

  #delete(item: Item, propagationPolicy: 'Foreground' | 'Background' | 'Orphan'): void {
    this.#client.delete(item, { propagationPolicy, preconditions: { uid: metadataText(item.object, 'uid') } })
  }

  #stateOf(owner: OwnerRef, dependent: Item): 'solid' | 'gone' | 'waiting' | 'unknown' | 'invalid' {
    const resource = this.#client.resource(owner.apiVersion, owner.kind)
    if (resource === undefined) return 'unknown'
    if (resource.isNamespaced && !dependent.resource.isNamespaced) return 'invalid'
    const live = this.#client.get(ownerTarget(resource, owner, dependent.namespace))
    if (live === undefined || metadataText(live, 'uid') !== owner.uid) return 'gone'
    return isTerminating(live) && finalizersOf(live).includes(foreground) ? 'waiting' : 'solid'
  }

  #keyOfOwner(owner: OwnerRef, namespace: string): readonly string[] {
    const resource = this.#client.resource(owner.apiVersion, owner.kind)
    if (resource === undefined) return []
    return [placeKey({ shelf: resource.shelf, namespace: resource.isNamespaced ? namespace : '', name: owner.name })]
  }

  #dependentsOf({ object }: Item): readonly Item[] {
    const keys = [...(this.#dependents.get(metadataText(object, 'uid')) ?? [])]
    return keys.flatMap((key) => this.#item(key) ?? [])
  }

  #item(key: string): Item | undefined {
    const place = placeOfKey(key)
    const resource = this.#client.resourceAt(place)
    if (resource === undefined) return undefined
    const target = { resource, namespace: place.namespace, name: place.name }
    const object = this.#client.get(target)
    return object === undefined ? undefined : { ...target, object }
  }

  /**
   * Records the namespace of a possible owner. Returns the keys of dependents in other namespaces that named it before
   * its creation.
   */
  #notePlace({ kind, place }: LogEntry, uid: string): readonly string[] {
    if (kind === 'deleted') this.#namespaces.delete(uid)
    else this.#namespaces.set(uid, place.namespace)
    if (kind !== 'created') return []
    return [...(this.#dependents.get(uid) ?? [])].filter((key) => this.#checkPlace(key, uid))
  }

  #checkPlace(key: string, uid: string): boolean {
    const namespace = this.#namespaces.get(uid) ?? ''
    if (namespace === '' || namespace === placeOfKey(key).namespace) return false
    this.#misplaced.set(key, (this.#misplaced.get(key) ?? new Set()).add(uid))
    return true
  }

  #reportMisplaced(key: string, item: Item | undefined): void {
    const uids = this.#misplaced.get(key)
    this.#misplaced.delete(key)
    if (uids === undefined || item === undefined) return
    for (const owner of ownersOf(item.object)) if (uids.has(owner.uid)) this.#onMisplacedOwner(item.object, owner)
  }

  #note(uid: string, key: string): void {
    const keys = this.#dependents.get(uid) ?? new Set()
    this.#dependents.set(uid, keys.add(key))
  }

  #forget(uid: string, key: string): void {
    const keys = this.#dependents.get(uid)
    keys?.delete(key)
    if (keys?.size === 0) this.#dependents.delete(uid)
  }
}

function ownerTarget(resource: ServedResource, { name }: OwnerRef, namespace: string): Target {
  return { resource, namespace: resource.isNamespaced ? namespace : '', name }
}

function isDeletingDependents({ object }: Item): boolean {
  return isTerminating(object) && finalizersOf(object).includes(foreground)
}

function policyOf(object: JsonObject): 'Foreground' | 'Background' | 'Orphan' {
  const finalizers = finalizersOf(object)
  if (finalizers.includes(orphan)) return 'Orphan'
  return finalizers.includes(foreground) ? 'Foreground' : 'Background'
}

function withoutOwners(object: JsonObject, uids: ReadonlySet<string>): JsonObject {
  const kept = rawOwners(object).filter((owner) => !uids.has(String(own(owner, 'uid'))))
  return withMetadata(object, { ownerReferences: kept.length === 0 ? undefined : kept })
}

function withoutBlocking(object: JsonObject): JsonObject {
  const owners = rawOwners(object).map((owner) =>
    own(owner, 'blockOwnerDeletion') === true ? { ...owner, blockOwnerDeletion: false } : owner,
  )
  return withMetadata(object, { ownerReferences: owners })
}

function rawOwners(object: JsonObject): readonly JsonObject[] {
  const owners = own(metadataOf(object), 'ownerReferences')
  return isJsonList(owners) ? owners.filter(isJsonObject) : []
}
