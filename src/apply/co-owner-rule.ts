// Decides about an object that several resources own together: which resource may join, how one leaves, and who keeps a field that two declare
// otherwise. Pure. Invariant: a resource never takes a field from another owner that the API server shows, and the object goes with its last owner
// only (I5, I7).
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
import { namedFields, type RivalClaim } from './rival-claims.ts'
import { withoutFields } from './without-fields.ts'

/** True if `desired`, declared with `coOwn`, may join the owners: the object has such owners, all of this operator. */
export function mayJoin(desired: KubeObject, live: LiveObject): boolean {
  const operator = desired.metadata.labels?.[managedByLabel]
  return isCoOwned(live) && operator !== undefined && live.metadata.labels?.[managedByLabel] === operator
}

/** True if the next apply makes one more owner beside those whose records are there: nothing of theirs is to be corrected before. */
export function joinsOwners({ lasting, policies }: DesiredObject, live: LiveObject): boolean {
  const { managedFields = [] } = live.metadata
  return policies.coOwn && mayJoin(lasting, live) && managedFields.some(({ manager }) => isCoOwnerManager(manager))
}

/** True if `parent` is the only owner, so that it may own the object alone. */
export function isLastOwner(live: LiveObject, parent: LiveObject): boolean {
  return isCoOwnedBy(live, parent.metadata.uid) && !hasOtherOwners(live, parent.metadata.uid)
}

/** How a child goes: an owner leaves the others their parts, and all other children are deleted. */
export function departureOf(child: LiveObject, parent: LiveObject): 'release' | 'delete' {
  return isCoOwned(child) && hasOtherOwners(child, parent.metadata.uid) ? 'release' : 'delete'
}

/** The managers of what a resource declared on the object: one, unless two of its controllers did. */
export function partManagersOf({ metadata: { managedFields = [] } }: LiveObject, ownerUid: string): readonly string[] {
  const managers = managedFields.flatMap(({ manager = '', operation }) => (operation === 'Apply' ? [manager] : []))
  return [...new Set(managers)].filter((manager) => coOwnerOfManager(manager) === ownerUid)
}

/**
 * UIDs of owners that have records or marks on the object and no reference any more: a user removed their finalizers, or the reference itself.
 * `manager` is that of the current owner; records of other operators do not count.
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
 * What an owner applies to leave: nothing. Its fields go, and with them its owner reference and its mark. Locked to the version, because the last two
 * owners that leave at once would leave an object without an owner.
 */
export function emptyPart({ apiVersion, kind, metadata }: LiveObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion },
  }
}

/** Takes off the reference and the mark where the record of their apply is lost, or another manager keeps them; undefined: they are gone. */
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

/** With the version where others may become owners meanwhile. */
export function deletePreconditions(child: LiveObject): { readonly uid: string; readonly resourceVersion?: string } {
  const { uid, resourceVersion } = child.metadata
  return isCoOwned(child) ? { uid, resourceVersion } : { uid }
}

/** The part of one owner, declared and live. */
export interface OwnerPart {
  /** As it is applied. */
  readonly declared: KubeObject
  /** As the API server shows it now. */
  readonly live: LiveObject
  readonly manager: string
}

/**
 * The claims of other owners, which keep their fields. None if the last apply of this part declared the same: an owner does not force, so another client
 * used its manager. A manager without a reference is none of an owner.
 */
export function claimsOfOwners(
  { declared, live, manager }: OwnerPart,
  claims: readonly RivalClaim[],
): readonly RivalClaim[] {
  const hash = appliedHashOf(declared)
  if (hash !== undefined && hash === appliedHashOf(live, declared)) return []
  const uids = new Set((live.metadata.ownerReferences ?? []).map(({ uid }) => uid))
  return claims.filter(
    (claim) => isOfOperator(claim.manager, manager) && uids.has(coOwnerOfManager(claim.manager) ?? ''),
  )
}

/** The declaration without the fields that other owners keep: an owner that waits for one field has all others, and none that it no longer declares. */
export function partWithout(declared: KubeObject, claims: readonly RivalClaim[]): KubeObject {
  return rehashed(
    withoutFields(
      declared,
      claims.flatMap(({ fields }) => fields),
    ),
  )
}

/** The rejection of a part that declares fields of other owners otherwise. */
export function fieldConflict(
  { declared, live }: OwnerPart,
  claims: readonly RivalClaim[],
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

/** The rejection of a child whose name another object has, where one of the two is declared with `coOwn`. */
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
