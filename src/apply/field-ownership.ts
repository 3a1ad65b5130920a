// Corrects managedFields entries before an apply. A field stays while any manager has it in its entry. Former managers
// must not claim adopted fields, and an earlier version must not claim fields that its successor drops. Without a field
// that is handed over, an apply would delete it.
// Pure. Invariant: no field changes, only the entries of its owners.

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
 * Returns the owned fields to hand over: shared ones, initial-only ones, and undeclared fields of another owner's
 * object. None of what a resource contributes to itself: the apply removes it. Empty when in sync. Needs only the
 * manager's own entry, so the cached object suffices.
 */
export function fieldsToHandOver({ lasting, policies }: DesiredObject, live: LiveObject, manager: string): FieldSet {
  const owned = ownedFieldsOf(live, manager) ?? FieldSet.empty
  if (policies.isSelf) return FieldSet.empty
  if (policies.contribute) return owned.difference(declaredFields(owned, asJson(lasting)))
  const selected = [...policies.shared, ...policies.initialOnly]
    .map(({ steps }) => selectedFields(owned, asJson(live), steps))
    .reduce((all, some) => all.union(some), FieldSet.empty)
  // Fields that are declared nevertheless, such as the operator's labels among shared ones, would only be claimed
  // again.
  return selected.difference(declaredFields(selected, asJson(lasting)))
}

/**
 * True if a version without names of operators applied the object: its entry claims the fields of all controllers. Also
 * true if the former manager of the same declaration did.
 */
export function hasEarlierRecord({ metadata: { managedFields = [] } }: KubeObject, former?: string): boolean {
  return managedFields.some((entry) => isOfEarlier(entry, former))
}

/**
 * True if the manager has an entry for an update. The patch that empties values leaves one for each default that the
 * API server put in place of a member. The operator sends no other updates of children.
 */
export function hasUpdateRecord({ metadata: { managedFields = [] } }: KubeObject, manager: string): boolean {
  return managedFields.some((entry) => isUpdateOf(entry, manager))
}

/**
 * Returns the corrected managedFields of the object; undefined if they are right. `live` must have all of them.
 *
 * - An object that this manager has never applied, because it is adopted or has lost its managedFields. Every other
 * manager loses exactly the declared fields, and keeps all others. The manager's own entry starts with one field. The
 * server treats an object without any entry as one that `before-first-apply` owns as a whole.
 * - Otherwise the manager's own entry loses the fields to hand over. The fields stay unchanged.
 * - The entry of the manager's update is removed; its fields then have no owner.
 * - On a child, the entry of an earlier version, or of the former manager, becomes the manager's own. On a contributed
 * object, it loses the declared fields, and is removed if no owner is left to take it.
 * - An owner that joins others takes no field from their entries.
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

/** Returns the entries, with the manager's own one without these fields. */
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

/** In another version, the paths of the earlier entry may be spelled differently. */
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

/** An entry without fields is dropped. */
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
