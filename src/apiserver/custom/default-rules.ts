// Validation of a schema's defaults: each must be valid for its own schema.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go.
import { deepEqual, type Json, type JsonObject } from '../../base/json.ts'
import { hasRules, ruleProgram } from '../cel/rule-program.ts'
import { aggregateText, errorText, type FieldError, invalid, sortedByKey } from '../field-error.ts'
import { pruneValue } from '../schema/prune.ts'
import { compileSchema, type Schema } from '../schema/schema.ts'
import { validateValue } from '../schema/validate.ts'
import { coerceEmbedded, validateEmbedded } from './embedded-objects.ts'
import { propertiesOf } from './structural-rules.ts'

interface Place {
  readonly path: string
  /** Schema of the enclosing object: the whole object, or an embedded one. */
  readonly root: Schema
  /** Path from the root of that object. */
  readonly steps: readonly (string | number)[]
  readonly isInsideMetadata: boolean
}

const typeMeta: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind'])

/** Returns all faults of the defaults in the schema of a whole object. */
export function validateDefaults(source: JsonObject, path: string): FieldError[] {
  const root = compileSchema({ ...source, 'x-kubernetes-embedded-resource': true })
  return defaultErrors(root, { path, root, steps: [], isInsideMetadata: false })
}

function defaultErrors(schema: Schema, outer: Place): FieldError[] {
  const place = schema.isEmbeddedResource ? { ...outer, root: schema, steps: [], isInsideMetadata: false } : outer
  const { path, steps } = place
  const { default: value, items } = schema
  const ownErrors = value === undefined || value === null ? [] : valueErrors(value, schema, place)
  return [
    ...ownErrors,
    ...(items === undefined ? [] : defaultErrors(items, { ...place, path: `${path}.items`, steps: [...steps, 0] })),
    ...propertiesOf(schema.source).flatMap(([key]) => {
      const property = schema.properties.get(key)
      if (property === undefined) return []
      const isInsideMetadata = place.isInsideMetadata || (schema.isEmbeddedResource && typeMeta.has(key))
      const inner = { ...place, path: `${path}.properties[${key}]`, steps: [...steps, key], isInsideMetadata }
      return defaultErrors(property, inner)
    }),
  ]
}

function valueErrors(value: Json, schema: Schema, { path, root, steps, isInsideMetadata }: Place): FieldError[] {
  const field = `${path}.default`
  if (isInsideMetadata) {
    const fault = metadataFault(value, root, steps)
    if (fault !== undefined) return [invalid(field, sortedByKey(value), `must result in valid metadata: ${fault}`)]
    return judged(value, schema, field)
  }
  const unpruned = deepEqual(pruneValue(value, schema), value)
    ? []
    : [invalid(field, sortedByKey(value), 'must not have unknown fields')]
  const coerced = coerceEmbedded(value, schema, field)
  if (coerced.error !== undefined) return [...unpruned, coerced.error]
  const embedded = validateEmbedded(coerced.value, schema, field)
  if (embedded.length > 0) return [...unpruned, ...embedded]
  return [...unpruned, ...judged(coerced.value, schema, field)]
}

/**
 * Returns the schema's errors for the value. Without any, runs its rules: as an update of the same value, and as a
 * creation.
 */
function judged(value: Json, schema: Schema, field: string): FieldError[] {
  const errors = validateValue({ value, schema, field, reading: 'forDefaults' })
  if (errors.length > 0 || !hasRules(schema)) return errors
  const program = ruleProgram(schema)
  const unchanged = program.validate({ object: value, old: value, field })
  return [...(unchanged.length > 0 ? unchanged : program.validate({ object: value, old: undefined, field }))]
}

/** Returns the fault of an object that contains only this value. */
function metadataFault(value: Json, root: Schema, steps: readonly (string | number)[]): string | undefined {
  const nested = steps.reduceRight<Json>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  )
  // The first step is a field of the object.
  const object = { apiVersion: 'validation/v1', kind: 'Validation', ...(nested as JsonObject) }
  const coerced = coerceEmbedded(object, root, '')
  if (coerced.error !== undefined) return errorText(coerced.error)
  const errors = validateEmbedded(coerced.value, root, '')
  return errors.length === 0 ? undefined : aggregateText(errors.map(errorText))
}
