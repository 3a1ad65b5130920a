// Metadata that make a resource the parent of an ApplySet. They name the id in the labels of its children, the operator
// that manages it, and the kinds and namespaces of its children. kubectl and a later operator find the children without
// any construct. Invariant: the recorded reach covers all children. Users can edit annotations, so the namespaces there
// are never read: `status.inventory` has the authoritative ones. Source: KEP-3659, as kubectl implements it.
import { entriesIn, homeOf } from '../apply/remote-children.ts'
import { CodedError } from '../base/errors.ts'
import type { Patch } from '../kube/client.ts'
import type { OperatorIdentity } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupKindOf } from '../object/resource.ts'
import { applySetId } from '../synth/membership.ts'
import type { Controller } from './definition.ts'
import { coveringShardMark, settledShardMark } from './shard-mark.ts'

/** Metadata on the parent. A value of undefined: the annotation is absent. */
export interface Inventory {
  readonly finalizer: string
  /** The finalizer of an earlier version that `finalizer` replaces. */
  readonly replaces?: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string | undefined>>
}

/** Kinds and namespaces in which children may be; both lists are sorted and unique. */
export interface Reach {
  /** Named as by `groupKindOf`. */
  readonly kinds: readonly string[]
  /** Besides the parent's own. */
  readonly namespaces: readonly string[]
}

const idLabel = 'applyset.kubernetes.io/id'

/**
 * Returns the annotation names of KEP-3659, or those of one of several controllers of a kind: a resource is the parent
 * of one ApplySet only.
 */
function annotationsOf(part: string | undefined) {
  const domain = part === undefined ? 'applyset.kubernetes.io' : `${part}.konverge.dev`
  return {
    tooling: `${domain}/tooling`,
    kinds: `${domain}/contains-group-kinds`,
    namespaces: `${domain}/additional-namespaces`,
  }
}

/** The operator that manages the resource, by its metadata. */
type Holder = Pick<Inventory, 'finalizer' | 'replaces'> & Pick<OperatorIdentity, 'part'> & { readonly tooling: string }
/** Includes the annotation of the shard, if it has a name. */
type Marks = Holder & { readonly mark: Readonly<Record<string, string>> }

/**
 * Metadata from before operators had names. Any operator may replace them, after it has found and applied all children
 * of the resource: until then children may lack newer labels.
 */
const earlier: Holder = { finalizer: 'konverge.dev/cleanup', tooling: 'konverge/v1' }
export const earlierFinalizer = earlier.finalizer
/** Characters of the annotation that are read. */
const maxKindsLength = 8_192
/** A kind and its group. Source: a CamelCase DNS label and a DNS subdomain, RFC 1123. */
const groupKindPattern = /^[A-Za-z][A-Za-z0-9]{0,62}(\.[a-z0-9][-.a-z0-9]{0,252})?$/
/**
 * Kinds of the annotation that are read, because each costs a list request. Controllers that own more kinds declare
 * them.
 */
const maxRecordedKinds = 32
/** Version of the metadata, not of konverge: an upgrade alone writes no resource. */
const marksVersion = 'v1'

/**
 * Returns the minimal metadata of a resource: every kind that its controller owns, and all kinds recorded before.
 * Undefined if it needs none. A resource with metadata of an earlier version of the controller keeps them until their
 * reach is empty.
 */
export function inventoryOf(
  parent: LiveObject,
  controller: Controller,
  identity: OperatorIdentity,
): Inventory | undefined {
  if (!controller.finalizer && !isMarked(parent, identity)) return undefined
  const kinds = kindsAtHome(controller)
  return coveringMarks(parent, joined(recordedReach(parent, identity.part), { kinds, namespaces: [] }), identity)
}

/** Kinds that the controller creates in the cluster of its resources: the metadata describe no other cluster. */
export function kindsAtHome({ owns, childrenIn }: Pick<Controller, 'owns' | 'childrenIn'>): readonly string[] {
  return childrenIn === undefined ? owns.map(({ resource }) => groupKindOf(resource)) : []
}

/** Returns the metadata before an apply. Those of an earlier version stay. */
export function coveringMarks(parent: LiveObject, reach: Reach, identity: OperatorIdentity): Inventory {
  const isManaged = parent.metadata.annotations?.[annotationsOf(identity.part).tooling] !== undefined
  const mark = coveringShardMark(parent, identity, isManaged)
  return marksOf(parent, reach, { ...(hasEarlierMarks(parent, identity.part) ? earlier : holderOf(identity)), mark })
}

/** Returns the metadata after an apply and prune without error. */
export function settledMarks(parent: LiveObject, reach: Reach, identity: OperatorIdentity): Inventory {
  return marksOf(parent, reach, { ...holderOf(identity), mark: settledShardMark(identity) })
}

/**
 * True if the operator that created the children had no name: they may lack the labels by which informers find them.
 */
export function hasEarlierMarks(parent: LiveObject, part: string | undefined): boolean {
  return part === undefined && parent.metadata.annotations?.[annotationsOf(part).tooling] === earlier.tooling
}

