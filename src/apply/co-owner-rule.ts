// Rules for an object that several resources own together: which resource may join, how one leaves, and who keeps a
// field with two different declarations. Pure. Invariant: a resource never takes a field from another owner on the API
// server (I7). The object is deleted only with its last owner (I5).
import { CodedError } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import type { JsonPatchOperation } from '../base/json-patch.ts'
import { appliedHashOf, rehashed } from '../diff/applied-hash.ts'
import { coOwnersOf, hasOtherOwners, isCoOwned, isCoOwnedBy, ownerMarkOf, ownerOfMark } from '../object/co-owner.ts'
import { coOwnerOfManager, isCoOwnerManager } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { controllerOf } from '../object/ownership.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { managedByLabel } from '../synth/membership.ts'
import { namedFields, type OtherClaim } from './other-claims.ts'
import { withoutFields } from './without-fields.ts'

/** True if `desired`, declared with `coOwn`, may join the owners: the object has such owners, all of this operator. */
export function mayJoin(desired: KubeObject, live: LiveObject): boolean {
  const operator = desired.metadata.labels?.[managedByLabel]
  return isCoOwned(live) && operator !== undefined && live.metadata.labels?.[managedByLabel] === operator
}

/**
 * True if the next apply adds an owner to those with managedFields entries: their entries need no correction before it.
 */
export function joinsOwners({ lasting, policies }: DesiredObject, live: LiveObject): boolean {
  const { managedFields = [] } = live.metadata
  return policies.coOwn && mayJoin(lasting, live) && managedFields.some(({ manager }) => isCoOwnerManager(manager))
}

/** True if `parent` is the only owner, so that it may own the object alone. */
export function isLastOwner(live: LiveObject, parent: LiveObject): boolean {
  return isCoOwnedBy(live, parent.metadata.uid) && !hasOtherOwners(live, parent.metadata.uid)
}

/** Way to remove a child: an owner leaves the others their parts, and all other children are deleted. */
export function departureOf(child: LiveObject, parent: LiveObject): 'release' | 'delete' {
  return isCoOwned(child) && hasOtherOwners(child, parent.metadata.uid) ? 'release' : 'delete'
}

/** Returns the managers of a resource's declarations on the object: one, unless two of its controllers declared it. */
export function partManagersOf({ metadata: { managedFields = [] } }: LiveObject, ownerUid: string): readonly string[] {
  const managers = managedFields.flatMap(({ manager = '', operation }) => (operation === 'Apply' ? [manager] : []))
  return [...new Set(managers)].filter((manager) => coOwnerOfManager(manager) === ownerUid)
}

/**
 * Returns UIDs of owners that have managedFields entries or ownership markers on the object but no reference. A user
 * removed their finalizers, or the reference itself. `manager` is that of the current owner; entries of other operators
 * do not count.
 */
export function abandonedParts({ metadata }: LiveObject, manager: string): readonly string[] {
  const { ownerReferences = [], managedFields = [], labels = {}, annotations = {} } = metadata
  const recorded = managedFields.flatMap((entry) => (isOfOperator(entry.manager, manager) ? [entry.manager] : []))
  const marked = [...Object.keys(labels), ...Object.keys(annotations)].flatMap((key) => ownerOfMark(key) ?? [])
  const uids = new Set([...recorded.flatMap((name) => coOwnerOfManager(name) ?? []), ...marked])
  return [...uids].filter((uid) => ownerReferences.every((owner) => owner.uid !== uid))
}

/** Names of operators have no slash. */
function isOfOperator(manager: string | undefined, ours: string): manager is string {
  return manager?.startsWith(ours.slice(0, ours.indexOf('/') + 1)) === true
}

/**
 * Returns the empty declaration by which an owner leaves: the apply removes its fields, its owner reference and its
 * marker. Locked to the version, because two last owners that leave at once would leave an object without an owner.
 */
export function emptyPart({ apiVersion, kind, metadata }: LiveObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion },
  }
}

/**
 * Returns a patch that removes the reference and the marker; undefined if they are gone. It is needed if their
 * managedFields entry is lost, or another manager keeps them.
 */
