// Model of an API server for tests, in memory, with any kinds. It neither validates nor defaults objects, knows list
// keys only for a few fields, and collects garbage on request. It does implement resourceVersions, generations, writes
// without change, ownership by field manager with conflicts, uid preconditions, finalizers, and complete watches.
import type { Clock } from '../src/base/clock.ts'
import { deepEqual, isJsonObject, type Json, type JsonObject } from '../src/base/json.ts'
import { applyJsonPatch, applyMergePatch, type JsonPatchOperation } from '../src/base/json-patch.ts'
import type {
  ApplyOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ListPage,
  Location,
  Patch,
  PatchOptions,
  WatchFrame,
  WatchOptions,
  WriteOptions,
} from '../src/kube/client.ts'
import { KubeError, type KubeErrorCode } from '../src/kube/kube-errors.ts'
import { ConfigMap, Secret, Service, StorageClass } from '../src/object/built-in.ts'
import { asJson, isBeingDeleted, type KubeObject, type LiveObject } from '../src/object/object.ts'
import { type Key, keyFor, keyOf } from '../src/object/ref.ts'
import { apiVersionOf, groupKindOf, type Resource } from '../src/object/resource.ts'
import { discoveryDocument } from './model-discovery.ts'
import { applied, givenUp, type Ownership, ownershipOf, withOwnership } from './model-ownership.ts'
import { type Entry, isSelected, Stream } from './model-stream.ts'
import { noteStored } from './taint/note-stored.ts'

export interface ModelRequest {
  readonly verb: 'read' | 'get' | 'list' | 'watch' | 'create' | 'apply' | 'patch' | 'delete'
  /** For example `configmaps`. */
  readonly plural: string
  /** For example `default/a`; empty for lists and watches. */
  readonly key: string
  readonly subresource?: string | undefined
  readonly body?: unknown
}

/** Called before a request takes effect, and after gets and writes. A throw replaces the client's response. */
export type Fault = (request: ModelRequest) => void

interface Stored {
  readonly resource: Resource
  object: LiveObject
  ownership: Ownership
}

const foreground = 'foregroundDeletion'

export class ModelApi implements KubeClient {
  readonly #clock: Clock
  readonly #objects = new Map<string, Stored>()
  readonly #log: Entry[] = []
  readonly #streams = new Set<Stream>()
  /** Like etcd's revision: the first object has version 2. */
  #version = 1
  #uids = 0

  /** Gets and writes since the start, in order. */
  readonly requests: ModelRequest[] = []
  /** Resources in discovery. */
  served: readonly Resource[] = [ConfigMap, Secret, Service, StorageClass]
  before: Fault = () => {}
  after: Fault = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Requests that ask for a change, for example `apply configmaps default/a`. */
  get writes(): readonly string[] {
    return this.requests.filter(({ verb }) => verb !== 'get').map(describeRequest)
  }

