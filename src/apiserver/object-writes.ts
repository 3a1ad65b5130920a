// Write path: the steps that every create and update takes, for all kinds and endpoints, in upstream's order.
// Invariant: synchronous from the read of the live object to the commit, so writes never race.
// Source: k8s.io/apiserver/pkg/registry/generic/registry/store.go and pkg/registry/rest.
import type { Clock } from '../base/clock.ts'
import { timestampOf } from '../base/clock.ts'
import { deepEqual, type JsonObject } from '../base/json.ts'
import type { Random } from '../base/random.ts'
import type { Admission, AdmissionRequest } from './admission/admission.ts'
import { type FieldError, invalid } from './field-error.ts'
import type { FieldManager } from './field-manager.ts'
import { generatedName } from './generated-name.ts'
import { finalizersOf, isTerminating, metadataNumber, metadataText, withMetadata } from './metadata.ts'
import { pathSegmentName } from './name-rules.ts'
import { liveObject, servedObject } from './object-form.ts'
import type { ObjectIndex } from './object-index.ts'
import type { Committed, ObjectLog, Place, StorageShelf } from './object-log.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts'
import { withoutDuplicateOwners } from './owner-references.ts'
import { alreadyExists, conflict, generateNameConflict, invalidObject, notFound, plainError } from './status-error.ts'
import type { ServedResource, StepContext, Steps, Strategy } from './strategy.ts'
import type { User } from './user.ts'

/** Target, user and endpoint of a write. */
export interface WriteScope {
  readonly resource: ServedResource
  readonly shelf: StorageShelf
  /** '' for cluster-scoped kinds. */
  readonly namespace: string
  /** '' if the body names the object. */
  readonly name: string
  readonly subresource: string
  /** Steps of the endpoint: those of the strategy or of a subresource. */
  readonly steps: Steps
  readonly fieldManager: FieldManager
  /** Field manager that managedFields record for the write. */
  readonly manager: string
  readonly isDryRun: boolean
  readonly user: User
  warn(text: string): void
}

export interface Written {
  readonly object: JsonObject
  readonly wasCreated: boolean
  /** The existing state, if the write changed nothing. */
  readonly unchanged?: Committed
}

/** Returns the new object; `live` is undefined if none exists. Throws StatusError. */
export type Change = (live: JsonObject | undefined) => JsonObject

export interface UpdateOptions {
  /** Creates a missing object: kinds that PUT creates, and apply. */
  readonly creates: boolean
  /** Called before an update or apply creates an object. Throws StatusError (403) without the right to create. */
  readonly authorizeCreate: () => void
  /** True if `change` sets managedFields itself, as apply does. */
  readonly keepsManagedFields: boolean
  /** Returns whether `change` is known to have no effect on a state. Absent: unknown for all. */
  readonly isWithoutEffect?: (state: Committed) => boolean
}

export interface ObjectWritesOptions {
  readonly log: ObjectLog
  readonly index: ObjectIndex
  readonly clock: Clock
  readonly random: Random
  readonly admission: Admission
}

const maxNameAttempts = 8
const optimisticLock = 'the object has been modified; please apply your changes to the latest version and try again'

export class ObjectWrites {
  readonly #log: ObjectLog
  readonly #index: ObjectIndex
  readonly #clock: Clock
  readonly #random: Random
  readonly #admission: Admission

  constructor({ log, index, clock, random, admission }: ObjectWritesOptions) {
    this.#log = log
    this.#index = index
    this.#clock = clock
    this.#random = random
    this.#admission = admission
  }

