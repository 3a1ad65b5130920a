// How is a schema of a definition said to ajv? Only what both read alike goes in, and unknown fields are refused wherever they
// would be dropped, as the server's strict validation does. ajv compiles what it gets, at some seconds a megabyte, so of a
// schema it gets what the object at hand touches.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { goPattern } from './go-pattern.ts'

/**
 * The schema for ajv, which has to be told `ownProperties`. It judges these values as the whole schema would, and no others:
 * what is inside of fields that none of them has is left out.
 */
export function ajvSchema(schema: Json | undefined, values: readonly Json[]): JsonObject {
  if (!isJsonObject(schema)) return {}
  const isIntOrString = own(schema, 'x-kubernetes-int-or-string') === true
  const declared = own(schema, 'properties')
  const properties = {
    ...(isEmbedded(schema) ? embeddedProperties : {}),
    ...(isJsonObject(declared) ? declared : {}),
  }
  const items = own(schema, 'items')
  return {
    ...demandsOf(schema),
    ...typeOf(schema, isIntOrString),
    ...requiredOf(schema),
    ...fieldsOf(schema, properties, values.filter(isJsonObject)),
    ...(items === undefined ? {} : { items: schemaAt(items, values.filter(isJsonList).flat()) }),
    // Of an int-or-string the alternatives only say the type again, in words that name but the first.
    ...alternativesOf(schema, values, isIntOrString ? otherAlternatives : ['anyOf', ...otherAlternatives]),
  }
}

const embeddedProperties = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}

function isEmbedded(schema: JsonObject): boolean {
  return own(schema, 'x-kubernetes-embedded-resource') === true
}

function typeOf(schema: JsonObject, isIntOrString: boolean): JsonObject {
  const type = own(schema, 'type')
  const types = isIntOrString ? ['integer', 'string'] : typeof type === 'string' ? [type] : []
  if (types.length === 0) return {}
  return { type: own(schema, 'nullable') === true ? [...types, 'null'] : types }
}

function requiredOf(schema: JsonObject): JsonObject {
  const named = own(schema, 'required')
  const required = new Set([...(isEmbedded(schema) ? ['apiVersion', 'kind'] : []), ...(isJsonList(named) ? named : [])])
  return required.size === 0 ? {} : { required: [...required] }
}

/** ajv overlooks a property called `__proto__`, but not a pattern that only this name fits. */
function fieldsOf(schema: JsonObject, properties: JsonObject, values: readonly JsonObject[]): JsonObject {
  const { ['__proto__']: _, ...plain } = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, schemaAt(field, valuesAt(values, name))]),
  )
  const proto = own(properties, '__proto__')
  const additional = own(schema, 'additionalProperties')
  const isClosed =
    own(schema, 'type') === 'object' &&
    (additional === undefined || additional === false) &&
    own(schema, 'x-kubernetes-preserve-unknown-fields') !== true
  return {
    properties: plain,
    ...(proto === undefined
      ? {}
      : { patternProperties: { '^__proto__$': schemaAt(proto, valuesAt(values, '__proto__')) } }),
    ...(isJsonObject(additional) ? { additionalProperties: schemaAt(additional, othersOf(values, properties)) } : {}),
    ...(isClosed ? { additionalProperties: false } : {}),
  }
}

/** Any schema does where there is no value, so the smallest. */
function schemaAt(schema: Json | undefined, values: readonly Json[]): Json {
  return values.length === 0 || ajvSchema(schema, values)
}

function valuesAt(objects: readonly JsonObject[], name: string): Json[] {
  return objects.flatMap((object) => (Object.hasOwn(object, name) ? [object[name] ?? null] : []))
}

/** The values of the keys that no property names. */
function othersOf(objects: readonly JsonObject[], properties: JsonObject): Json[] {
  return objects.flatMap((object) =>
    Object.entries(object).flatMap(([name, value]) => (Object.hasOwn(properties, name) ? [] : [value ?? null])),
  )
}

const otherAlternatives = ['allOf', 'oneOf', 'not']

const copied = [
  'enum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
]

/** Bounds are exclusive by a flag here and by a number there; a pattern that JavaScript cannot say is the server's alone. */
function demandsOf(schema: JsonObject): JsonObject {
  const kept = copied.flatMap((keyword): [string, Json][] => {
    const demand = own(schema, keyword)
    return demand === undefined ? [] : [[keyword, demand]]
  })
  const pattern = own(schema, 'pattern')
  return {
    ...Object.fromEntries(kept),
    ...boundOf(schema, 'minimum', 'exclusiveMinimum'),
    ...boundOf(schema, 'maximum', 'exclusiveMaximum'),
    ...(typeof pattern === 'string' && goPattern(pattern) !== undefined ? { pattern } : {}),
  }
}

function boundOf(schema: JsonObject, inclusive: string, exclusive: string): JsonObject {
  const bound = own(schema, inclusive)
  return typeof bound === 'number' ? { [own(schema, exclusive) === true ? exclusive : inclusive]: bound } : {}
}

/** Conditions on values. They have no types, so nothing in them is closed; an empty list of alternatives demands nothing. */
function alternativesOf(schema: JsonObject, values: readonly Json[], keywords: readonly string[]): JsonObject {
  const found = keywords.flatMap((keyword): [string, Json][] => {
    const alternatives = own(schema, keyword)
    if (isJsonObject(alternatives)) return [[keyword, ajvSchema(alternatives, values)]]
    return isJsonList(alternatives) && alternatives.length > 0
      ? [[keyword, alternatives.map((alternative) => ajvSchema(alternative, values))]]
      : []
  })
  return Object.fromEntries(found)
}
