// What of an object is worth keeping in memory? All but the records of other field managers and kubectl's copy of the
// whole object, which together are often larger than the object itself. Nothing that a controller declares is dropped.
import type { LiveObject, ManagedFieldsEntry } from '../object/object.ts'
import type { FieldSetPool } from './field-set-pool.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

export interface TrimOptions {
  /** Whose applied fields are kept; undefined: nobody's. */
  readonly manager: string | undefined
  readonly fieldSets: FieldSetPool
}

/**
 * The object as the cache keeps it: of managedFields at most our own manager's Apply entry, without its time and with
 * shared fieldsV1; no last-applied annotation.
 *
 * Not frozen: freezing each object costs about as much as parsing it; the types are read-only all the way down instead.
 */
export function trim(object: LiveObject, { manager, fieldSets }: TrimOptions): LiveObject {
  const { managedFields, annotations, ...metadata } = object.metadata
  const ours = managedFields?.find((entry) => isAppliedBy(entry, manager))
  const kept = annotations === undefined ? {} : withoutLastApplied(annotations)
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
      ...(ours === undefined ? {} : { managedFields: [entryWithoutTime(ours, fieldSets)] }),
    },
  }
}

/** The status subresource has an entry of its own, which says nothing about the main resource. */
function isAppliedBy(entry: ManagedFieldsEntry, manager: string | undefined): boolean {
  return entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === ''
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
