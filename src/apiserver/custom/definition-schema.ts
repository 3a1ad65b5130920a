// Validation of a definition's schema: the parts of OpenAPI that Kubernetes forbids, the rules of lists and maps, and
// the form of
// validation rules. Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { isTrueAt, optionalTextAt, structAt, structsAt, textAt, textsAt, valueAt } from '../built-in/field-walk.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import { shownItems } from './definition-internal.ts'
import { fieldPathFault } from './field-path-rules.ts'
import { propertiesOf } from './structural-rules.ts'

/** Context of a nested schema. */
interface Place {
  readonly path: string
  readonly isRoot: boolean
  readonly isInsideMetadata: boolean
  /** Reason why a default is forbidden here; undefined if it is allowed. */
  readonly defaultsForbidden: string | undefined
}

const typeNames = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const metaFields: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion'])

/** Returns all errors of a schema, at its root and below. */
export function validateOpenApiSchema(schema: JsonObject, path: string): FieldError[] {
  return schemaErrors(schema, { path, isRoot: true, isInsideMetadata: false, defaultsForbidden: undefined })
}

function schemaErrors(schema: JsonObject, place: Place): FieldError[] {
  const { path } = place
  return [
    ...standardErrors(schema, place),
    ...(isTrueAt(schema, 'uniqueItems')
      ? [
          forbidden(
            `${path}.uniqueItems`,
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
    ...additionalErrors(schema, place),
    ...propertiesErrors(schema, place),
    ...nestedErrors(schema, place),
    ...itemsErrors(schema, place),
    ...(own(schema, 'x-kubernetes-preserve-unknown-fields') === false
      ? [invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')]
      : []),
    ...mapTypeErrors(schema, path),
    ...listTypeErrors(schema, path),
    ...ruleErrors(schema, path),
  ]
}

function below(place: Place, path: string): Place {
  return { ...place, path, isRoot: false }
}

function standardErrors(schema: JsonObject, { path, isInsideMetadata, defaultsForbidden }: Place): FieldError[] {
  const type = textAt(schema, 'type')
  const items = valueAt(schema, 'items')
  const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']
  return [
    ...(type !== '' && !typeNames.includes(type) ? [notSupported(`${path}.type`, type, typeNames)] : []),
    ...(valueAt(schema, 'default') !== undefined && defaultsForbidden !== undefined
      ? [forbidden(`${path}.default`, `must not be set ${defaultsForbidden}`)]
      : []),
    ...unsupported
      .filter((key) => isSet(schema, key))
      .map((key) => forbidden(`${path}.${key}`, `${key} is not supported`)),
    ...(type === 'null'
      ? [forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative')]
      : []),
    ...(isJsonList(items) && items.length > 0
      ? [forbidden(`${path}.items`, 'items must be a schema object and not an array')]
      : []),
    ...(isInsideMetadata && isTrueAt(schema, 'x-kubernetes-embedded-resource')
      ? [forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta')]
      : []),
  ]
}

function isSet(schema: JsonObject, key: string): boolean {
  const value = valueAt(schema, key)
  if (isJsonObject(value)) return key === 'dependencies' || key === 'additionalItems' || Object.keys(value).length > 0
  return value !== undefined && (key === '$ref' || value !== '')
}

function additionalErrors(schema: JsonObject, place: Place): FieldError[] {
  const additional = valueAt(schema, 'additionalProperties')
  if (additional === undefined) return []
  const path = `${place.path}.additionalProperties`
  const excludes = propertiesOf(schema).length > 0 && additional !== true
  const inner = place.isInsideMetadata
    ? { ...place, defaultsForbidden: 'inside additionalProperties applying to object metadata' }
    : place
  return [
    ...(excludes ? [forbidden(path, 'additionalProperties and properties are mutual exclusive')] : []),
    ...(isJsonObject(additional) ? schemaErrors(additional, below(inner, path)) : []),
  ]
}

function propertiesErrors(schema: JsonObject, place: Place): FieldError[] {
  const isObject = place.isRoot || isTrueAt(schema, 'x-kubernetes-embedded-resource')
  return propertiesOf(schema).flatMap(([key, property]) => {
    const inner = below(place, `${place.path}.properties[${key}]`)
    if (!isObject || !metaFields.has(key)) return schemaErrors(property, inner)
    return schemaErrors(property, {
      ...inner,
      isInsideMetadata: true,
      ...(place.isRoot ? { defaultsForbidden: `in top-level ${key}` } : {}),
    })
  })
}

function nestedErrors(schema: JsonObject, place: Place): FieldError[] {
  const not = structAt(schema, 'not')
  const definitions = structAt(schema, 'definitions') ?? {}
  return [
    ...(not === undefined ? [] : schemaErrors(not, below(place, `${place.path}.not`))),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((key) =>
      structsAt(schema, key).flatMap((inner, index) =>
        schemaErrors(inner, below(place, `${place.path}.${key}[${index}]`)),
      ),
    ),
    ...Object.entries(definitions).flatMap(([key, inner]) =>
      isJsonObject(inner) ? schemaErrors(inner, below(place, `${place.path}.definitions[${key}]`)) : [],
    ),
  ]
}

function itemsErrors(schema: JsonObject, place: Place): FieldError[] {
  const items = valueAt(schema, 'items')
  if (isJsonObject(items)) return schemaErrors(items, below(place, `${place.path}.items`))
  return structsAt(schema, 'items').flatMap((inner, index) =>
    schemaErrors(inner, below(place, `${place.path}.items[${index}]`)),
  )
}

function mapTypeErrors(schema: JsonObject, path: string): FieldError[] {
  const mapType = optionalTextAt(schema, 'x-kubernetes-map-type')
  if (mapType === undefined) return []
  return [
    ...wrongTypeErrors(schema, 'object', 'must be object if x-kubernetes-map-type is specified', path),
    ...(mapType === 'atomic' || mapType === 'granular'
      ? []
      : [notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular'])]),
  ]
}

function wrongTypeErrors(schema: JsonObject, wanted: string, text: string, path: string): FieldError[] {
  const type = textAt(schema, 'type')
  if (type === wanted) return []
  return [type === '' ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text)]
}

function listTypeErrors(schema: JsonObject, path: string): FieldError[] {
  const listType = optionalTextAt(schema, 'x-kubernetes-list-type')
  const keys = textsAt(schema, 'x-kubernetes-list-map-keys')
  const at = `${path}.x-kubernetes-list-type`
  const keysNeedMap = 'must be map if x-kubernetes-list-map-keys is non-empty'
  return [
    ...(listType === undefined ? [] : listErrors(schema, listType, path)),
    ...(listType !== undefined && !['atomic', 'set', 'map'].includes(listType)
      ? [notSupported(at, listType, ['atomic', 'set', 'map'])]
      : []),
    ...(keys.length > 0 && listType === undefined ? [required(at, keysNeedMap)] : []),
    ...(keys.length > 0 && listType !== undefined && listType !== 'map' ? [invalid(at, listType, keysNeedMap)] : []),
    ...(listType === 'map' ? listMapErrors(schema, keys, path) : []),
    ...uniqueItemErrors(schema, listType, path),
  ]
}

function listErrors(schema: JsonObject, listType: string, path: string): FieldError[] {
  if (textAt(schema, 'type') !== 'array')
    return wrongTypeErrors(schema, 'array', 'must be array if x-kubernetes-list-type is specified', path)
  const items = structAt(schema, 'items')
  return listType === 'set' && items !== undefined ? setItemErrors(items, `${path}.items`) : []
}

function setItemErrors(items: JsonObject, path: string): FieldError[] {
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const shown = valueAt(items, 'x-kubernetes-list-type') ?? null
  const type = textAt(items, 'type')
  if (type === 'array' && (optionalTextAt(items, 'x-kubernetes-list-type') ?? 'atomic') !== 'atomic')
    return [invalid(`${path}.x-kubernetes-list-type`, shown, text)]
  if (type === 'object' && optionalTextAt(items, 'x-kubernetes-map-type') !== 'atomic')
    return [invalid(`${path}.x-kubernetes-map-type`, shown, text)]
  return []
}

function listMapErrors(schema: JsonObject, keys: readonly string[], path: string): FieldError[] {
  const items = valueAt(schema, 'items')
  const noKeys =
    keys.length === 0
      ? [required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')]
      : []
  if (items === undefined)
    return [...noKeys, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')]
  if (!isJsonObject(items))
    return [
      ...noKeys,
      invalid(`${path}.items`, shownItems(items), 'must only have a single schema if x-kubernetes-list-type is map'),
    ]
  const type = textAt(items, 'type')
  if (type !== 'object')
    return [
      ...noKeys,
      invalid(`${path}.items.type`, type, "must be object if parent array's x-kubernetes-list-type is map"),
    ]
  return [...noKeys, ...keyErrors(items, keys, path)]
}

function keyErrors(items: JsonObject, keys: readonly string[], path: string): FieldError[] {
  const properties = structAt(items, 'properties')
  const at = `${path}.x-kubernetes-list-map-keys`
  return keys.flatMap((key, index) => {
    const property = structAt(properties, key)
    const isScalar = property === undefined || !['array', 'object'].includes(textAt(property, 'type'))
    return [
      ...(isScalar
        ? []
        : [
            invalid(
              `${path}.items.properties[${key}].type`,
              textAt(items, 'type'),
              "must be a scalar type if parent array's x-kubernetes-list-type is map",
            ),
          ]),
      ...(property === undefined ? [invalid(at, keys, 'entries must all be names of item properties')] : []),
      ...(keys.indexOf(key) < index ? [invalid(at, keys, 'must not contain duplicate entries')] : []),
    ]
  })
}

/** Items of sets and list maps are never null, and their keys are required or have defaults. */
function uniqueItemErrors(schema: JsonObject, listType: string | undefined, path: string): FieldError[] {
  const items = structAt(schema, 'items')
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return []
  const nullable = isTrueAt(items, 'nullable')
    ? [forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)]
    : []
  if (listType === 'set') return nullable
  const properties = structAt(items, 'properties')
  const requiredKeys = textsAt(items, 'required')
  const keys = textsAt(schema, 'x-kubernetes-list-map-keys').flatMap((key) => {
    const property = structAt(properties, key)
    if (property === undefined) return []
    const at = `${path}.items.properties[${key}]`
    const isThere = requiredKeys.includes(key) || valueAt(property, 'default') !== undefined
    return [
      ...(isThere
        ? []
        : [
            required(
              `${at}.default`,
              'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
            ),
          ]),
      ...(isTrueAt(property, 'nullable')
        ? [forbidden(`${at}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable')]
        : []),
    ]
  })
  return [...nullable, ...keys]
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const lineBreak = /[\n\r]/

function ruleErrors(schema: JsonObject, path: string): FieldError[] {
  return structsAt(schema, 'x-kubernetes-validations').flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`
    const messageExpression = textAt(rule, 'messageExpression')
    const reason = optionalTextAt(rule, 'reason')
    return [
      ...ruleTextErrors(rule, at),
      ...(messageExpression !== '' && messageExpression.trim() === ''
        ? [required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified')]
        : []),
      ...(reason !== undefined && !reasons.includes(reason) ? [notSupported(`${at}.reason`, reason, reasons)] : []),
      ...ruleFieldPathErrors(schema, textAt(rule, 'fieldPath'), `${at}.fieldPath`),
    ]
  })
}

/** Returns the first error of a rule, and of its message. */
function ruleTextErrors(rule: JsonObject, at: string): FieldError[] {
  const text = textAt(rule, 'rule').trim()
  const message = textAt(rule, 'message')
  const shown: Json = message
  if (text === '') return [required(`${at}.rule`, 'rule is not specified')]
  if (message !== '' && message.trim() === '')
    return [invalid(`${at}.message`, shown, 'must be non-empty if specified')]
  if (lineBreak.test(message.trim())) return [invalid(`${at}.message`, shown, 'must not contain line breaks')]
  return lineBreak.test(text) && message.trim() === ''
    ? [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
    : []
}

function ruleFieldPathErrors(schema: JsonObject, fieldPath: string, at: string): FieldError[] {
  if (fieldPath === '') return []
  return [
    ...(fieldPath.trim() === '' ? [invalid(at, fieldPath, 'must be non-empty if specified')] : []),
    ...(lineBreak.test(fieldPath) ? [invalid(at, fieldPath, 'must not contain line breaks')] : []),
    ...(fieldPathFault(fieldPath, schema) === undefined ? [] : [invalid(at, fieldPath, 'must be a valid path')]),
  ]
}
