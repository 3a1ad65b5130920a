// Decides about an object that several resources own together: which resource may join, how one leaves, and who keeps a field that two declare
// otherwise. Pure. Invariant: a resource never takes a field from another owner, and the object goes with its last owner only (I5, I7).
import { CodedError } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import type { JsonPatchOperation } from '../base/json-patch.ts'
import { coOwnersOf, hasOtherOwners, isCoOwned, isCoOwnedBy, ownerMarkOf } from '../object/co-owner.ts'
import { coOwnerOfManager, isCoOwnerManager } from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { controllerOf } from '../object/ownership.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { managedByLabel } from '../synth/membership.ts'
import { namedFields, type RivalClaim } from './rival-claims.ts'

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
export function partManagersOf(
  { metadata: { managedFields = [] } }: LiveObject,
  parent: LiveObject,
): readonly string[] {
  const managers = managedFields.flatMap(({ manager = '', operation }) => (operation === 'Apply' ? [manager] : []))
  return [...new Set(managers)].filter((manager) => coOwnerOfManager(manager) === parent.metadata.uid)
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
export function departurePatch(
  { metadata }: LiveObject,
  { metadata: { uid } }: LiveObject,
): readonly JsonPatchOperation[] | undefined {
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

/** The rejection of a part that declares fields of other owners otherwise; undefined if none of the claims is of an owner. */
export function fieldConflict(
  live: LiveObject,
  claims: readonly RivalClaim[],
): CodedError<'FieldConflict'> | undefined {
  const ofOwners = claims.filter(({ manager }) => isCoOwnerManager(manager))
  if (ofOwners.length === 0) return undefined
  const owners = new Map(coOwnersOf(live).map(({ uid, kind, name }) => [uid, `${kind} ${name}`]))
  const fields = ofOwners.map(({ manager, fields }) => {
    return `${fields.slice(0, namedFields).join(', ')} otherwise than ${owners.get(coOwnerOfManager(manager) ?? '') ?? manager}`
  })
  return new CodedError({
    code: 'FieldConflict',
    message: `${describeRef(refOf(live))} has several owners and declares ${fields.join(', and ')}; declare the same values, or other fields`,
    remedy: 'retry',
  })
}

/** The rejection of a child whose name another object has, where one of the two is declared with `coOwn`. */
export function coOwnerConflict(parent: LiveObject, live: LiveObject): CodedError<'ConflictingOwner'> {
  const controller = controllerOf(live)
  const owners = coOwnersOf(live).map(({ kind, name }) => `${kind} ${name}`)
  const found =
    controller !== undefined
      ? `is controlled by ${controller.kind} ${controller.name} alone`
      : `is owned together by ${owners.slice(0, namedOwners).join(' and ')}`
  const remedy = 'declare it with coOwn() in all of them, or give one of the objects another name'
  return new CodedError({
    code: 'ConflictingOwner',
    message: `${describeRef(refOf(live))} exists and ${found}, so ${describeRef(refOf(parent))} cannot own it; ${remedy}`,
    remedy: 'retry',
  })
}

const namedOwners = 3
