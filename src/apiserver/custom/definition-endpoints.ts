// Validation of a version's subresources, printer columns and selectable fields.
// Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { optionalTextAt, structAt, textAt } from '../built-in/field-walk.ts'
import { duplicate, type FieldError, invalid, required } from '../field-error.ts'
import { declaredField } from './field-path-rules.ts'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const maxSelectableFields = 8

export function validateSubresources(subresources: JsonObject | undefined, path: string): FieldError[] {
  const scale = structAt(subresources, 'scale')
  if (scale === undefined) return []
  const selector = optionalTextAt(scale, 'labelSelectorPath') ?? ''
  const at = (key: string): string => `${path}.scale.${key}`
  return [
    ...replicasPathErrors(textAt(scale, 'specReplicasPath'), '.spec', at('specReplicasPath')),
    ...replicasPathErrors(textAt(scale, 'statusReplicasPath'), '.status', at('statusReplicasPath')),
    ...(selector === '' ? [] : selectorPathErrors(selector, at('labelSelectorPath'))),
  ]
}

function replicasPathErrors(jsonPath: string, parent: string, at: string): FieldError[] {
  if (jsonPath === '') return [required(at)]
  const errors = simplePathErrors(jsonPath, at)
  if (errors.length > 0 || jsonPath.startsWith(`${parent}.`)) return errors
  return [invalid(at, jsonPath, `should be a json path under ${parent}`)]
}

function selectorPathErrors(jsonPath: string, at: string): FieldError[] {
  const errors = simplePathErrors(jsonPath, at)
  if (errors.length > 0 || jsonPath.startsWith('.spec.') || jsonPath.startsWith('.status.')) return errors
  return [invalid(at, jsonPath, 'should be a json path under either .spec or .status')]
}

function simplePathErrors(jsonPath: string, at: string): FieldError[] {
  return jsonPath.startsWith('.') ? [] : [invalid(at, jsonPath, 'must be a simple json path starting with .')]
}

export function validateColumn(column: JsonObject, path: string): FieldError[] {
  const type = textAt(column, 'type')
  const format = textAt(column, 'format')
  const jsonPath = textAt(column, 'jsonPath')
  const oneOfTypes = `must be one of ${columnTypes.join(',')}`
  return [
    ...(textAt(column, 'name') === '' ? [required(`${path}.name`)] : []),
    ...(type === '' ? [required(`${path}.type`, oneOfTypes)] : []),
    ...(type !== '' && !columnTypes.includes(type) ? [invalid(`${path}.type`, type, oneOfTypes)] : []),
    ...(format !== '' && !columnFormats.includes(format)
      ? [invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`)]
      : []),
    ...(jsonPath === '' ? [required(`${path}.JSONPath`)] : simplePathErrors(jsonPath, `${path}.JSONPath`)),
  ]
}

export function validateSelectableFields(
  fields: readonly JsonObject[],
  schema: JsonObject,
  path: string,
): FieldError[] {
  const seen = new Set<string>()
  const errors = fields.flatMap((field, index) =>
    selectableFieldErrors(textAt(field, 'jsonPath'), schema, seen, `${path}[${index}].jsonPath`),
  )
  if (seen.size <= maxSelectableFields) return errors
  const detail = `must have at most ${maxSelectableFields} items`
  return [...errors, { type: 'FieldValueTooMany', field: path, value: seen.size, detail }]
}

function selectableFieldErrors(jsonPath: string, schema: JsonObject, seen: Set<string>, at: string): FieldError[] {
  if (jsonPath === '') return [required(at)]
  const found = declaredField(jsonPath, schema, 'dots')
  if ('fault' in found) return [invalid(at, jsonPath, `is an invalid path: ${found.fault}`)]
  const isKnown = seen.has(found.path)
  seen.add(found.path)
  const type = found.schema === undefined ? '' : textAt(found.schema, 'type')
  return [
    ...(found.root === 'metadata' ? [invalid(at, jsonPath, 'must not point to fields in metadata')] : []),
    ...(['string', 'boolean', 'integer'].includes(type)
      ? []
      : [
          invalid(
            at,
            jsonPath,
            'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
          ),
        ]),
    ...(isKnown ? [duplicate(at, jsonPath)] : []),
  ]
}
