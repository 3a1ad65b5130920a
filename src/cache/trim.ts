// What of an object is worth keeping in memory? All but the records of other field managers and kubectl's copy of the
// whole object, which together are often larger than the object itself. Nothing that a controller declares is dropped.

import { isStatusManager } from '../object/identity.ts'
import type { LiveObject, ManagedFieldsEntry } from '../object/object.ts'
import type { FieldSetPool } from './field-set-pool.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

export interface TrimOptions {
  /** The field managers whose records are kept; undefined: none. An update under such a name is left of a patch that was cut off. */
  readonly keepsFieldsOf: ((manager: string | undefined) => boolean) | undefined
  readonly fieldSets: FieldSetPool
}

/**
 * The object as the cache keeps it: of managedFields at most the entries of these managers and those of an operator's status, without
 * their times and with shared fieldsV1; no last-applied annotation.
 *
 * Not frozen: freezing each object costs about as much as parsing it; the types are read-only all the way down instead.
 */
export function trim(object: LiveObject, { keepsFieldsOf, fieldSets }: TrimOptions): LiveObject {
  const { managedFields, annotations, ...metadata } = object.metadata
  const ours =
    keepsFieldsOf === undefined
      ? []
      : (managedFields ?? []).filter((entry) => isOf(entry, keepsFieldsOf) || isOfStatus(entry))
  const kept = annotations === undefined ? {} : withoutLastApplied(annotations)
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
      ...(ours.length === 0 ? {} : { managedFields: ours.map((entry) => entryWithoutTime(entry, fieldSets)) }),
    },
  }
}

/** The status subresource has an entry of its own, which says nothing about the main resource. */
function isOf(entry: ManagedFieldsEntry, isKept: (manager: string | undefined) => boolean): boolean {
  return isKept(entry.manager) && (entry.subresource ?? '') === ''
}

/** Says which conditions and fields of a parent's status are ours. */
function isOfStatus({ manager, subresource }: ManagedFieldsEntry): boolean {
  return subresource === 'status' && isStatusManager(manager)
}

function entryWithoutTime(
  { time: _, fieldsV1, ...entry }: ManagedFieldsEntry,
  fieldSets: FieldSetPool,
): ManagedFieldsEntry {
  return fieldsV1 === undefined ? entry : { ...entry, fieldsV1: fieldSets.intern(fieldsV1) }
}

function withoutLastApplied(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (!Object.hasOwn(annotations, lastApplied)) return annotations
  const { [lastApplied]: _, ...kept } = annotations
  return kept
}
