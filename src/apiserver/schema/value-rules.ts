// Validation rules of a schema, parsed once from the published schema.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/validation (ConvertJSONSchemaProps).
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { type RegularExpression, regularExpression } from '../regular-expression.ts'
import { type Format, isKnownFormat, stringFormat } from './formats.ts'
import { type NumberRules, numberRules } from './number-rules.ts'

export interface ValueRules {
  readonly types: readonly string[]
  readonly isNullable: boolean
  /** '' if upstream ignores the format. */
  readonly format: string
  readonly hasTypeOrFormat: boolean
  readonly formatCheck: Format | undefined
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  readonly pattern: RegularExpression | undefined
  readonly patternText: string
  readonly number: NumberRules
  readonly hasNumberRules: boolean
  readonly items: ValueRules | undefined
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
  readonly allowed: readonly Json[]
  readonly required: readonly string[]
  readonly properties: ReadonlyMap<string, ValueRules>
  /** Rules of undeclared fields; `true` for any value, `false` for none. */
  readonly additional: ValueRules | boolean
  readonly minProperties: number | undefined
  readonly maxProperties: number | undefined
  readonly anyOf: readonly ValueRules[]
  readonly oneOf: readonly ValueRules[]
  readonly allOf: readonly ValueRules[]
  readonly not: ValueRules | undefined
}

/**
 * Interpretation of a schema. For objects, unknown formats are ignored, and int-or-string is two types.
 * For its own defaults, the schema is taken literally.
 */
export type Reading = 'forObjects' | 'forDefaults'

const compiled: Readonly<Record<Reading, WeakMap<JsonObject, ValueRules>>> = {
  forObjects: new WeakMap(),
  forDefaults: new WeakMap(),
}

/** Returns the rules of a schema in a CRD; the same object for the same schema. */
export function valueRules(source: JsonObject, reading: Reading): ValueRules {
  const known = compiled[reading].get(source)
  if (known !== undefined) return known
  const rules = compile(source, reading)
  compiled[reading].set(source, rules)
  return rules
}

function compile(source: JsonObject, reading: Reading): ValueRules {
  const type = text(source, 'type')
  const isEither = reading === 'forObjects' && own(source, 'x-kubernetes-int-or-string') === true
  const types = isEither ? ['integer', 'string'] : type === '' ? [] : [type]
  const [onlyType = ''] = types.length === 1 ? types : []
  const declaredFormat = text(source, 'format')
  const knownFormat = isKnownFormat(declaredFormat, onlyType) ? declaredFormat : ''
  const format = reading === 'forObjects' ? knownFormat : declaredFormat
  const number = numberRules(source, types, knownFormat)
  const pattern = text(source, 'pattern')
  const enumeration = own(source, 'enum')
  const additional = own(source, 'additionalProperties')
  const items = own(source, 'items')
  const not = own(source, 'not')
  return {
    types,
    isNullable: own(source, 'nullable') === true,
    format,
    hasTypeOrFormat: types.length > 0 || format !== '',
    formatCheck: format === '' ? undefined : stringFormat(format),
    maxLength: count(source, 'maxLength'),
    minLength: count(source, 'minLength'),
    pattern: pattern === '' ? undefined : regularExpression(pattern),
    patternText: pattern,
    number,
    hasNumberRules:
      number.type === 'integer' ||
      number.format !== '' ||
      number.multipleOf !== undefined ||
      number.maximum !== undefined ||
      number.minimum !== undefined,
    items: isJsonObject(items) ? valueRules(items, reading) : undefined,
    minItems: count(source, 'minItems'),
    maxItems: count(source, 'maxItems'),
    allowed: isJsonList(enumeration) ? enumeration : [],
    required: texts(source, 'required'),
    properties: propertyRules(source, reading),
    additional: isJsonObject(additional) ? valueRules(additional, reading) : additional !== false,
    minProperties: count(source, 'minProperties'),
    maxProperties: count(source, 'maxProperties'),
    anyOf: alternatives(source, 'anyOf', reading),
    oneOf: alternatives(source, 'oneOf', reading),
    allOf: alternatives(source, 'allOf', reading),
    not: isJsonObject(not) ? valueRules(not, reading) : undefined,
  }
}

function propertyRules(source: JsonObject, reading: Reading): ReadonlyMap<string, ValueRules> {
  const properties = own(source, 'properties')
  if (!isJsonObject(properties)) return new Map()
  return new Map(
    Object.entries(properties).flatMap(([name, property]) =>
      isJsonObject(property) ? [[name, valueRules(property, reading)] as const] : [],
    ),
  )
}

function alternatives(source: JsonObject, key: string, reading: Reading): readonly ValueRules[] {
  const schemas = own(source, key)
  return isJsonList(schemas) ? schemas.filter(isJsonObject).map((schema) => valueRules(schema, reading)) : []
}

function text(source: JsonObject, key: string): string {
  const value = own(source, key)
  return typeof value === 'string' ? value : ''
}

function texts(source: JsonObject, key: string): readonly string[] {
  const value = own(source, key)
  return isJsonList(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Returns a limit as a number. Limits beyond 2^53 exceed what fits in memory. */
function count(source: JsonObject, key: string): number | undefined {
  const value = own(source, key)
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined
}
