// The part of an object that is cached: everything except managedFields entries of other managers and kubectl's copy of
// the object. Together these are often larger than the object itself. Invariant: nothing that a controller declares is
// dropped.

import { isStatusManager } from '../object/identity.ts'
import type { LiveObject, ManagedFieldsEntry } from '../object/object.ts'
import type { FieldSetPool } from './field-set-pool.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

export interface TrimOptions {
  /**
   * Field managers whose entries are kept; undefined: none. An update entry under such a name comes from an interrupted
   * patch.
   */
  readonly keepsFieldsOf: ((manager: string | undefined) => boolean) | undefined
  readonly fieldSets: FieldSetPool
}

/**
 * Returns the object as the cache keeps it. It keeps at most the managedFields entries of these managers and those of
 * an operator's status, without times and with shared fieldsV1. It has no last-applied annotation.
 *
 * Not frozen: freezing each object costs about as much as parsing it; the types are deeply read-only instead.
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

/** The status subresource has its own entry, which does not describe the main resource. */
function isOf(entry: ManagedFieldsEntry, isKept: (manager: string | undefined) => boolean): boolean {
  return isKept(entry.manager) && (entry.subresource ?? '') === ''
}

/** The entry names the conditions and fields of a parent's status that the operator owns. */
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
