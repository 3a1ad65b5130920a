// Marks that make a resource the parent of an ApplySet: the id that its children carry, the operator that manages it, and the kinds and
// namespaces to look for them in. kubectl and a later operator find them without any construct. Invariant: the recorded reach covers all children.
// Users can edit annotations, so the namespaces are only written there; they are read from `status.inventory`.
// Source: KEP-3659, as kubectl's code has it.
import { homeOf, inventoryEntriesOf } from '../apply/remote-children.ts'
import { CodedError } from '../base/errors.ts'
import type { OperatorIdentity } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupKindOf } from '../object/resource.ts'
import { applySetId } from '../synth/membership.ts'
import type { Controller } from './definition.ts'

/** What is written on the parent. A value of undefined: the annotation is not there. */
export interface Inventory {
  readonly finalizer: string
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

const toolingAnnotation = 'applyset.kubernetes.io/tooling'
const kindsAnnotation = 'applyset.kubernetes.io/contains-group-kinds'
const namespacesAnnotation = 'applyset.kubernetes.io/additional-namespaces'
/** What the marks say whose the resource is. */
type Holder = Pick<Inventory, 'finalizer'> & { readonly tooling: string }

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

/** The marks that a resource has at least: every kind that its controller owns, and whatever was recorded before. */
export function inventoryOf(parent: LiveObject, { owns }: Controller, identity: OperatorIdentity): Inventory {
  const kinds = owns.map(({ resource }) => groupKindOf(resource))
  return coveringMarks(parent, joined(recordedReach(parent), { kinds, namespaces: [] }), identity)
}

/** The marks before an apply. Those of an earlier version stay. */
export function coveringMarks(parent: LiveObject, reach: Reach, identity: OperatorIdentity): Inventory {
  return marksOf(parent, reach, hasEarlierMarks(parent) ? earlier : holderOf(identity))
}

/** The marks after an apply and prune without error. */
export function settledMarks(parent: LiveObject, reach: Reach, identity: OperatorIdentity): Inventory {
  return marksOf(parent, reach, holderOf(identity))
}

/** True if the operator that made the children had no name: they may lack the labels by which informers find them. */
export function hasEarlierMarks(parent: LiveObject): boolean {
  return parent.metadata.annotations?.[toolingAnnotation] === earlier.tooling
}

function holderOf({ qualifiedName }: OperatorIdentity): Holder {
  return { finalizer: qualifiedName, tooling: `${qualifiedName}/${marksVersion}` }
}

function marksOf(parent: LiveObject, { kinds, namespaces }: Reach, { finalizer, tooling }: Holder): Inventory {
  return {
    finalizer,
    labels: { 'applyset.kubernetes.io/id': applySetId(parent) },
    annotations: {
      [toolingAnnotation]: tooling,
      [kindsAnnotation]: kinds.join(','),
      [namespacesAnnotation]: namespaces.length === 0 ? undefined : namespaces.join(','),
    },
  }
}

/** The kinds that the annotation names, at most 32 well-formed ones, and the namespaces of the recorded remote children. */
export function recordedReach(parent: LiveObject): Reach {
  const text = parent.metadata.annotations?.[kindsAnnotation] ?? ''
  const whole = text.length <= maxKindsLength ? text : text.slice(0, text.lastIndexOf(',', maxKindsLength))
  const named = whole
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => groupKindPattern.test(kind))
  const namespaces = inventoryEntriesOf(parent).flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace]))
  return { kinds: sorted(named).slice(0, maxRecordedKinds), namespaces: sorted(namespaces) }
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
  { qualifiedName }: OperatorIdentity,
): CodedError<'ForeignInventory'> | undefined {
  const named = parent.metadata.annotations?.[toolingAnnotation]
  if (named === undefined || hasEarlierMarks(parent)) return undefined
  const tool = named.slice(0, Math.max(0, named.lastIndexOf('/')))
  if (tool === qualifiedName) return undefined
  return new CodedError({
    code: 'ForeignInventory',
    message: `${describeRef(refOf(parent))} is managed by "${named}", and one tool or operator manages a resource: stop that one, then remove the annotation ${toolingAnnotation} to hand the resource to ${qualifiedName}`,
    remedy: 'stop',
  })
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort()
}
