// Deletion of objects. A delete removes the object, marks it as terminating, or leaves it because it is already
// terminating.
// Preconditions, grace, finalizers and propagation decide.
// Source: k8s.io/apiserver/pkg/registry/rest/delete.go and pkg/registry/generic/registry/store.go.
import type { Clock } from '../base/clock.ts'
import { timestampOf } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import type { Admission } from './admission/admission.ts'
import type { DeleteOptions } from './delete-options.ts'
import { finalizersOf, isTerminating, metadataNumber, metadataText, withMetadata } from './metadata.ts'
import { liveObject, servedObject } from './object-form.ts'
import type { Committed, ObjectLog, StorageShelf } from './object-log.ts'
import { groupResourceOf, placeOf } from './object-writes.ts'
import { conflict, notFound } from './status-error.ts'
import type { ServedResource } from './strategy.ts'
import type { User } from './user.ts'

export interface DeleteScope {
  readonly resource: ServedResource
  readonly shelf: StorageShelf
  readonly namespace: string
  readonly user: User
}

export interface Deleted {
  /** The current object, or its last state. */
  readonly object: JsonObject
  /** True if the object was removed, false if it is terminating. */
  readonly isGone: boolean
}

const orphan = 'orphan'
const foreground = 'foregroundDeletion'

export interface ObjectDeletesOptions {
  readonly log: ObjectLog
  readonly clock: Clock
  readonly admission: Admission
}

export class ObjectDeletes {
  readonly #log: ObjectLog
  readonly #clock: Clock
  readonly #admission: Admission

  constructor({ log, clock, admission }: ObjectDeletesOptions) {
    this.#log = log
    this.#clock = clock
    this.#admission = admission
  }

