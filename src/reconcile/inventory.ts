// Marks that make a resource the parent of an ApplySet: the id that its children carry, the operator that manages it, and the kinds and
// namespaces to look for them in. kubectl and a later operator find them without any construct. Invariant: the recorded reach covers all children.
// Users can edit annotations, so the namespaces are only written there; they are read from `status.inventory`.
// Source: KEP-3659, as kubectl's code has it.
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

/** What is written on the parent. A value of undefined: the annotation is not there. */
export interface Inventory {
  readonly finalizer: string
  /** The finalizer of an earlier version whose place it takes. */
  readonly replaces?: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string | undefined>>
}

/** Where children may be; both lists are sorted and hold nothing twice. */
export interface Reach {
  /** Named as by `groupKindOf`. */
  readonly kinds: readonly string[]
  /** Besides the parent's own. */
  readonly namespaces: readonly string[]
}

const idLabel = 'applyset.kubernetes.io/id'

/** The names of the annotations: those of KEP-3659, or of one of several controllers of a kind its own, as a resource is the parent of one ApplySet. */
function annotationsOf(part: string | undefined) {
  const domain = part === undefined ? 'applyset.kubernetes.io' : `${part}.konverge.dev`
  return {
    tooling: `${domain}/tooling`,
    kinds: `${domain}/contains-group-kinds`,
    namespaces: `${domain}/additional-namespaces`,
  }
}

/** What the marks say whose the resource is. */
type Holder = Pick<Inventory, 'finalizer' | 'replaces'> & Pick<OperatorIdentity, 'part'> & { readonly tooling: string }
/** With the annotation of its shard, if that has a name. */
type Marks = Holder & { readonly mark: Readonly<Record<string, string>> }

/**
 * The marks of every operator before operators had names. Any operator may replace them, and does when all children of the resource are
 * found and applied: until then children may lack what is new on them.
 */
const earlier: Holder = { finalizer: 'konverge.dev/cleanup', tooling: 'konverge/v1' }
export const earlierFinalizer = earlier.finalizer
/** Of the annotation, in characters: the rest is not read. */
const maxKindsLength = 8_192
/** A kind and its group. Source: a CamelCase DNS label and a DNS subdomain, RFC 1123. */
const groupKindPattern = /^[A-Za-z][A-Za-z0-9]{0,62}(\.[a-z0-9][-.a-z0-9]{0,252})?$/
/** How many kinds of the annotation are read: each costs a list request. Controllers that own more name them themselves. */
const maxRecordedKinds = 32
/** Of the marks, not of konverge: an upgrade writes no resource for its own sake. */
const marksVersion = 'v1'

/**
 * The marks that a resource has at least: every kind that its controller owns, and whatever was recorded before. Undefined if it needs none. One
 * that an earlier version of the controller marked keeps its marks until what they reach is gone.
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

/** The kinds that the controller makes in the cluster of its resources: the marks tell of no other cluster. */
export function kindsAtHome({ owns, childrenIn }: Pick<Controller, 'owns' | 'childrenIn'>): readonly string[] {
  return childrenIn === undefined ? owns.map(({ resource }) => groupKindOf(resource)) : []
}

/** The marks before an apply. Those of an earlier version stay. */
export function coveringMarks(parent: LiveObject, reach: Reach, identity: OperatorIdentity): Inventory {
  const isManaged = parent.metadata.annotations?.[annotationsOf(identity.part).tooling] !== undefined
  const mark = coveringShardMark(parent, identity, isManaged)
  return marksOf(parent, reach, { ...(hasEarlierMarks(parent, identity.part) ? earlier : holderOf(identity)), mark })
}

/** The marks after an apply and prune without error. */
export function settledMarks(parent: LiveObject, reach: Reach, identity: OperatorIdentity): Inventory {
  return marksOf(parent, reach, { ...holderOf(identity), mark: settledShardMark(identity) })
}

/** True if the operator that made the children had no name: they may lack the labels by which informers find them. */
export function hasEarlierMarks(parent: LiveObject, part: string | undefined): boolean {
  return part === undefined && parent.metadata.annotations?.[annotationsOf(part).tooling] === earlier.tooling
}

/** True if a resource that is no ApplySet of another one has any mark of this operator. */
export function isMarked(parent: LiveObject, identity: OperatorIdentity): boolean {
  const hasTooling = parent.metadata.annotations?.[annotationsOf(identity.part).tooling] !== undefined
  return hasTooling || (parent.metadata.finalizers ?? []).some((name) => isFinalizerOf(name, identity))
}

/** No mark at all: finalizers of others stay. */
export function noMarks(parent: LiveObject, identity: OperatorIdentity): Patch {
  const { finalizers = [], resourceVersion } = parent.metadata
  const left = finalizers.filter((name) => !isFinalizerOf(name, identity))
  const annotations = Object.fromEntries(Object.values(annotationsOf(identity.part)).map((name) => [name, null]))
  const labels = identity.part === undefined ? { [idLabel]: null } : {}
  return { type: 'merge', body: { metadata: { resourceVersion, finalizers: left, labels, annotations } } }
}

/** True also for the finalizer of an earlier version, whose place ours takes. */
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

/** The kinds that the annotation names, at most 32 well-formed ones, and the namespaces of the remote children that are recorded in the parent's cluster. */
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
 * The namespaces that the annotation names, besides the parent's own: a hint that children were there, and nothing to go by, as users can edit it.
 */
export function hintedNamespaces(parent: LiveObject): readonly string[] {
  const text = parent.metadata.annotations?.[annotationsOf(undefined).namespaces] ?? ''
  return text.split(',').filter((namespace) => namespace !== '')
}

/** The kinds of these objects, and their namespaces other than the parent's. */
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
 * The rejection of a resource that is the ApplySet of another tool or another operator, which would take our children for its own and prune
 * them; undefined if the resource is ours, unmanaged, or of an earlier version.
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
