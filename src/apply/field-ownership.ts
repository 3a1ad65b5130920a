// Corrects the records of managedFields before an apply. A manager that declared a field once keeps it alive forever: former managers must
// not claim what we adopt, an earlier version must not claim what its successor drops, and leaving out what is no longer to be ours would
// delete it. Pure. Invariant: no field changes, only the records of its owners.

import { declaredFields } from '../diff/declared-fields.ts'
import { FieldSet, fieldSetOf } from '../diff/field-set.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import { coOwnersOf } from '../object/co-owner.ts'
import { coOwnerOfManager, earlierChildManager } from '../object/identity.ts'
import { asJson, type KubeObject, type LiveObject, type ManagedFieldsEntry } from '../object/object.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { managedByLabel, ownedByLabel } from '../synth/membership.ts'
import { selectedFields } from './selected-fields.ts'

/**
 * The fields that we own and are not to: shared ones, those that were ours only at first, and what we no longer declare of
 * somebody else's object. Of what a resource contributes to itself nothing: it goes. Empty at rest. A look at our own record is enough, so the cached object will do.
 */
export function fieldsToHandOver({ lasting, policies }: DesiredObject, live: LiveObject, manager: string): FieldSet {
  const owned = ownedFieldsOf(live, manager) ?? FieldSet.empty
  if (policies.isSelf) return FieldSet.empty
  if (policies.contribute) return owned.difference(declaredFields(owned, asJson(lasting)))
  const selected = [...policies.shared, ...policies.initialOnly]
    .map(({ steps }) => selectedFields(owned, asJson(live), steps))
    .reduce((all, some) => all.union(some), FieldSet.empty)
  // What is declared all the same, such as our labels among shared ones, would only be claimed again.
  return selected.difference(declaredFields(selected, asJson(lasting)))
}

/**
 * True if a version without names of operators applied it, whose record claims the fields of all controllers; or the former manager of the same
 * declaration did.
 */
export function hasEarlierRecord({ metadata: { managedFields = [] } }: KubeObject, former?: string): boolean {
  return managedFields.some((entry) => isOfEarlier(entry, former))
}

/**
 * True if an update is recorded under our manager: the patch that empties values leaves one for each default that the API server put in place
 * of a member. Nothing else that we send is an update of a child.
 */
export function hasUpdateRecord({ metadata: { managedFields = [] } }: KubeObject, manager: string): boolean {
  return managedFields.some((entry) => isUpdateOf(entry, manager))
}

/**
 * The managedFields that the object is to have; undefined if they are right. `live` must have all of them.
 *
 * - An object that we have never applied, being adopted or having lost its managedFields: every other manager loses
 *   exactly the fields that we declare, and keeps all else. Our own record begins with one field, because the server takes
 *   an object without any record for one that `before-first-apply` owns as a whole.
 * - Else our own record loses what is to be handed over. The fields stay as they are.
 * - The record of our update goes; its fields have no owner then.
 * - The record of an earlier version, or of the former manager, becomes ours on a child. Of an object that we contribute to, it loses what we declare,
 *   and goes where no owner is left to take it.
 * - An owner that joins others takes no field from their records.
 */
export function repairedManagedFields(
  desired: DesiredObject,
  live: LiveObject,
  manager: string,
  former?: string,
): readonly ManagedFieldsEntry[] | undefined {
  const moved = withoutEarlierRecord(desired, live, { manager, former })
  const object = moved === undefined ? live : { ...live, metadata: { ...live.metadata, managedFields: moved } }
  const corrected = correctedRecords(desired, object, manager) ?? moved
  const isShared = desired.policies.contribute && !desired.policies.isSelf
  if (isShared || !hasUpdateRecord(live, manager)) return corrected
  return (corrected ?? live.metadata.managedFields ?? []).filter((entry) => !isUpdateOf(entry, manager))
}

/** The records, with our own one without these fields. */
export function recordsWithout(
  records: readonly ManagedFieldsEntry[],
  fields: FieldSet,
  manager: string,
): readonly ManagedFieldsEntry[] {
  return records.map((entry) => (isApplyOf(entry, manager) ? without(entry, fields) : entry))
}