  /** Creations and deletions, for example `created ConfigMap default/a`. */
  get history(): readonly string[] {
    return this.#log.flatMap(({ before, after }) => {
      if (before !== undefined && after !== undefined) return []
      const object = before ?? after
      return object === undefined
        ? []
        : [`${before === undefined ? 'created' : 'gone'} ${object.kind} ${keyOf(object)}`]
    })
  }

  find(resource: Resource, key: string): LiveObject | undefined {
    return this.#objects.get(idOf(resource, key))?.object
  }

  all(resource?: Resource): readonly LiveObject[] {
    return [...this.#objects.values()]
      .filter((stored) => resource === undefined || groupKindOf(stored.resource) === groupKindOf(resource))
      .map(({ object }) => object)
  }

  /** Creates or replaces an object, including its status, as another client; no recorded request. */
  put(resource: Resource, object: KubeObject): LiveObject {
    const stored = this.#objects.get(idOf(resource, keyOf(object)))
    if (stored === undefined) return this.#insert(resource, object, new Map())
    return this.#replace(stored, { ...object, status: object.status } as LiveObject, 'somebody')
  }

  /** Edits an object, including its status, by a merge patch as another client. */
  edit(resource: Resource, key: string, body: JsonObject): LiveObject {
    const stored = this.#found(resource, key)
    return this.#replace(stored, applyMergePatch(asJson(stored.object), body) as unknown as LiveObject, 'somebody')
  }

  /** Deletes an object as another client. */
  remove(resource: Resource, key: string): void {
    this.#startDeletion(this.#found(resource, key), undefined)
  }

  /** Does the work of the garbage collector until nothing is left. */
  collectGarbage(): void {
    for (let isDone = false; !isDone; ) {
      isDone = true
      const uids = new Set(this.all().map(({ metadata }) => metadata.uid))
      for (const stored of [...this.#objects.values()]) {
        const { ownerReferences = [], finalizers = [], uid } = stored.object.metadata
        const isOrphan = ownerReferences.length > 0 && ownerReferences.every((owner) => !uids.has(owner.uid))
        if (isOrphan && !isBeingDeleted(stored.object)) {
          this.#startDeletion(stored, undefined)
          isDone = false
        } else if (finalizers.includes(foreground) && !this.#hasDependents(uid)) {
          const left = finalizers.filter((name) => name !== foreground)
          this.#replace(stored, withFinalizers(stored.object, left), 'garbage-collector')
          isDone = false
        }
      }
    }
  }

  async get(resource: Resource, { namespace, name }: Location, signal: AbortSignal): Promise<LiveObject> {
    return this.#serve({ verb: 'get', plural: resource.plural, key: keyFor(namespace, name) }, signal, () => {
      return this.#found(resource, keyFor(namespace, name)).object
    })
  }

  async create(
    resource: Resource,
    object: KubeObject,
    { dryRun }: WriteOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const request = { verb: 'create', plural: resource.plural, key: keyOf(object), body: object } as const
    return this.#serve(request, signal, () => {
      if (this.#objects.has(idOf(resource, keyOf(object)))) throw failure('AlreadyExists', `${request.key} exists`)
      if (dryRun === true) return object as LiveObject
      return this.#insert(resource, object, new Map())
    })
  }

  async apply(
    resource: Resource,
    object: KubeObject,
    { fieldManager, force, dryRun }: ApplyOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const key = keyOf(object)
    return this.#serve({ verb: 'apply', plural: resource.plural, key, body: object }, signal, () => {
      const stored = this.#objects.get(idOf(resource, key))
      if (stored !== undefined) refuseStale(stored.object, asJson(object))
      const outcome = applied({ stored: stored?.object, ownership: stored?.ownership, object, fieldManager, force })
      if (outcome.kind === 'conflict')
        throw new KubeError({
          code: 'Conflict',
          message: `apply ${key}: conflict with ${outcome.with.map(({ manager }) => manager).join(', ')}`,
          causes: outcome.with.flatMap(({ manager, fields }) =>
            fields.map((field) => ({
              reason: 'FieldManagerConflict',
              message: `conflict with "${manager}" using v1`,
              field,
            })),
          ),
        })
      if (dryRun === true) return withOwnership(outcome.object as LiveObject, outcome.ownership)
      if (stored === undefined) return this.#insert(resource, outcome.object, outcome.ownership)
      stored.ownership = outcome.ownership
      return this.#store(stored, outcome.object)
    })
  }

  async patch(
    resource: Resource,
    { namespace, name }: Location,
    { type, body }: Patch,
    { fieldManager, subresource }: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const key = keyFor(namespace, name)
    return this.#serve({ verb: 'patch', plural: resource.plural, key, subresource, body }, signal, () => {
      const stored = this.#found(resource, key)
      const { object } = stored
      if (type === 'json') return this.#patchRecords(stored, body)
      refuseStale(object, body)
      const patched = applyMergePatch(asJson(object), body) as unknown as LiveObject
      if (subresource === 'status') return this.#replace(stored, { ...object, status: patched.status }, fieldManager)
      const gained = (patched.metadata.finalizers ?? []).some((held) => !object.metadata.finalizers?.includes(held))
      if (gained && isBeingDeleted(object)) throw failure('Invalid', 'no new finalizers on an object on its way out')
      return this.#replace(stored, { ...patched, status: object.status }, fieldManager)
    })
  }

  async delete(resource: Resource, location: Location, options: DeleteOptions, signal: AbortSignal): Promise<void> {
    const key = keyFor(location.namespace, location.name)
    await this.#serve({ verb: 'delete', plural: resource.plural, key, body: options }, signal, () => {
      const stored = this.#found(resource, key)
      refuseStale(stored.object, { metadata: { ...options.preconditions } })
      this.#startDeletion(stored, options.propagationPolicy)
      return stored.object
    })
  }

  /** The runtime never sends this request. */
  async update(): Promise<never> {
    throw failure('ServerError', 'the model knows no update')
  }

  async deleteCollection(): Promise<never> {
    throw failure('ServerError', 'the model knows no deletecollection')
  }

  async read(path: string, signal: AbortSignal): Promise<JsonObject> {
    signal.throwIfAborted()
    this.before({ verb: 'read', plural: path, key: '' })
    return discoveryDocument(path, this.served) ?? { gitVersion: 'v1.36.3-model' }
  }

  async list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage> {
    signal.throwIfAborted()
    this.before({ verb: 'list', plural: resource.plural, key: '' })
    const all = this.all(resource).filter((object) => isSelected(object, options))
    const start = Number(options.continueToken ?? 0)
    const end = start + (options.limit ?? all.length)
    const more = end < all.length ? { continueToken: String(end) } : {}
    return { resourceVersion: String(this.#version), items: all.slice(start, end), ...more }
  }

  async *watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame> {
    signal.throwIfAborted()
    this.before({ verb: 'watch', plural: resource.plural, key: '' })
    const stream = new Stream(resource, options)
    options.onAnswered?.()
    const onAbort = () => stream.end()
    signal.addEventListener('abort', onAbort, { once: true })
    if (options.sendInitialEvents === true) {
      for (const object of this.all(resource))
        if (isSelected(object, options)) stream.push({ type: 'ADDED', object: structuredClone(object) })
      const metadata = { name: '', resourceVersion: String(this.#version) }
      const annotations = { 'k8s.io/initial-events-end': 'true' }
      const { kind } = resource
      const object = { apiVersion: apiVersionOf(resource), kind, metadata: { ...metadata, annotations } }
      stream.push({ type: 'BOOKMARK', object })
    } else {
      const since = Number(options.resourceVersion ?? this.#version)
      for (const entry of this.#log) if (entry.version > since) stream.tell(entry)
    }
    this.#streams.add(stream)
    try {
      yield* stream.frames(signal)
    } finally {
      this.#streams.delete(stream)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Forgets the history: every watch must list again. */
  compact(): void {
    this.#log.length = 0
    for (const stream of this.#streams) stream.expire()
  }

  /** While true, watches receive nothing; then they receive everything that happened. */
  set isHoldingWatches(isHolding: boolean) {
    for (const stream of this.#streams) stream.isHeld = isHolding
  }

  /** The same for the watches of one resource. */
  hold(resource: Resource, isHeld: boolean): void {
    for (const stream of this.#streams) if (stream.isOf(resource)) stream.isHeld = isHeld
  }

  #serve(request: ModelRequest, signal: AbortSignal, run: () => LiveObject): LiveObject {
    signal.throwIfAborted()
    this.requests.push(request)
    this.before(request)
    const answer = structuredClone(run())
    this.after(request)
    return answer
  }

  #found(resource: Resource, key: string): Stored {
    const stored = this.#objects.get(idOf(resource, key))
    if (stored === undefined) throw failure('NotFound', `${resource.plural} "${key}" not found`)
    return stored
  }

  #insert(resource: Resource, object: KubeObject, ownership: Ownership): LiveObject {
    this.#version += 1
    this.#uids += 1
    const metadata = {
      ...object.metadata,
      uid: `${object.metadata.name}-${this.#uids}`,
      resourceVersion: String(this.#version),
      creationTimestamp: this.#now(),
      ...(object.spec === undefined ? {} : { generation: 1 }),
    }
    const live = withOwnership({ ...object, metadata } as LiveObject, ownership)
    const stored: Stored = { resource, object: live, ownership }
    this.#objects.set(idOf(resource, keyOf(object)), stored)
    this.#record({ version: this.#version, resource, before: undefined, after: live })
    return live
  }

  /** Applies a JSON patch. The model knows only those that write managedFields, with a test of the version. */
  #patchRecords(stored: Stored, body: readonly JsonPatchOperation[]): LiveObject {
    const patched = applyJsonPatch(asJson(stored.object), body) as unknown as LiveObject
    const { managedFields = [], resourceVersion } = patched.metadata
    if (resourceVersion !== stored.object.metadata.resourceVersion) throw failure('Conflict', 'another version')
    stored.ownership = ownershipOf(managedFields)
    return this.#store(stored, stored.object)
  }

  /** Writes by other means than apply: the former appliers no longer own the changed fields. */
  #replace(stored: Stored, object: LiveObject, manager: string): LiveObject {
    stored.ownership = givenUp(stored.ownership, stored.object, object, manager)
    return this.#store(stored, object)
  }

  #store(stored: Stored, next: LiveObject): LiveObject {
    const { object: before, resource } = stored
    const { resourceVersion: _, generation = 0 } = before.metadata
    const changesSpec = !deepEqual(asJson(before).spec, asJson(next).spec)
    const metadata = {
      ...next.metadata,
      uid: before.metadata.uid,
      resourceVersion: before.metadata.resourceVersion,
      ...(changesSpec ? { generation: generation + 1 } : {}),
    }
    const candidate = withOwnership({ ...next, metadata }, stored.ownership)
    if (deepEqual(asJson(before), asJson(candidate))) return before
    this.#version += 1
    const live = { ...candidate, metadata: { ...candidate.metadata, resourceVersion: String(this.#version) } }
    const isGone = isBeingDeleted(live) && (live.metadata.finalizers ?? []).length === 0
    if (isGone) this.#objects.delete(idOf(resource, keyOf(live)))
    stored.object = live
    this.#record({ version: this.#version, resource, before: isGone ? live : before, after: isGone ? undefined : live })
    return live
  }

  #startDeletion(stored: Stored, propagation: DeleteOptions['propagationPolicy']): void {
    const { object } = stored
    if (isBeingDeleted(object)) return
    const held = object.metadata.finalizers ?? []
    const finalizers = propagation === 'Foreground' ? [...held, foreground] : held
    const metadata = { ...object.metadata, finalizers, deletionTimestamp: this.#now(), deletionGracePeriodSeconds: 0 }
    this.#store(stored, { ...object, metadata })
  }

  #hasDependents(uid: string): boolean {
    return this.all().some(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
  }

  #record(entry: Entry): void {
    if (entry.after !== undefined) noteStored(entry.after)
    this.#log.push(entry)
    for (const stream of this.#streams) stream.tell(entry)
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString().replace(/\.\d{3}Z$/, 'Z')
  }
}

export function failure(code: KubeErrorCode, message: string): KubeError {
  return new KubeError({ code, message })
}

/** Returns for example `apply configmaps default/a`. */
export function describeRequest({ verb, plural, key, subresource }: ModelRequest): string {
  return `${verb} ${plural}${subresource === undefined ? '' : `/${subresource}`} ${key}`
}

function idOf(resource: Resource, key: string | Key): string {
  return `${groupKindOf(resource)} ${key}`
}

/** Checks the resourceVersion and the uid that a patch may carry. */
function refuseStale({ metadata }: LiveObject, body: JsonObject): void {
  const meant = isJsonObject(body['metadata']) ? body['metadata'] : {}
  const isOther = (field: 'uid' | 'resourceVersion') => meant[field] !== undefined && meant[field] !== metadata[field]
  if (isOther('uid') || isOther('resourceVersion')) throw failure('Conflict', 'the object has been modified')
}

function withFinalizers(object: LiveObject, finalizers: readonly string[]): LiveObject {
  return { ...object, metadata: { ...object.metadata, finalizers } }
}

/** Returns the value at a path of the object; undefined if the path ends early. */
export function at(object: KubeObject | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, step) => (isJsonObject(value) ? value[step] : undefined),
    object === undefined ? undefined : asJson(object),
  )
}
