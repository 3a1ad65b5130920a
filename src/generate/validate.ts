// Would the API server take this object, as far as the CRD's schema tells? Checks types, required and unknown fields, enums,
// bounds and patterns, and fills in defaults, without a cluster. CEL rules and uniqueness of list keys are the server's.
import { Ajv, type ErrorObject } from 'ajv'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'

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
  const copy = structuredClone(object)
  const validate = ajv.compile(closed(schema) as JsonObject)
  if (validate(copy)) return { kind: 'valid', object: copy }
  const [first] = validate.errors ?? []
  return { kind: 'invalid', message: first === undefined ? 'the object does not fit its schema' : sentenceOf(first) }
}

function schemaOf(definition: JsonObject, version: string | undefined): JsonObject | undefined {
  const spec = isJsonObject(definition.spec) ? definition.spec : {}
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly Json[]) : []
  const found = versions.filter(isJsonObject).find(({ name }) => name === version)
  const schema = isJsonObject(found?.schema) ? found.schema.openAPIV3Schema : undefined
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return undefined
  // The definition says nothing of metadata, and the server checks it by itself.
  const metadata = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1 } },
    'x-kubernetes-preserve-unknown-fields': true,
  }
  const properties = { ...schema.properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata }
  return { ...schema, properties }
}

/** The schema with unknown fields refused wherever fields are listed, as the server's strict validation does. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(closed)
  if (!isJsonObject(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closeKeyword(key, value ?? null)]),
  )
  const listsFields = isJsonObject(schema.properties) && schema['x-kubernetes-preserve-unknown-fields'] !== true
  const nullable = schema.nullable === true && typeof schema.type === 'string' ? { type: [schema.type, 'null'] } : {}
  return {
    ...inner,
    ...nullable,
    ...(listsFields && schema.additionalProperties === undefined ? { additionalProperties: false } : {}),
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
    default:
      return `${path || 'the object'} ${message ?? 'is invalid'}, not ${JSON.stringify(data)?.slice(0, 80)}`
  }
}