export function departurePatch({ metadata }: LiveObject, uid: string): readonly JsonPatchOperation[] | undefined {
  const { ownerReferences = [], labels = {}, annotations = {}, resourceVersion } = metadata
  const mark = ownerMarkOf(uid)
  const maps = Object.entries({ labels, annotations }).filter(([, map]) => Object.hasOwn(map, mark))
  const left = ownerReferences.filter((owner) => owner.uid !== uid)
  if (maps.length === 0 && left.length === ownerReferences.length) return undefined
  return [
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    ...maps.map(([field]) => ({ op: 'remove', path: `/metadata/${field}/${mark.replace('/', '~1')}` }) as const),
    // Sound: owner references came from JSON.
    { op: 'replace', path: '/metadata/ownerReferences', value: left as unknown as readonly Json[] },
  ]
}

/** Includes the version if others may become owners meanwhile. */
export function deletePreconditions(child: LiveObject): { readonly uid: string; readonly resourceVersion?: string } {
  const { uid, resourceVersion } = child.metadata
  return isCoOwned(child) ? { uid, resourceVersion } : { uid }
}

/** The part of one owner, declared and live. */
export interface OwnerPart {
  /** The declaration as it is applied. */
  readonly declared: KubeObject
  /** The object as the API server has it now. */
  readonly live: LiveObject
  readonly manager: string
}

/**
 * Returns the claims of other owners, which keep their fields. Empty if the last apply of this part had the same
 * declaration: an owner does not force, so another client used its manager. A manager without an owner reference
 * belongs to no owner.
 */
export function claimsOfOwners(
  { declared, live, manager }: OwnerPart,
  claims: readonly OtherClaim[],
): readonly OtherClaim[] {
  const hash = appliedHashOf(declared)
  if (hash !== undefined && hash === appliedHashOf(live, declared)) return []
  const uids = new Set((live.metadata.ownerReferences ?? []).map(({ uid }) => uid))
  return claims.filter(
    (claim) => isOfOperator(claim.manager, manager) && uids.has(coOwnerOfManager(claim.manager) ?? ''),
  )
}

/**
 * Returns the declaration without the fields that other owners keep. An owner that waits for one field thus has all
 * others, and no undeclared one.
 */
export function partWithout(declared: KubeObject, claims: readonly OtherClaim[]): KubeObject {
  return rehashed(
    withoutFields(
      declared,
      claims.flatMap(({ fields }) => fields),
    ),
  )
}

/** Returns the rejection of a part that declares other values for fields of other owners. */
export function fieldConflict(
  { declared, live }: OwnerPart,
  claims: readonly OtherClaim[],
): CodedError<'FieldConflict'> {
  const owners = new Map((live.metadata.ownerReferences ?? []).map(({ uid, kind, name }) => [uid, `${kind} ${name}`]))
  const own = new Set((declared.metadata.ownerReferences ?? []).map(({ uid }) => uid))
  const isOfSibling = claims.some(({ manager }) => own.has(coOwnerOfManager(manager) ?? ''))
  const fields = claims.map(({ manager, shown, fields }) => {
    return `${fields.slice(0, namedFields).join(', ')} otherwise than ${owners.get(coOwnerOfManager(manager) ?? '') ?? shown}`
  })
  const problem = isOfSibling
    ? 'is owned through another controller of the same resource, and a resource has one part; declare both parts in one of the controllers'
    : `has several owners and declares ${fields.join(', and ')}; declare the same values, or other fields`
  return new CodedError({ code: 'FieldConflict', message: `${describeRef(refOf(live))} ${problem}`, remedy: 'retry' })
}

/** Returns the rejection of a child whose name another object has, if one of the two is declared with `coOwn`. */
export function coOwnerConflict(parent: LiveObject, live: LiveObject): CodedError<'ConflictingOwner'> {
  const controller = controllerOf(live)
  const owners = coOwnersOf(live).map(({ kind, name }) => `${kind} ${name}`)
  const found =
    controller !== undefined
      ? `is controlled by ${controller.kind} ${controller.name} alone`
      : `is owned together by ${owners.slice(0, namedOwners).join(' and ')}`
  const remedy = 'declare it with coOwn() in all of them, under one operator, or give one of the objects another name'
  return new CodedError({
    code: 'ConflictingOwner',
    message: `${describeRef(refOf(live))} exists and ${found}, so ${describeRef(refOf(parent))} cannot own it; ${remedy}`,
    remedy: 'retry',
  })
}

const namedOwners = 3