/**
 * True if the resource has any metadata of this operator; call it only for resources without another ApplySet's
 * metadata.
 */
export function isMarked(parent: LiveObject, identity: OperatorIdentity): boolean {
  const hasTooling = parent.metadata.annotations?.[annotationsOf(identity.part).tooling] !== undefined
  return hasTooling || (parent.metadata.finalizers ?? []).some((name) => isFinalizerOf(name, identity))
}

/** Returns a patch that removes all metadata of this operator; finalizers of others stay. */
export function noMarks(parent: LiveObject, identity: OperatorIdentity): Patch {
  const { finalizers = [], resourceVersion } = parent.metadata
  const left = finalizers.filter((name) => !isFinalizerOf(name, identity))
  const annotations = Object.fromEntries(Object.values(annotationsOf(identity.part)).map((name) => [name, null]))
  const labels = identity.part === undefined ? { [idLabel]: null } : {}
  return { type: 'merge', body: { metadata: { resourceVersion, finalizers: left, labels, annotations } } }
}

/** True also for the finalizer of an earlier version, which the operator's own replaces. */
function isFinalizerOf(name: string, identity: OperatorIdentity): boolean {
  const { finalizer, replaces } = holderOf(identity)
  return name === finalizer || name === replaces
}

function holderOf({ qualifiedName, part }: OperatorIdentity): Holder {
  const replaces = part === undefined ? earlier.finalizer : undefined
  return { finalizer: qualifiedName, replaces, part, tooling: `${qualifiedName}/${marksVersion}` }
}

function marksOf(parent: LiveObject, { kinds, namespaces }: Reach, marks: Marks): Inventory {
  const { finalizer, replaces, part, tooling, mark } = marks
  const annotations = annotationsOf(part)
  return {
    finalizer,
    replaces,
    labels: part === undefined ? { [idLabel]: applySetId(parent) } : {},
    annotations: {
      [annotations.tooling]: tooling,
      [annotations.kinds]: kinds.join(','),
      [annotations.namespaces]: namespaces.length === 0 ? undefined : namespaces.join(','),
      ...mark,
    },
  }
}

/**
 * Returns the kinds in the annotation, at most 32 well-formed ones, and the namespaces of the remote children recorded
 * in the parent's cluster.
 */
export function recordedReach(parent: LiveObject, part?: string): Reach {
  const text = parent.metadata.annotations?.[annotationsOf(part).kinds] ?? ''
  const whole = text.length <= maxKindsLength ? text : text.slice(0, text.lastIndexOf(',', maxKindsLength))
  const named = whole
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => groupKindPattern.test(kind))
  const namespaces = entriesIn(undefined, parent).flatMap(({ namespace }) =>
    namespace === undefined ? [] : [namespace],
  )
  return { kinds: sorted(named).slice(0, maxRecordedKinds), namespaces: sorted(namespaces) }
}

/**
 * Returns the namespaces in the annotation, besides the parent's own. They are only a hint that children were there,
 * because users can edit them.
 */
export function hintedNamespaces(parent: LiveObject): readonly string[] {
  const text = parent.metadata.annotations?.[annotationsOf(undefined).namespaces] ?? ''
  return text.split(',').filter((namespace) => namespace !== '')
}

/** Returns the kinds of these objects, and their namespaces other than the parent's. */
export function reachOf(parent: LiveObject, objects: readonly KubeObject[]): Reach {
  const namespaces = objects.flatMap(({ metadata: { namespace } }) => (namespace === undefined ? [] : [namespace]))
  return {
    kinds: sorted(objects.map(groupKindOf)),
    namespaces: sorted(namespaces.filter((namespace) => namespace !== homeOf(parent))),
  }
}

export function joined(...reaches: readonly Reach[]): Reach {
  return {
    kinds: sorted(reaches.flatMap(({ kinds }) => kinds)),
    namespaces: sorted(reaches.flatMap(({ namespaces }) => namespaces)),
  }
}

/**
 * Returns the rejection of a resource that is the ApplySet of another tool or operator, which would prune the children
 * of this one. Undefined if the resource belongs to this operator, is unmanaged, or is of an earlier version.
 */
export function foreignInventory(
  parent: LiveObject,
  { qualifiedName, part }: OperatorIdentity,
): CodedError<'ForeignInventory'> | undefined {
  const annotation = annotationsOf(part).tooling
  const named = parent.metadata.annotations?.[annotation]
  if (named === undefined || hasEarlierMarks(parent, part)) return undefined
  const tool = named.slice(0, Math.max(0, named.lastIndexOf('/')))
  if (tool === qualifiedName) return undefined
  return new CodedError({
    code: 'ForeignInventory',
    message: `${describeRef(refOf(parent))} is managed by "${named}", and one tool or operator manages a resource: stop that one, then remove the annotation ${annotation} to hand the resource to ${qualifiedName}`,
    remedy: 'stop',
  })
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort()
}
