// The fields of a live object that one manager owns: by its own server-side apply in managedFields, and nothing else.
// Updates by a manager of the same name and applies to a subresource count as other writers.
import { isJsonObject } from '../base/json.ts'
import type { KubeObject } from '../object/object.ts'
import { type FieldSet, fieldSetOf } from './field-set.ts'

/**
 * Returns the fields that `manager` owns by apply to the main resource, in the version of the object. Undefined if it
 * never applied, or last applied in another version, whose paths may be spelled differently.
 *
 * The server keeps one entry for each manager, operation and subresource. If an object has several, the last one
 * counts, as on the server. Source: apimachinery, managedfields/internal.
 */
export function ownedFieldsOf(object: KubeObject, manager: string): FieldSet | undefined {
  const entry = object.metadata.managedFields?.findLast(
    (candidate) =>
      candidate.manager === manager && candidate.operation === 'Apply' && (candidate.subresource ?? '') === '',
  )
  if (entry === undefined || entry.apiVersion !== object.apiVersion || !isJsonObject(entry.fieldsV1)) return undefined
  return fieldSetOf(entry.fieldsV1)
}