  /** Deletes one object. Throws StatusError: 404, 409 for a failed precondition, and the errors of admission. */
  delete(scope: DeleteScope, name: string, options: DeleteOptions): Deleted {
    const { resource, namespace, user } = scope
    const existing = this.#log.get(placeOf(scope, name))
    if (existing === undefined) throw notFound(groupResourceOf(resource), name)
    const live = liveObject(resource, existing)
    const context = { timestamp: timestampOf(this.#clock) }
    const isOwnWay = resource.strategy.markForDeletion !== undefined
    checkPreconditions(resource, live, options, isOwnWay)
    const admit = () =>
      this.#admission.validate({
        operation: 'DELETE',
        resource,
        subresource: '',
        namespace,
        name,
        pathName: name,
        object: undefined,
        old: live,
        user,
        world: this.#log,
      })
    if (resource.strategy.markForDeletion !== undefined && !isTerminating(live)) {
      admit()
      const marked = withPropagation(resource.strategy.markForDeletion(live, context), options)
      return { object: this.#commit(scope, existing, marked, options), isGone: false }
    }
    if (resource.strategy.isHeld?.(live) === true) return { object: live, isGone: false }
    const grace = graceOf(resource, live, options, this.#clock.now())
    if (grace.kind === 'pending') return { object: live, isGone: false }
    admit()
    const propagated = withPropagation(live, options, resource.strategy.defaultPropagation)
    const isFinalizing = finalizersOf(propagated).length > 0
    const marked = grace.kind === 'graceful' ? withMetadata(propagated, grace.entries) : propagated
    if (isFinalizing || (grace.kind === 'graceful' && grace.seconds > 0)) {
      const next = grace.kind === 'graceful' ? marked : markedAsDeleting(marked, this.#clock.now())
      return { object: this.#commit(scope, existing, next, options), isGone: false }
    }
    if (options.isDryRun) return { object: marked, isGone: true }
    const last = grace.kind === 'graceful' ? this.#commitState(scope, existing, marked) : existing
    return { object: this.remove(scope.resource, last), isGone: true }
  }

  /** Removes an object despite its finalizers. The caller ensures that no work is left. */
  remove(resource: ServedResource, existing: Committed): JsonObject {
    const end = this.#log.commit(existing.place, 'deleted', (resourceVersion) =>
      withMetadata(existing.object, { resourceVersion }),
    )
    return servedObject(resource, end)
  }

  #commit(scope: DeleteScope, existing: Committed, object: JsonObject, { isDryRun }: DeleteOptions): JsonObject {
    if (isDryRun || object === liveObject(scope.resource, existing)) return object
    return servedObject(scope.resource, this.#commitState(scope, existing, object))
  }

  #commitState({ resource }: DeleteScope, existing: Committed, object: JsonObject): Committed {
    const stored = resource.toStored?.(object) ?? object
    return this.#log.commit(existing.place, 'changed', (resourceVersion) => withMetadata(stored, { resourceVersion }))
  }
}

function checkPreconditions(
  resource: ServedResource,
  live: JsonObject,
  { preconditions }: DeleteOptions,
  isOwnWay: boolean,
): void {
  const { uid, resourceVersion } = preconditions
  const actualUid = metadataText(live, 'uid')
  const actualVersion = metadataText(live, 'resourceVersion')
  // Upstream uses other texts for kinds with markForDeletion, and names the resource instead of the kind.
  const of = isOwnWay ? groupResourceOf(resource) : { group: resource.group, resource: resource.kind }
  const name = metadataText(live, 'name')
  if (uid !== undefined && uid !== actualUid)
    throw conflict(
      of,
      name,
      isOwnWay
        ? `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actualUid}`
        : `the UID in the precondition (${uid}) does not match the UID in record (${actualUid}). The object might have been deleted and then recreated`,
    )
  if (resourceVersion !== undefined && resourceVersion !== actualVersion)
    throw conflict(
      of,
      name,
      isOwnWay
        ? `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${actualVersion}`
        : `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${actualVersion}). The object might have been modified`,
    )
}

type Grace =
  | { readonly kind: 'none' }
  /** The object is terminating, and this request does not shorten its grace period. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'graceful'; readonly seconds: number; readonly entries: Readonly<Record<string, string | number>> }

function graceOf(resource: ServedResource, live: JsonObject, options: DeleteOptions, nowMs: number): Grace {
  const asked =
    options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds
  if (isTerminating(live)) return shortenedGrace(live, asked, nowMs)
  const seconds = resource.strategy.gracePeriodSeconds(live, asked)
  if (seconds === undefined) return { kind: 'none' }
  const generation = metadataNumber(live, 'generation') ?? 0
  const entries = {
    deletionTimestamp: secondsTimestamp(nowMs + seconds * 1_000),
    deletionGracePeriodSeconds: seconds,
    ...(generation > 0 ? { generation: generation + 1 } : {}),
  }
  return { kind: 'graceful', seconds, entries }
}

/** Returns the grace of a terminating object: a request can only shorten it. */
function shortenedGrace(live: JsonObject, asked: number | undefined, nowMs: number): Grace {
  const current = metadataNumber(live, 'deletionGracePeriodSeconds') ?? 0
  if (current === 0) return { kind: 'none' }
  if (asked === undefined || asked >= current) return { kind: 'pending' }
  const endMs = Date.parse(metadataText(live, 'deletionTimestamp')) + (asked - current) * 1_000
  const isPast = endMs < nowMs
  const seconds = isPast && asked !== 0 ? 1 : asked
  const entries = { deletionTimestamp: secondsTimestamp(isPast ? nowMs : endMs), deletionGracePeriodSeconds: seconds }
  return { kind: 'graceful', seconds, entries }
}

function markedAsDeleting(object: JsonObject, nowMs: number): JsonObject {
  const generation = metadataNumber(object, 'generation') ?? 0
  const marked = metadataText(object, 'deletionTimestamp')
  const isMarked = marked !== '' && Date.parse(marked) <= nowMs
  return withMetadata(object, {
    ...(marked === '' && generation > 0 ? { generation: generation + 1 } : {}),
    ...(isMarked ? {} : { deletionTimestamp: secondsTimestamp(nowMs) }),
    deletionGracePeriodSeconds: 0,
  })
}

/** Returns the object with the garbage collector's finalizers that the options, the object or the kind ask for. */
function withPropagation(
  object: JsonObject,
  options: DeleteOptions,
  byDefault: 'Background' | 'Orphan' = 'Background',
): JsonObject {
  const before = finalizersOf(object)
  const others = before.filter((finalizer) => finalizer !== orphan && finalizer !== foreground)
  const after = [
    ...others,
    ...(wantsOrphans(before, options, byDefault) ? [orphan] : []),
    ...(wantsForeground(before, options) ? [foreground] : []),
  ]
  const isSame = after.length === before.length && after.every((finalizer) => before.includes(finalizer))
  return isSame ? object : withMetadata(object, { finalizers: after.length === 0 ? undefined : after })
}

function wantsOrphans(
  finalizers: readonly string[],
  options: DeleteOptions,
  byDefault: 'Background' | 'Orphan',
): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Orphan'
  const set = finalizers.find((finalizer) => finalizer === orphan || finalizer === foreground)
  return set === undefined ? byDefault === 'Orphan' : set === orphan
}

function wantsForeground(finalizers: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return false
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Foreground'
  return finalizers.find((finalizer) => finalizer === orphan || finalizer === foreground) === foreground
}

function secondsTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
