// Declared fields that the API server did not store. It rejects most unknown fields of an apply, and silently drops the
// others: below an object without properties, and inside values that preserve unknown fields. Pure.

import { CodedError, unwatchedRetryMs } from '../base/errors.ts'
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'
import { nameList } from '../base/name-list.ts'
import type { Comparison } from '../diff/compare.ts'
import { type FieldPath, fieldElement, indexElement, renderPath } from '../diff/field-path.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'

/** Number of fields that a message names. */
const namedFields = 5

/**
 * Returns the rendered paths of declared fields that the response to the apply lacks. Zero values and metadata do not
 * count.
 */
export function droppedFields(comparison: Comparison): readonly string[] {
  if (comparison.kind !== 'different') return []
  return comparison.changes
    .filter(({ path: [root] }) => !(root?.kind === 'field' && root.name === 'metadata'))
    .flatMap(({ path, desired, live }) => (desired === undefined ? [] : absentIn(desired, live, path)))
    .map(renderPath)
}

function absentIn(desired: Json, live: Json | undefined, path: FieldPath): readonly FieldPath[] {
  if (live === undefined) return isZero(desired) ? [] : [path]
  if (isJsonObject(desired) && isJsonObject(live)) {
    return Object.entries(desired).flatMap(([name, value]) =>
      value === undefined ? [] : absentIn(value, live[name], [...path, fieldElement(name)]),
    )
  }
  if (!isJsonList(desired) || !isJsonList(live) || desired.length !== live.length) return []
  return desired.flatMap((item, index) => absentIn(item, live[index], [...path, indexElement(index)]))
}

/** Servers omit such values. */
function isZero(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0
  if (isJsonObject(value)) return Object.values(value).every((field) => field === undefined || isZero(field))
  return value === null || value === '' || value === false || value === 0
}

export function fieldsDropped(object: KubeObject, fields: readonly string[]): CodedError<'UnknownField'> {
  const message = `${describeRef(refOf(object))} was applied without ${nameList(fields, namedFields)}: the schema of its kind lacks the field, or a webhook removes it; correct the field, or set fieldValidation: 'Warn' for the controller`
  return new CodedError({ code: 'UnknownField', message, remedy: 'stop', retryAfterMs: unwatchedRetryMs })
}

export function unknownFieldsEvent(object: KubeObject, fields: readonly string[]): EventReport {
  return {
    type: 'Warning',
    reason: 'UnknownField',
    action: 'Apply',
    note: `${describeRef(refOf(object))} was applied without ${nameList(fields, namedFields)}, which the API server does not know`,
  }
}