  /** Creates the decoded object of a POST. */
  create(scope: WriteScope, sent: JsonObject): JsonObject {
    const wiped = withMetadata(sent, {
      creationTimestamp: undefined,
      uid: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      selfLink: undefined,
    })
    const placed = withoutDuplicateOwners(wiped, scope.warn)
    const recorded = scope.fieldManager.recordUpdate(undefined, placed, scope.manager, this.#timestamp())
    return this.#insert(scope, recorded)
  }

  /** Applies `change` to the live object: PUT, every patch, and the creates by them. */
  update(scope: WriteScope, change: Change, options: UpdateOptions): Written {
    const { creates, authorizeCreate, keepsManagedFields, isWithoutEffect } = options
    const existing = this.#log.get(placeOf(scope, scope.name))
    if (existing === undefined && !creates) throw notFound(groupResourceOf(scope.resource), scope.name)
    if (existing !== undefined && isWithoutEffect?.(existing) === true && this.#admitsAsItIs(scope, existing))
      return unchanged(scope, existing)
    const live = existing === undefined ? undefined : liveObject(scope.resource, existing)
    const changed = withoutDuplicateOwners(change(live), scope.warn)
    const recorded = keepsManagedFields
      ? changed
      : scope.fieldManager.recordUpdate(live, changed, scope.manager, this.#timestamp())
    if (existing === undefined || live === undefined) {
      authorizeCreate()
      return { object: this.#insert(scope, recorded), wasCreated: true }
    }
    const object = this.#replace(scope, recorded, existing)
    if (object !== live) return { object, wasCreated: false }
    return unchanged(scope, existing)
  }

  /**
   * Returns whether admission leaves the object unchanged; it also runs for writes without effect. Throws StatusError.
   */
  #admitsAsItIs(scope: WriteScope, existing: Committed): boolean {
    const live = liveObject(scope.resource, existing)
    if (this.#mutate(scope, 'UPDATE', live, live) !== live) return false
    this.#admission.validate(this.#admissionRequest(scope, 'UPDATE', live, live, scope.name))
    return true
  }

  #insert(scope: WriteScope, recorded: JsonObject): JsonObject {
    const { strategy } = scope.resource
    const admitted = this.#mutate(scope, 'CREATE', recorded, undefined)
    const context = this.#context()
    const isGenerated = metadataText(admitted, 'generateName') !== '' && metadataText(admitted, 'name') === ''
    for (let attempt = 1; ; attempt++) {
      const filled = withMetadata(admitted, {
        creationTimestamp: context.timestamp,
        uid: this.#random.uuid(),
        ...(isGenerated ? { name: generatedName(metadataText(admitted, 'generateName'), this.#random) } : {}),
      })
      const prepared = strategy.prepareForCreate(this.#allocated(scope, filled, undefined), context)
      const name = metadataText(prepared, 'name')
      this.#refuseInvalid(scope, prepared, strategy.validateCreate(prepared))
      this.#refuseInvalid(scope, prepared, this.#metadataFaults(scope, prepared))
      for (const text of strategy.warningsOnCreate(prepared)) scope.warn(text)
      this.#admission.validate(this.#admissionRequest(scope, 'CREATE', prepared, undefined, name))
      const version = metadataText(prepared, 'resourceVersion')
      if (version !== '' && version !== '0' && scope.name === '')
        throw plainError('resourceVersion should not be set on objects to be created')
      const place = placeOf(scope, name)
      const there = this.#log.get(place)
      if (there === undefined) return this.#commit(scope, place, 'created', prepared)
      if (!isGenerated) throw alreadyExists(groupResourceOf(scope.resource), name, isTerminating(there.object))
      if (attempt === maxNameAttempts) throw generateNameConflict(groupResourceOf(scope.resource), name)
    }
  }

  #replace(scope: WriteScope, recorded: JsonObject, existing: Committed): JsonObject {
    const { resource, steps } = scope
    const live = liveObject(resource, existing)
    const admitted = this.#mutate(scope, 'UPDATE', recorded, live)
    const versioned = this.#checkVersion(scope, admitted, existing)
    const prepared = this.#prepareUpdate(scope, versioned, live)
    const faults = [
      ...this.#metadataFaults(scope, prepared),
      ...validateObjectMetaUpdate(metadataObject(prepared), metadataObject(live)),
      ...steps.validateUpdate(prepared, live),
    ]
    this.#refuseInvalid(scope, prepared, faults)
    for (const text of steps.warningsOnUpdate(prepared, live)) scope.warn(text)
    const settled = scope.fieldManager.withoutMereTimes(prepared, live)
    this.#admission.validate(this.#admissionRequest(scope, 'UPDATE', settled, live, scope.name))
    if (isFinished(resource.strategy, settled, live)) {
      // The last state that watchers see is the stored one, without this write.
      if (!scope.isDryRun)
        this.#log.commit(existing.place, 'deleted', (resourceVersion) =>
          withMetadata(existing.object, { resourceVersion }),
        )
      return settled
    }
    // Compares stored forms, so that the next write removes leftovers of an older schema or an apply.
    if (deepEqual(resource.toStored?.(settled) ?? settled, existing.object)) return live
    return this.#commit(scope, existing.place, 'changed', settled)
  }

  /**
   * Checks the resourceVersion of the write.
   * Without one, the kind either rejects the update or applies it to the current version.
   */
  #checkVersion({ resource, name }: WriteScope, object: JsonObject, existing: Committed): JsonObject {
    const version = metadataText(object, 'resourceVersion')
    const current = String(existing.revision)
    if (version === current) return object
    if (version !== '' && !/^\d+$/.test(version))
      throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`)
    if (version === '' || version === '0') {
      if (resource.strategy.allowsUnconditionalUpdate) return withMetadata(object, { resourceVersion: current })
      const fault = invalid('metadata.resourceVersion', 0, 'must be specified for an update')
      throw invalidObject({ group: resource.group, kind: resource.plural }, name, [fault])
    }
    throw conflict(groupResourceOf(resource), name, optimisticLock)
  }

  #prepareUpdate(scope: WriteScope, object: JsonObject, live: JsonObject): JsonObject {
    const kept = withMetadata(this.#allocated(scope, object, live), { generation: metadataNumber(live, 'generation') })
    const prepared = scope.steps.prepareForUpdate(kept, live, this.#context())
    const marked = metadataText(live, 'deletionTimestamp')
    const grace = metadataNumber(live, 'deletionGracePeriodSeconds')
    return withMetadata(prepared, {
      uid: metadataText(prepared, 'uid') || metadataText(live, 'uid'),
      creationTimestamp: metadataText(live, 'creationTimestamp') || undefined,
      ...(marked === '' ? {} : { deletionTimestamp: marked }),
      ...(grace === undefined || metadataNumber(prepared, 'deletionGracePeriodSeconds') !== undefined
        ? {}
        : { deletionGracePeriodSeconds: grace }),
    })
  }

  #allocated(
    { resource, shelf, subresource }: WriteScope,
    object: JsonObject,
    old: JsonObject | undefined,
  ): JsonObject {
    const { allocate } = resource.strategy
    if (allocate === undefined || subresource !== '') return object
    return allocate(object, old, {
      isTaken: (value) => this.#index.has(shelf, { taken: value }),
      below: (limit) => Math.floor(this.#random.next() * limit),
    })
  }

  #metadataFaults({ resource }: WriteScope, object: JsonObject): readonly FieldError[] {
    return validateObjectMeta({
      metadata: metadataObject(object),
      isNamespaced: resource.isNamespaced,
      validateName: pathSegmentName,
      field: 'metadata',
    })
  }

  #refuseInvalid({ resource }: WriteScope, object: JsonObject, faults: readonly FieldError[]): void {
    if (faults.length > 0) throw invalidObject(resource, metadataText(object, 'name'), faults)
  }

  #mutate(
    scope: WriteScope,
    operation: 'CREATE' | 'UPDATE',
    object: JsonObject,
    old: JsonObject | undefined,
  ): JsonObject {
    const name = scope.name || metadataText(object, 'name')
    const admitted = this.#admission.mutate({ ...this.#admissionRequest(scope, operation, object, old, name), object })
    return withoutDuplicateOwners(admitted, scope.warn)
  }

  #admissionRequest(
    { resource, subresource, namespace, name: pathName, user }: WriteScope,
    operation: AdmissionRequest['operation'],
    object: JsonObject | undefined,
    old: JsonObject | undefined,
    name: string,
  ): AdmissionRequest {
    return { operation, resource, subresource, namespace, name, pathName, object, old, user, world: this.#log }
  }

  #commit(
    { resource, subresource, isDryRun }: WriteScope,
    place: Place,
    kind: 'created' | 'changed',
    object: JsonObject,
  ): JsonObject {
    const stored = resource.toStored?.(object) ?? object
    if (isDryRun) {
      const live = resource.fromStored?.(stored) ?? stored
      const shown = resource.shown?.(live, subresource) ?? live
      return kind === 'created' ? withMetadata(shown, { resourceVersion: undefined }) : shown
    }
    const state = this.#log.commit(place, kind, (resourceVersion) => withMetadata(stored, { resourceVersion }))
    return servedObject(resource, state, subresource)
  }

  #context(): StepContext {
    return { timestamp: this.#timestamp() }
  }

  #timestamp(): string {
    return timestampOf(this.#clock)
  }
}

function unchanged({ resource, subresource }: WriteScope, existing: Committed): Written {
  return { object: servedObject(resource, existing, subresource), wasCreated: false, unchanged: existing }
}

/** Returns whether nothing holds a terminating object any more. */
function isFinished(strategy: Strategy, object: JsonObject, live: JsonObject): boolean {
  if (finalizersOf(object).length > 0 || !isTerminating(live) || strategy.isHeld?.(object) === true) return false
  return (metadataNumber(live, 'deletionGracePeriodSeconds') ?? 0) === 0
}

export function placeOf({ shelf, namespace }: Pick<WriteScope, 'shelf' | 'namespace'>, name: string): Place {
  return { shelf, namespace, name }
}

export function groupResourceOf({ group, plural }: ServedResource): { group: string; resource: string } {
  return { group, resource: plural }
}

function metadataObject(object: JsonObject): JsonObject {
  return object['metadata'] as JsonObject // Sound: every caller has filled it.
}
