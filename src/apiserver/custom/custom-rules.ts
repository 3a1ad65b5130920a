// Validation of custom objects: type, metadata, schema, replicas and embedded objects.
// Source: k8s.io/apiextensions-apiserver/pkg/registry/customresource (strategy.go, status_strategy.go, validator.go).
import { isJsonObject, type JsonObject, own } from '../../base/json.ts'
import { hasRules, type RuleProgram, ruleProgram } from '../cel/rule-program.ts'
import { type FieldError, type FieldErrorType, invalid } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../object-meta.ts'
import { Correlation } from '../schema/correlation.ts'
import { validateUniqueness } from '../schema/list-uniqueness.ts'
import type { Schema } from '../schema/schema.ts'
import { validateValue } from '../schema/validate.ts'
import { validateEmbedded } from './embedded-objects.ts'
import { type CustomScale, validateSpecReplicas, validateStatusReplicas } from './scale-rules.ts'

/** Inputs of the rules of one version. */
export interface CustomKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly isNamespaced: boolean
  readonly schema: Schema
  readonly scale: CustomScale | undefined
}

export function validateCustomCreate(kind: CustomKind, object: JsonObject): FieldError[] {
  const { schema, scale, isNamespaced } = kind
  const typeErrors = typeFaults(kind, object)
  const ownErrors =
    typeErrors.length > 0
      ? typeErrors
      : [
          ...validateObjectMeta({
            metadata: metadataOf(object),
            isNamespaced,
            validateName: dnsSubdomainName,
            field: 'metadata',
          }),
          ...validateValue({ value: object, schema, field: '' }),
          ...(scale === undefined
            ? []
            : [...validateSpecReplicas(object, scale), ...validateStatusReplicas(object, scale)]),
        ]
  const errors = [...ownErrors, ...validateEmbedded(object, schema, ''), ...validateUniqueness(object, schema, '')]
  return withRules(kind, errors, object, undefined)
}

export function validateCustomUpdate(kind: CustomKind, object: JsonObject, old: JsonObject): FieldError[] {
  const { schema, scale } = kind
  const typeErrors = typeFaults(kind, object)
  const ownErrors =
    typeErrors.length > 0
      ? typeErrors
      : [
          ...validateObjectMetaUpdate(metadataOf(object), metadataOf(old)),
          ...validateValue({ value: object, schema, field: '', correlation: new Correlation(object, old, schema) }),
          ...(scale === undefined
            ? []
            : [...validateSpecReplicas(object, scale), ...validateStatusReplicas(object, scale)]),
        ]
  const errors = [...ownErrors, ...validateEmbedded(object, schema, ''), ...newRepetitions(object, old, schema)]
  return withRules(kind, errors, object, old)
}

/** Validates an update of the status subresource: the schema applies only to the status. */
export function validateCustomStatus(kind: CustomKind, object: JsonObject, old: JsonObject): FieldError[] {
  const { schema, scale } = kind
  const typeErrors = typeFaults(kind, object)
  const ownErrors =
    typeErrors.length > 0
      ? typeErrors
      : [
          ...validateObjectMetaUpdate(metadataOf(object), metadataOf(old)),
          ...statusErrors(object, old, schema),
          ...(scale === undefined ? [] : validateStatusReplicas(object, scale)),
        ]
  return withRules(kind, [...ownErrors, ...newRepetitions(object, old, schema)], object, old)
}

/** Errors after which rules do not run, because the object does not have the declared shape. */
const blocking: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const programs = new WeakMap<Schema, RuleProgram | undefined>()

/** Adds the errors of the schema's rules. Rules are compiled at their first use. */
function withRules(
  { schema }: CustomKind,
  errors: FieldError[],
  object: JsonObject,
  old: JsonObject | undefined,
): FieldError[] {
  if (!programs.has(schema)) programs.set(schema, hasRules(schema) ? ruleProgram(schema) : undefined)
  const program = programs.get(schema)
  if (program === undefined) return errors
  if (!errors.some(({ type }) => blocking.has(type)))
    return [...errors, ...program.validate({ object, old, field: '' })]
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  return [...errors, invalid('<nil>', null, detail)]
}

/** A list that already had duplicate items or keys may keep them. */
function newRepetitions(object: JsonObject, old: JsonObject, schema: Schema): FieldError[] {
  const errors = validateUniqueness(object, schema, '')
  return errors.length > 0 && validateUniqueness(old, schema, '').length > 0 ? [] : errors
}

function statusErrors(object: JsonObject, old: JsonObject, schema: Schema): FieldError[] {
  const value = own(object, 'status')
  const statusSchema = schema.properties.get('status')
  if (value === undefined || statusSchema === undefined) return []
  const correlation = new Correlation(value, own(old, 'status') ?? null, statusSchema)
  return validateValue({ value, schema: statusSchema, field: 'status', correlation })
}

function typeFaults({ group, version, kind }: CustomKind, object: JsonObject): FieldError[] {
  const apiVersion = `${group}/${version}`
  const wrong = (key: string, wanted: string): FieldError[] => {
    const value = own(object, key)
    return value === wanted ? [] : [invalid(key, typeof value === 'string' ? value : '', `must be ${wanted}`)]
  }
  return [...wrong('kind', kind), ...wrong('apiVersion', apiVersion)]
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata')
  return isJsonObject(metadata) ? metadata : {}
}
