// Maps an event to the resources to reconcile, with a priority. Pure. Invariant: an event that cannot change a decision
// triggers nothing. The operator itself writes the status of a parent. An event of a child or watched object counts
// only in the parts that the controller reads.
import type { ChildCluster } from '../apply/child-cluster.ts'
import { isMember } from '../apply/member-rule.ts'
import { readinessOf } from '../apply/readiness.ts'
import { hasToken, isRemote } from '../apply/remote-children.ts'
import { deepEqual, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { coOwnerController, coOwnersOf } from '../object/co-owner.ts'
import { asJson, desiredVersionOf, type LiveObject, type OwnerReference } from '../object/object.ts'
import { controllerOf, refersToKind } from '../object/ownership.ts'
import { describeRef, type Key, keyFor, keyOf, refOf } from '../object/ref.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import type { Cause, Priority } from '../queue/work-queue.ts'
import { partOfAnnotation, partOfLabel } from '../synth/membership.ts'
import type { IndexLookup, Owned, Watch } from './declared-kinds.ts'
import { reconcileNowAnnotation } from './steering.ts'

/** Event of an informer, as triggers read it. */
export interface ObjectEvent {
  readonly kind: 'added' | 'updated' | 'deleted'
  readonly object: LiveObject
  readonly previous?: LiveObject | undefined
  /** True for an event of the first list, or of a list after a broken watch. */
  readonly isInitial: boolean
}

/** Number of changed fields that a cause names. */
const namedChanges = 6

export interface Trigger {
  readonly key: Key
  readonly priority: Priority
  readonly cause: Cause
  /** True for a user's change, which a Retry-After of the API server does not delay. */
  readonly overtakesNotBefore?: boolean
}

/** Returns the trigger for an event of the controller's own kind. */
export function triggersOfParent(event: ObjectEvent): readonly Trigger[] {
  const { object, previous, kind, isInitial } = event
  if (kind === 'updated' && previous !== undefined && deepEqual(parentDigest(previous), parentDigest(object))) return []
  const cause: Cause = { kind: isInitial ? 'initial' : 'self', detail: kind + changeOf(parentDigest, event) }
  const isNews = previous !== undefined || !isInitial
  const overtakes = isNews && !deepEqual(userDigest(previous), userDigest(object))
  const trigger: Trigger = { key: keyOf(object), priority: isInitial ? 'resync' : 'user', cause }
  return [overtakes ? { ...trigger, overtakesNotBefore: true } : trigger]
}

export interface ChildKind {
  /** Kind of the controller's own resources. */
  readonly parent: Resource
  /** Name of the controller in the label `konverge.dev/owned-by`. */
  readonly ownedBy: string
  readonly owned: Required<Owned>
  /** Returns the parents of an ApplySet: one, or none. */
  readonly parentsOfSet: (set: string) => readonly LiveObject[]
  readonly parentAt: (key: Key) => LiveObject | undefined
  /**
   * The cluster of the children, if it is not that of their parents: owner references there do not refer to objects
   * here.
   */
  readonly cluster?: ChildCluster | undefined
}

/** Returns the triggers for an event of an owned kind: the controlling parent, or all owners, current and previous. */
export function triggersOfChild(
  { parent, ownedBy, owned, parentsOfSet, parentAt, cluster }: ChildKind,
  event: ObjectEvent,
): readonly Trigger[] {
  const { object, previous, kind, isInitial } = event
  // The first list of parents triggers all of them, so the first list of children triggers nothing.
  if (isInitial && kind === 'added') return []
  const digest = owned.statusMatters ? contentOf : (child: LiveObject) => contentAndReadiness(child, owned)
  if (kind === 'updated' && previous !== undefined && deepEqual(digest(previous), digest(object))) return []
  const cause: Cause = { kind: 'child', detail: `${describeRef(refOf(object))} ${kind}${changeOf(digest, event)}` }
  const keys = new Set([object, previous].flatMap((child) => parentKeysOf(child)))
  return [...keys].map((key) => ({ key, priority: 'child', cause }))

  /**
   * Without a possible owner reference, the inventory decides: an object that only claims to be a child triggers no
   * parent.
   */
  function parentKeysOf(child: LiveObject | undefined): readonly Key[] {
    if (child === undefined) return []
    // Ignores owner references that users add.
    const recorded = hasToken(child)
      ? parentsByLabel(child).filter((candidate) => isRemote(child, candidate, cluster))
      : []
    if (recorded.length > 0) return recorded.map(keyOf)
    const owners = cluster === undefined ? coOwnersOf(child) : []
    if (owners.length > 0) return owners.flatMap((owner) => coOwnerKey(child, owner) ?? [])
    const owner = controllerOf(child)
    if (owner === undefined || cluster !== undefined) return parentsByLabel(child).map(keyOf)
    if (!refersToKind(owner, parent)) return []
    if (parent.scope === 'Namespaced') return [keyFor(child.metadata.namespace, owner.name)]
    const key = keyFor(undefined, owner.name)
    const candidate = parentAt(key)
    return child.metadata.namespace === undefined || (candidate !== undefined && isMember(child, candidate))
      ? [key]
      : []
  }

  function parentsByLabel(child: LiveObject): readonly LiveObject[] {
    const { labels, annotations } = child.metadata
    const parents = parentsOfSet(labels?.[partOfLabel] ?? annotations?.[partOfAnnotation] ?? '')
    return parents.filter((candidate) => isMember(child, candidate, cluster))
  }

  /** Owners are in the namespace of the object, or cluster-scoped like the object. */
  function coOwnerKey(child: LiveObject, owner: OwnerReference): Key | undefined {
    const { namespace } = child.metadata
    const isBeside = (parent.scope === 'Namespaced') === (namespace !== undefined)
    const controller = coOwnerController(child, owner.uid)
    const isOwn = refersToKind(owner, parent) && (controller === undefined || controller === ownedBy)
    return isBeside && isOwn ? keyFor(namespace, owner.name) : undefined
  }
}

/** Returns the triggers for an event of a watched kind. */
export function triggersOfWatched(watch: Watch, lookup: IndexLookup, event: ObjectEvent): readonly Trigger[] {
  const { object, previous, kind, isInitial } = event
  if (isInitial && kind === 'added') return []
  const digest = watch.digest ?? (watch.metadataOnly === true ? versionOf : contentOf)
  if (kind === 'updated' && previous !== undefined && deepEqual(digest(previous), digest(object))) return []
  const cause: Cause = { kind: 'watched', detail: `${describeRef(refOf(object))} ${kind}${changeOf(digest, event)}` }
  const keys = new Set(
    [object, ...(previous === undefined ? [] : [previous])].flatMap((seen) => watch.keysFor(seen, lookup)),
  )
  return [...keys].map((key) => ({ key, priority: 'child', cause }))
}

/** A kind was installed or removed: this concerns every resource of the controller. */
export function causeOfKind(resource: Resource, isServed: boolean): Cause {
  return { kind: 'watched', detail: `${groupResourceOf(resource)} ${isServed ? 'installed' : 'missing'}` }
}

/**
 * The parts of a parent that can change a reconcile: its desired state (by generation, if it has one), and the steering
 * metadata.
 */
function parentDigest(parent: LiveObject): Json {
  const { uid, deletionTimestamp, labels, annotations, finalizers } = parent.metadata
  return {
    spec: desiredVersionOf(parent),
    metadata: { uid, deletionTimestamp, labels, annotations, finalizers },
  } as Json
}

/** The parts of a parent that a user changes to trigger a reconcile: spec, existence and the token of reconcile-now. */
function userDigest(parent: LiveObject | undefined): Json {
  if (parent === undefined) return null
  const { uid, deletionTimestamp, annotations } = parent.metadata
  return {
    spec: desiredVersionOf(parent),
    uid,
    deletionTimestamp,
    token: annotations?.[reconcileNowAnnotation],
  } as Json
}

/** `: spec, metadata.labels`: changed fields by name, at most two levels deep; empty without a previous object. */
function changeOf(digest: (object: LiveObject) => Json, { kind, object, previous }: ObjectEvent): string {
  if (kind !== 'updated' || previous === undefined) return ''
  const changed = changedFields(digest(previous), digest(object)).flatMap(({ name, before, after }) => {
    const inner = name === 'metadata' || name === 'status' ? changedFields(before, after) : []
    return inner.length === 0 ? [name] : inner.map((field) => `${name}.${field.name}`)
  })
  return changed.length === 0 ? '' : `: ${changed.slice(0, namedChanges).join(', ')}`
}

function changedFields(before: Json | undefined, after: Json | undefined) {
  if (!isJsonObject(before) || !isJsonObject(after)) return []
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name) => ({ name, before: own(before, name), after: own(after, name) }))
    .filter((field) => !deepEqual(field.before, field.after))
}

/** Without cached content, only the version shows that the object has changed. */
function versionOf({ metadata }: LiveObject): Json {
  return metadata.resourceVersion
}

function contentOf(object: LiveObject): Json {
  const { resourceVersion: _, managedFields: __, ...metadata } = object.metadata
  return { ...asJson(object), metadata: metadata as unknown as JsonObject }
}

/** Omits the status, except for the readiness of the child, which every reconcile reads. */
function contentAndReadiness(object: LiveObject, owned: Required<Owned>): Json {
  const { status: _, ...content } = object
  return { ...(contentOf(content as LiveObject) as JsonObject), readiness: readinessOf(object, owned).kind }
}