/** A name alone proves nothing: an owner has a reference. */
function isRecordOfOwner(live: LiveObject, { manager = '' }: ManagedFieldsEntry): boolean {
  return coOwnersOf(live).some(({ uid }) => uid === coOwnerOfManager(manager))
}

function correctedRecords(
  desired: DesiredObject,
  live: LiveObject,
  manager: string,
): readonly ManagedFieldsEntry[] | undefined {
  const entries = live.metadata.managedFields ?? []
  const ours = entries.findLast((entry) => isApplyOf(entry, manager))
  if (ours === undefined) {
    if (desired.policies.contribute) return undefined
    const others = entries.flatMap((entry) => {
      return isRecordOfOwner(live, entry) ? [entry] : withoutDeclared(entry, desired.lasting)
    })
    if (desired.policies.coOwn && others.every((entry) => entries.includes(entry)) && others.length > 0)
      return undefined
    return [...others, firstRecord(desired, live, manager)]
  }
  const handedOver = fieldsToHandOver(desired, live, manager)
  if (handedOver.isEmpty) return undefined
  return entries.map((entry) => (entry === ours ? without(entry, handedOver) : entry))
}

function withoutEarlierRecord(
  { policies, lasting }: DesiredObject,
  { metadata: { managedFields = [], labels } }: LiveObject,
  { manager, former }: { readonly manager: string; readonly former: string | undefined },
): readonly ManagedFieldsEntry[] | undefined {
  const earlier = managedFields.findLast((entry) => isOfEarlier(entry, former))
  if (earlier === undefined) return undefined
  const replacedBy = (replacement: readonly ManagedFieldsEntry[]) =>
    managedFields.flatMap((entry) => (entry === earlier ? replacement : [entry]))
  if (policies.contribute) {
    const rest = labels?.[ownedByLabel] === undefined ? [] : withoutDeclared(earlier, lasting)
    return rest.includes(earlier) ? undefined : replacedBy(rest)
  }
  const ours = managedFields.findLast((entry) => isApplyOf(entry, manager))
  if (ours === undefined) return replacedBy([{ ...earlier, manager }])
  return replacedBy([]).map((entry) => (entry === ours ? joinedRecord(ours, earlier) : entry))
}

/** In another version the paths of the earlier record may be spelled differently. */
function joinedRecord(ours: ManagedFieldsEntry, earlier: ManagedFieldsEntry): ManagedFieldsEntry {
  if (ours.apiVersion !== earlier.apiVersion) return ours
  const fields = fieldSetOf(ours.fieldsV1 ?? {}).union(fieldSetOf(earlier.fieldsV1 ?? {}))
  return { ...ours, fieldsV1: fields.toFieldsV1() }
}

function isApplyOf({ manager, operation, subresource = '' }: ManagedFieldsEntry, ours: string): boolean {
  return manager === ours && operation === 'Apply' && subresource === ''
}

function isOfEarlier(entry: ManagedFieldsEntry, former: string | undefined): boolean {
  return isApplyOf(entry, earlierChildManager) || (former !== undefined && isApplyOf(entry, former))
}

function isUpdateOf({ manager, operation, subresource = '' }: ManagedFieldsEntry, ours: string): boolean {
  return manager === ours && operation === 'Update' && subresource === ''
}

/** A record without fields is none. */
function withoutDeclared(entry: ManagedFieldsEntry, declared: KubeObject): readonly ManagedFieldsEntry[] {
  if (entry.fieldsV1 === undefined) return []
  const fields = fieldSetOf(entry.fieldsV1)
  const taken = declaredFields(fields, asJson(declared))
  if (taken.isEmpty) return [entry]
  return fields.difference(taken).isEmpty ? [] : [without(entry, taken)]
}

function without(entry: ManagedFieldsEntry, taken: FieldSet): ManagedFieldsEntry {
  return {
    ...entry,
    fieldsV1: fieldSetOf(entry.fieldsV1 ?? {})
      .difference(taken)
      .toFieldsV1(),
  }
}

function firstRecord({ policies }: DesiredObject, { apiVersion }: LiveObject, manager: string): ManagedFieldsEntry {
  const label = policies.coOwn ? managedByLabel : ownedByLabel
  const fieldsV1 = { 'f:metadata': { 'f:labels': { [`f:${label}`]: {} } } }
  return { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1 }
}
