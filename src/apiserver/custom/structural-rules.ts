// Validation of structural schemas: a schema specifies the type of every field without its value validations.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema (validation.go, complete.go).
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { isTrueAt, structAt, structsAt, textAt, textsAt, valueAt } from '../built-in/field-walk.ts'
import { errorText, type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { RegularExpressionError, regularExpression } from '../regular-expression.ts'

type Level = 'root' | 'item' | 'field'

/** Returns all errors, sorted by their texts. */
export function validateStructural(schema: JsonObject, path: string): FieldError[] {
  const errors = [...invariantErrors(schema, 'root', path), ...completenessErrors(schema, schema, path, path)]
  return errors
    .map((error) => ({ error, text: errorText(error) }))
    .sort((left, right) => Buffer.compare(Buffer.from(left.text), Buffer.from(right.text)))
    .map(({ error }) => error)
}

export function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = structAt(schema, 'properties')
  if (properties === undefined) return []
  return Object.entries(properties).flatMap(([key, value]) => (isJsonObject(value) ? [[key, value] as const] : []))
}

const preserve = 'x-kubernetes-preserve-unknown-fields'
const embedded = 'x-kubernetes-embedded-resource'
const intOrString = 'x-kubernetes-int-or-string'

function invariantErrors(schema: JsonObject, level: Level, path: string): FieldError[] {
  const items = structAt(schema, 'items')
  const additional = valueAt(schema, 'additionalProperties')
  const isEmbedded = isTrueAt(schema, embedded)
  return [
    ...(textAt(schema, 'type') === 'array' && items === undefined
      ? [required(`${path}.items`, 'must be specified')]
      : []),
    ...(items === undefined ? [] : invariantErrors(items, 'item', `${path}.items`)),
    ...propertiesOf(schema).flatMap(([key, property]) =>
      invariantErrors(property, 'field', `${path}.properties[${key}]`),
    ),
    ...(additional !== undefined && level === 'root'
      ? [forbidden(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...(isJsonObject(additional) ? invariantErrors(additional, 'field', `${path}.additionalProperties`) : []),
    ...extensionErrors(schema, path),
    ...validationErrors(schema, hasIntOrStringAnyOf(schema), hasIntOrStringAllOf(schema), path),
    ...typeErrors(schema, level, path),
    ...(isEmbedded && additional !== undefined
      ? [forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set')]
      : []),
    ...(level === 'root' && textAt(schema, 'type') !== '' && textAt(schema, 'type') !== 'object'
      ? [invalid(`${path}.type`, textAt(schema, 'type'), 'must be object at the root')]
      : []),
    ...typeMetaErrors(schema, level, path),
    ...(isEmbedded && !isTrueAt(schema, preserve) && propertiesOf(schema).length === 0
      ? [
          required(
            `${path}.properties`,
            'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
          ),
        ]
      : []),
  ]
}

function extensionErrors(schema: JsonObject, path: string): FieldError[] {
  if (!isTrueAt(schema, intOrString)) return []
  return [preserve, embedded]
    .filter((key) => isTrueAt(schema, key))
    .map((key) => invalid(`${path}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'))
}

const emptyTypeTexts: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function typeErrors(schema: JsonObject, level: Level, path: string): FieldError[] {
  const type = textAt(schema, 'type')
  if (isTrueAt(schema, embedded) && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true'
    return [type === '' ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text)]
  }
  const needsNone = isTrueAt(schema, intOrString) || isTrueAt(schema, preserve)
  return type === '' && !needsNone ? [required(`${path}.type`, emptyTypeTexts[level])] : []
}

/** Validates apiVersion, kind and metadata, which every object has. */
function typeMetaErrors(schema: JsonObject, level: Level, path: string): FieldError[] {
  const isObject = level === 'root' || isTrueAt(schema, embedded)
  const properties = structAt(schema, 'properties')
  const texts = ['kind', 'apiVersion'].flatMap((key) => {
    const property = structAt(properties, key)
    if (property === undefined || !isObject || textAt(property, 'type') === 'string') return []
    return [invalid(`${path}.properties[${key}].type`, textAt(property, 'type'), 'must be string')]
  })
  const metadata = structAt(properties, 'metadata')
  if (metadata === undefined) return texts
  const at = `${path}.properties[metadata]`
  const type = textAt(metadata, 'type')
  return [
    ...texts,
    ...(isObject && type !== 'object' ? [invalid(`${at}.type`, type, 'must be object')] : []),
    ...(level === 'root' && saysMoreThanNames(metadata)
      ? [
          forbidden(
            at,
            'must not specify anything other than name and generateName, but metadata is implicitly specified',
          ),
        ]
      : []),
  ]
}

function saysMoreThanNames(metadata: JsonObject): boolean {
  const names = propertiesOf(metadata).map(([key]) => key)
  const onlyNames = names.every((name) => name === 'name' || name === 'generateName')
  return Object.entries(metadata).some(([key, value]) => {
    if (key === 'type' || key === 'default') return false
    if (key === 'properties') return !onlyNames
    return value !== undefined && value !== null && value !== false && value !== '' && !isEmptyList(value)
  })
}

function isEmptyList(value: Json): boolean {
  return isJsonList(value) && value.length === 0
}

const intOrStringAnyOf: Json = [{ type: 'integer' }, { type: 'string' }]

function hasIntOrStringAnyOf(schema: JsonObject): boolean {
  return deepEqual(own(schema, 'anyOf'), intOrStringAnyOf)
}

function hasIntOrStringAllOf(schema: JsonObject): boolean {
  const [first] = structsAt(schema, 'allOf')
  return first !== undefined && hasIntOrStringAnyOf(first)
}

function validationErrors(
  schema: JsonObject,
  skipsAnyOf: boolean,
  skipsFirstAllOf: boolean,
  path: string,
): FieldError[] {
  const nested = (key: string, skips: (index: number) => boolean): FieldError[] =>
    structsAt(schema, key).flatMap((inner, index) => nestedErrors(inner, skips(index), `${path}.${key}[${index}]`))
  const not = structAt(schema, 'not')
  return [
    ...(skipsAnyOf ? [] : nested('anyOf', () => false)),
    ...nested('allOf', (index) => skipsFirstAllOf && index === 0),
    ...nested('oneOf', () => false),
    ...(not === undefined ? [] : nestedErrors(not, false, `${path}.not`)),
    ...patternErrors(textAt(schema, 'pattern'), `${path}.pattern`),
  ]
}

function patternErrors(pattern: string, path: string): FieldError[] {
  if (pattern === '') return []
  try {
    regularExpression(pattern)
    return []
  } catch (thrown) {
    if (!(thrown instanceof RegularExpressionError)) throw thrown
    return [invalid(path, pattern, `must be a valid regular expression, but isn't: ${thrown.message}`)]
  }
}

/** Keys that are forbidden in a value validation, with their error messages. */
const structuralKeys = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  [preserve, 'must be false to be structural'],
  [embedded, 'must be false to be structural'],
  [intOrString, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
] as const

function nestedErrors(schema: JsonObject, skipsAnyOf: boolean, path: string): FieldError[] {
  const items = structAt(schema, 'items')
  const properties = propertiesOf(schema)
  return [
    ...validationErrors(schema, skipsAnyOf, false, path),
    ...(items === undefined ? [] : nestedErrors(items, false, `${path}.items`)),
    ...properties.flatMap(([key, property]) => nestedErrors(property, false, `${path}.properties[${key}]`)),
    ...structuralKeys.filter(([key]) => isSaid(schema, key)).map(([key, text]) => forbidden(`${path}.${key}`, text)),
    ...(properties.some(([key]) => key === 'metadata')
      ? [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
  ]
}

function isSaid(schema: JsonObject, key: string): boolean {
  const value = own(schema, key)
  return value !== undefined && value !== null && value !== false && value !== '' && !isEmptyList(value)
    ? true
    : key === 'default' && value !== undefined && value !== null
}

/** Each field in a value validation must also be declared outside it. */
function completenessErrors(rules: JsonObject, schema: JsonObject, at: string, from: string): FieldError[] {
  const not = structAt(rules, 'not')
  const many = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    structsAt(rules, key).flatMap((inner, index) => nestedCompleteness(inner, schema, at, `${from}.${key}[${index}]`)),
  )
  return [...(not === undefined ? [] : nestedCompleteness(not, schema, at, `${from}.not`)), ...many]
}

function nestedCompleteness(rules: JsonObject, schema: JsonObject, at: string, from: string): FieldError[] {
  const items = structAt(rules, 'items')
  const declaredItems = structAt(schema, 'items')
  const declared = structAt(schema, 'properties')
  return [
    ...completenessErrors(rules, schema, at, from),
    ...(items === undefined ? [] : missingOr(items, declaredItems, `${at}.items`, `${from}.items`)),
    ...propertiesOf(rules).flatMap(([key, property]) =>
      missingOr(property, structAt(declared, key), `${at}.properties[${key}]`, `${from}.properties[${key}]`),
    ),
  ]
}

function missingOr(rules: JsonObject, schema: JsonObject | undefined, at: string, from: string): FieldError[] {
  if (schema === undefined) return [required(at, `because it is defined in ${from}`)]
  return nestedCompleteness(rules, schema, at, from)
}

/** Returns an error for the first field that no structural schema can represent; undefined for most schemas. */
export function unsupportedField(schema: JsonObject): string | undefined {
  const found = unsupportedFields.find(([key]) => isSaid(schema, key))
  if (found !== undefined) return `OpenAPIV3Schema '${found[1]}' is not supported`
  const nested = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => structsAt(schema, key))
  const single = ['not', 'items', 'additionalProperties'].map((key) => structAt(schema, key)).filter(isJsonObject)
  const inner = [...nested, ...single, ...propertiesOf(schema).map(([, property]) => property)]
  for (const part of inner) {
    const fault = unsupportedField(part)
    if (fault !== undefined) return fault
  }
  if (own(schema, preserve) === false) return `internal error: '${preserve}' must be true or undefined`
  return isJsonList(own(schema, 'items')) && textsAt(schema, 'items').length > 0
    ? "OpenAPIV3Schema 'items' must be a schema, but is an array"
    : undefined
}

const unsupportedFields = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
] as const
