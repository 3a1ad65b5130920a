// Client of the server's own controllers. It takes the same steps as any request, but synchronously and without HTTP.
// Each controller has its own field manager in managedFields.
import type { JsonObject } from '../base/json.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { KindFieldManagers } from './kind-field-managers.ts'
import { metadataText } from './metadata.ts'
import type { Deleted, ObjectDeletes } from './object-deletes.ts'
import { apiVersionOf, servedObject } from './object-form.ts'
import type { ObjectIndex, Term } from './object-index.ts'
import type { ObjectLog, Place } from './object-log.ts'
import type { ObjectWrites, WriteScope } from './object-writes.ts'
import type { ResourceRegistry } from './resource-registry.ts'
import { StatusError } from './status-error.ts'
import type { ServedResource, Steps } from './strategy.ts'
import type { User } from './user.ts'

export interface SystemClientOptions {
  readonly log: ObjectLog
  readonly index: ObjectIndex
  readonly registry: ResourceRegistry
  readonly writes: ObjectWrites
  readonly deletes: ObjectDeletes
  readonly fieldManagers: KindFieldManagers
  /** Field manager of the writes. */
  readonly manager: string
  readonly user: User
  /** Returns the current time, RFC 3339 as in metadata. */
  readonly timestamp: () => string
}

/** Reference to an object; `namespace` is '' for cluster-scoped kinds. */
export interface Target {
  readonly resource: ServedResource
  readonly namespace: string
  readonly name: string
}

interface Write {
  readonly subresource: string
  readonly steps: Steps
  readonly change: (live: JsonObject) => JsonObject
  readonly isRecorded?: boolean
}

export class SystemClient {
  readonly registry: ResourceRegistry
  readonly #options: SystemClientOptions

  constructor(options: SystemClientOptions) {
    this.#options = options
    this.registry = options.registry
  }

  /** Returns the resource of a kind; undefined if it is not served. */
  resource(apiVersion: string, kind: string): ServedResource | undefined {
    return this.registry.findKind(apiVersion, kind)
  }

  /** Returns one of the resources stored under the shelf of `place`. */
  resourceAt({ shelf }: Pick<Place, 'shelf'>): ServedResource | undefined {
    return this.registry.all().find((resource) => resource.shelf === shelf)
  }

  get({ resource, namespace, name }: Target): JsonObject | undefined {
    const state = this.#options.log.get({ shelf: resource.shelf, namespace, name })
    return state === undefined ? undefined : servedObject(resource, state)
  }

  list(resource: ServedResource, namespace?: string): readonly JsonObject[] {
    return this.#options.log.list(resource.shelf, namespace).map((state) => servedObject(resource, state))
  }

  /** Returns the objects that match a term of the index, ordered by name. */
  find(resource: ServedResource, term: Term): readonly JsonObject[] {
    const { log, index } = this.#options
    return index.places(resource.shelf, term).flatMap((place) => {
      const state = log.get(place)
      return state === undefined ? [] : [servedObject(resource, state)]
    })
  }

  /** Creates an object; `object` may omit kind and apiVersion. Throws StatusError. */
  create(resource: ServedResource, namespace: string, object: JsonObject): JsonObject {
    const typed = { kind: resource.kind, apiVersion: apiVersionOf(resource), ...object }
    const { object: decoded } = resource.strategy.decode(typed)
    return this.#options.writes.create(this.#scope({ resource, namespace, name: '' }, resource.strategy, ''), decoded)
  }

  /** Creates the object unless it exists. */
  ensure(resource: ServedResource, namespace: string, object: JsonObject): void {
    const name = metadataText(object, 'name')
    if (this.get({ resource, namespace, name }) === undefined) this.create(resource, namespace, object)
  }

  /** Updates an object; writes nothing if nothing differs. Throws StatusError, 404 if it no longer exists. */
  update(target: Target, change: (live: JsonObject) => JsonObject): JsonObject {
    return this.#write(target, { subresource: '', steps: target.resource.strategy, change })
  }

  /** Like update, through the status endpoint. */
  updateStatus(target: Target, change: (live: JsonObject) => JsonObject): JsonObject {
    const { strategy } = target.resource
    return this.#write(target, { subresource: 'status', steps: strategy.status ?? strategy, change })
  }

  /** Like update, through an endpoint with the given steps. */
  updateThrough(
    target: Target,
    subresource: string,
    steps: Steps,
    change: (live: JsonObject) => JsonObject,
  ): JsonObject {
    return this.#write(target, { subresource, steps, change })
  }

  /** Server-side apply with force; creates a missing object. Throws StatusError. */
  apply({ resource, namespace, name }: Target, fields: JsonObject): JsonObject {
    const { writes, manager, timestamp } = this.#options
    const applied = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { name, namespace },
      ...fields,
    }
    const scope = this.#scope({ resource, namespace, name }, resource.strategy, '')
    const change = (live: JsonObject | undefined): JsonObject =>
      resource.strategy.decode(
        scope.fieldManager.apply({ live, applied, manager, force: true, timestamp: timestamp() }),
      ).object
    return writes.update(scope, change, { creates: true, authorizeCreate: () => {}, keepsManagedFields: true }).object
  }

  /** Like updateThrough, without an entry in managedFields, as for a binding. */
  updateUnrecorded(
    target: Target,
    subresource: string,
    steps: Steps,
    change: (live: JsonObject) => JsonObject,
  ): JsonObject {
    return this.#write(target, { subresource, steps, change, isRecorded: false })
  }

  /** Deletes an object; returns undefined if none exists. Throws StatusError, 409 for a failed precondition. */
  delete({ resource, namespace, name }: Target, options: Partial<DeleteOptions> = {}): Deleted | undefined {
    const all: DeleteOptions = {
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      orphanDependents: undefined,
      preconditions: {},
      isDryRun: false,
      ...options,
    }
    try {
      return this.#options.deletes.delete(
        { resource, shelf: resource.shelf, namespace, user: this.#options.user },
        name,
        all,
      )
    } catch (thrown) {
      if (thrown instanceof StatusError && thrown.parts.code === 404) return undefined
      throw thrown
    }
  }

  #write(target: Target, { subresource, steps, change, isRecorded = true }: Write): JsonObject {
    const written = this.#options.writes.update(
      this.#scope(target, steps, subresource),
      (live) => {
        if (live === undefined) return {}
        const changed = change(live)
        return changed === live ? live : target.resource.strategy.decode(changed).object
      },
      { creates: false, authorizeCreate: () => {}, keepsManagedFields: !isRecorded },
    )
    return written.object
  }

  #scope({ resource, namespace, name }: Target, steps: Steps, subresource: string): WriteScope {
    const { fieldManagers, manager, user } = this.#options
    return {
      ...{ resource, shelf: resource.shelf, namespace, name, subresource, steps, manager, user },
      fieldManager: fieldManagers.of(resource, subresource),
      isDryRun: false,
      warn: () => {},
    }
  }
}
