// Would the API server take this object, as far as the CRD's schema tells? Checks types, required and unknown fields, enums,
// bounds and patterns, and fills in defaults, without a cluster. CEL rules and uniqueness of list keys are the server's.
import { Ajv, type ErrorObject } from 'ajv'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'

export type Validation =
  /** With defaults filled in. */
  | { readonly kind: 'valid'; readonly object: JsonObject }
  /** One sentence that names the field, as in `spec.replicas must be >= 1`. */
  | { readonly kind: 'invalid'; readonly message: string }

/** The object checked against the schema of its version in the definition. */
export function validateObject(definition: JsonObject, object: JsonObject): Validation {
  const version = String(object.apiVersion).split('/').at(-1)
  const schema = schemaOf(definition, version)
  if (schema === undefined)
    return { kind: 'invalid', message: `apiVersion ${object.apiVersion} is not served for ${object.kind}` }
  // Numbers beyond 2^53 and formats are not this check's business; a wrong type is.
  const ajv = new Ajv({ strict: false, validateFormats: false, useDefaults: true, allErrors: false, verbose: true })
  const copy = structuredClone(withoutNulls(object, schema)) as JsonObject
  const validate = ajv.compile(closed(schema) as JsonObject)
  if (validate(copy)) return { kind: 'valid', object: copy }
  const [first] = validate.errors ?? []
  return { kind: 'invalid', message: first === undefined ? 'the object does not fit its schema' : sentenceOf(first) }
}

const stringMap = { type: 'object', additionalProperties: { type: 'string' } }

/** The definition says nothing of metadata, and the server checks it by itself; what people write by hand is checked here. */
const metadataSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1 },
    namespace: { type: 'string', minLength: 1 },
    labels: stringMap,
    annotations: stringMap,
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

function schemaOf(definition: JsonObject, version: string | undefined): JsonObject | undefined {
  const spec = isJsonObject(definition.spec) ? definition.spec : {}
  const versions = isJsonList(spec.versions) ? spec.versions : []
  const found = versions.filter(isJsonObject).find(({ name, served }) => name === version && served !== false)
  const schema = isJsonObject(found?.schema) ? found.schema.openAPIV3Schema : undefined
  if (!isJsonObject(schema)) return undefined
  const declared = isJsonObject(schema.properties) ? schema.properties : {}
  const properties = { ...declared, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: metadataSchema }
  return { ...schema, properties, required: ['metadata', ...(isJsonList(schema.required) ? schema.required : [])] }
}

/** The server takes null for absent wherever the field may not be null. Source: apiextensions, structural defaulting. */
function withoutNulls(value: Json, schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return value
  if (isJsonList(value)) return value.map((item) => withoutNulls(item, schema.items))
  if (!isJsonObject(value)) return value
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const kept = Object.entries(value).flatMap(([name, field]): [string, Json][] => {
    const inner = own(properties, name) ?? schema.additionalProperties
    if (field === undefined || (field === null && isJsonObject(inner) && inner.nullable !== true)) return []
    return [[name, withoutNulls(field, inner)]]
  })
  return Object.fromEntries(kept)
}

/** The schema with unknown fields refused wherever they would be dropped, as the server's strict validation does. */
function closed(schema: Json): Json {
  if (!isJsonObject(schema)) return schema
  const { nullable, anyOf, ...rest } = schema
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true
  const type = isIntOrString ? ['integer', 'string'] : typeof schema.type === 'string' ? [schema.type] : []
  const inner = Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => [keyword, closeKeyword(keyword, value ?? null)]),
  )
  const isClosed =
    schema.type === 'object' &&
    schema.additionalProperties === undefined &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true
  return {
    ...inner,
    // Of an int-or-string the alternatives only say the type again, in words that name but the first.
    ...(anyOf === undefined || isIntOrString ? {} : { anyOf }),
    ...(type.length === 0 ? {} : { type: nullable === true ? [...type, 'null'] : type }),
    ...(isClosed ? { additionalProperties: false } : {}),
  }
}

function closeKeyword(keyword: string, value: Json): Json {
  if (keyword === 'properties' && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, closed(field ?? null)]))
  }
  return keyword === 'items' || keyword === 'additionalProperties' ? closed(value) : value
}

function sentenceOf({ instancePath, keyword, params, message, data }: ErrorObject): string {
  const path = instancePath
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  const at = (field: string): string => (path === '' ? field : `${path}.${field}`)
  switch (keyword) {
    case 'additionalProperties':
      return `${at(String(params.additionalProperty))} is not a field of this kind; correct or remove it`
    case 'required':
      return `${at(String(params.missingProperty))} is required`
    case 'enum':
      return `${path} must be one of ${(params.allowedValues as readonly unknown[]).join(', ')}, not ${JSON.stringify(data)}`
    case 'type':
      return `${path || 'the object'} must be ${[params.type].flat().join(' or ')}, not ${JSON.stringify(data)?.slice(0, 80)}`
    default:
      return `${path || 'the object'} ${message ?? 'is invalid'}, not ${JSON.stringify(data)?.slice(0, 80)}`
  }
}
