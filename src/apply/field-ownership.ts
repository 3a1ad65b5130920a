// Which records of managedFields say what is not so, and have to be put right before an apply? Who declared a field once keeps
// it alive for ever: so what we adopt, former managers must no longer claim, and what is not to be ours, we must not give up
// by leaving it out, which would delete it. Pure; fields are never touched here, only the records of who owns them.

import { declaredFields } from '../diff/declared-fields.ts'
import { FieldSet, fieldSetOf } from '../diff/field-set.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import { asJson, type KubeObject, type LiveObject, type ManagedFieldsEntry } from '../object/object.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { ownedByLabel } from '../synth/membership.ts'
import { selectedFields } from './selected-fields.ts'

/**
 * The fields that we own and are not to: shared ones, those that were ours only at first, and what we no longer declare of
 * somebody else's object. Empty at rest. A look at our own record is enough, so the cached object will do.
 */
export function fieldsToHandOver({ lasting, policies }: DesiredObject, live: LiveObject, manager: string): FieldSet {
  const owned = ownedFieldsOf(live, manager) ?? FieldSet.empty
  if (policies.contribute) return owned.difference(declaredFields(owned, asJson(lasting)))
  const selected = [...policies.shared, ...policies.initialOnly]
    .map(({ steps }) => selectedFields(owned, asJson(live), steps))
    .reduce((all, some) => all.union(some), FieldSet.empty)
  // What is declared all the same, such as our labels among shared ones, would only be claimed again.
  return selected.difference(declaredFields(selected, asJson(lasting)))
}

/**
 * The managedFields that the object is to have; undefined if they are right. `live` must have all of them.
 *
 * - An object that we have never applied, being adopted or having lost its managedFields: every other manager loses
 *   exactly the fields that we declare, and keeps all else. Our own record begins with one field, because the server takes
 *   an object without any record for one that `before-first-apply` owns as a whole.
 * - Else our own record loses what is to be handed over. The fields stay as they are.
 */
export function repairedManagedFields(
  desired: DesiredObject,
  live: LiveObject,
  manager: string,
): readonly ManagedFieldsEntry[] | undefined {
  const entries = live.metadata.managedFields ?? []
  const ours = entries.findLast((entry) => isApplyOf(entry, manager))
  if (ours === undefined) {
    if (desired.policies.contribute) return undefined
    return [...entries.flatMap((entry) => withoutDeclared(entry, desired.lasting)), firstRecord(live, manager)]
  }
  const handedOver = fieldsToHandOver(desired, live, manager)
  if (handedOver.isEmpty) return undefined
  return entries.map((entry) => (entry === ours ? without(entry, handedOver) : entry))
}

function isApplyOf({ manager, operation, subresource = '' }: ManagedFieldsEntry, ours: string): boolean {
  return manager === ours && operation === 'Apply' && subresource === ''
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

function firstRecord({ apiVersion }: LiveObject, manager: string): ManagedFieldsEntry {
  const fieldsV1 = { 'f:metadata': { 'f:labels': { [`f:${ownedByLabel}`]: {} } } }
  return { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1 }
}
