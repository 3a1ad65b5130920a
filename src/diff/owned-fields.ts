// Which fields of a live object are ours? What our own server-side apply left in managedFields, and nothing else: updates
// by a manager of the same name and applies to a subresource are other writers.
import { isJsonObject } from '../base/json.ts'
import type { KubeObject } from '../object/object.ts'
import { type FieldSet, fieldSetOf } from './field-set.ts'

/**
 * The fields that `manager` owns by apply to the main resource, in the version the object is in; undefined if it never
 * applied, or last applied in another version, whose paths may be spelled differently.
 *
 * The server keeps one entry for each manager, operation and subresource; should an object carry several, the last one
 * counts, as it does when the server reads them. Source: apimachinery, managedfields/internal.
 */
export function ownedFieldsOf(object: KubeObject, manager: string): FieldSet | undefined {
  const entry = object.metadata.managedFields?.findLast(
    (candidate) =>
      candidate.manager === manager && candidate.operation === 'Apply' && (candidate.subresource ?? '') === '',
  )
  if (entry === undefined || entry.apiVersion !== object.apiVersion || !isJsonObject(entry.fieldsV1)) return undefined
  return fieldSetOf(entry.fieldsV1)
}
