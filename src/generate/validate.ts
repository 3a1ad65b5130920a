// Would the API server take this object, as far as the CRD's schema tells? Checks types, required and unknown fields, enums,
// bounds and patterns, and fills in defaults, without a cluster. CEL rules and uniqueness of list keys are the server's.
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { ajvSchema } from './ajv-schema.ts'
import { asStored } from './as-stored.ts'
import { goPattern } from './go-pattern.ts'

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
  const stored = asStored(object, schema)
  const validate = new Ajv(ajvOptions).compile(ajvSchema(schema, [stored]))
  if (validate(stored) && isJsonObject(stored)) return { kind: 'valid', object: stored }
  // Errors inside of alternatives come before the one that says that none fits.
  const last = validate.errors?.at(-1)
  return {
    kind: 'invalid',
    message: last === undefined ? 'the object does not fit its schema' : sentenceOf(last, stored),
  }
}

/** Go's patterns, each checked before; `code` would be its name in code written to a file. */
const regExp = Object.assign((pattern: string) => goPattern(pattern) ?? /(?:)/u, { code: 'goPattern' })

/** Formats are not this check's business, nor are definitions; of `__proto__` and its like only own fields count. */
const ajvOptions: Options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  ownProperties: true,
  verbose: true,
  code: { regExp },
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

function sentenceOf({ instancePath, keyword, params, message, data, schema }: ErrorObject, object: Json): string {
  const path = pathOf(instancePath, object)
  const at = (field: string): string => (path === '' ? field : `${path}.${field}`)
  switch (keyword) {
    case 'additionalProperties':
      return `${at(String(params.additionalProperty))} is not a field of this kind; correct or remove it`
    case 'required':
      return `${at(String(params.missingProperty))} is required`
    case 'enum':
      return `${path} must be one of ${(params.allowedValues as readonly unknown[]).map(shown).join(', ')}, not ${excerpt(data)}`
    case 'oneOf':
    case 'anyOf':
      return `${path || 'the object'} ${alternativesDemand(keyword, schema)}`
    case 'type':
      return `${path || 'the object'} must be ${[params.type].flat().join(' or ')}, not ${excerpt(data)}`
    default:
      return `${path || 'the object'} ${message ?? 'is invalid'}, not ${excerpt(data)}`
  }
}

/** A JSON pointer into the object as people write it: `spec.items[1].name`. */
function pathOf(pointer: string, object: Json): string {
  let path = ''
  let value: Json | undefined = object
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path += isJsonList(value) ? `[${name}]` : `${path === '' ? '' : '.'}${name}`
    value = isJsonList(value) ? value[Number(name)] : isJsonObject(value) ? own(value, name) : undefined
  }
  return path
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function excerpt(value: unknown): string | undefined {
  return JSON.stringify(value)?.slice(0, 80)
}

/** Alternatives mostly say which fields exclude each other; others have no short name. */
function alternativesDemand(keyword: 'oneOf' | 'anyOf', alternatives: unknown): string {
  const isOne = keyword === 'oneOf'
  const fields = isJsonList(alternatives) ? alternatives.map(onlyRequired) : []
  const named = fields.filter((field) => field !== undefined)
  if (named.length === 0 || named.length < fields.length) {
    return `must fit ${isOne ? 'exactly' : 'at least'} one of the ${fields.length} alternatives of its schema`
  }
  const list = `${named.slice(0, -1).join(', ')}${named.length > 1 ? ' and ' : ''}${named.at(-1)}`
  return `must have ${isOne ? 'exactly' : 'at least'} one of ${list}`
}

/** The field, if all that an alternative demands is that it is there. */
function onlyRequired(alternative: Json): string | undefined {
  if (!isJsonObject(alternative) || !isJsonList(alternative.required)) return undefined
  const { required, properties, ...others } = alternative
  const [field, ...more] = required
  const isAlone = more.length === 0 && Object.keys(others).length === 0 && Object.keys(properties ?? {}).length === 0
  return isAlone ? String(field) : undefined
}
