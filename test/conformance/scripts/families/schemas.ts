// Scripts of custom kinds: a random structural schema, then valid and invalid objects of it.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../../../src/base/json.ts'
import type { Step } from '../script.ts'
import { some, step } from './objects.ts'

const group = '{{namespace}}.example.com'
const path = `/apis/${group}/v1/namespaces/{{namespace}}/things`

const word = fc.constantFrom('x', 'yy', 'zzz', '')
const number = fc.constantFrom(0, 1, 2, 5, -1, 1.5)

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .tuple(
      fc.constant({ type: 'string' }),
      some({
        minLength: fc.constantFrom(0, 1),
        maxLength: fc.constantFrom(2, 3),
        pattern: fc.constantFrom('^x', 'z+'),
      }),
      fc.option(fc.constant({ default: 'x' }), { freq: 3, nil: {} }),
    )
    .map(([type, rules, more]) => ({ ...type, ...rules, ...more })),
  fc.constantFrom<JsonObject>(
    { type: 'string', enum: ['x', 'yy'] },
    { type: 'string', format: 'date-time' },
    { type: 'boolean' },
  ),
  some({
    minimum: fc.constantFrom(0, 1),
    maximum: fc.constantFrom(2, 4),
    multipleOf: fc.constant(2),
    exclusiveMaximum: fc.constant(true),
  }).map(({ exclusiveMaximum, ...rules }) => ({
    type: 'integer',
    ...rules,
    ...('maximum' in rules && exclusiveMaximum === true ? { exclusiveMaximum } : {}),
  })),
  fc.constantFrom<JsonObject>(
    { type: 'number' },
    { 'x-kubernetes-int-or-string': true },
    { type: 'integer', nullable: true, default: 3 },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  ),
)

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { minKeys: 1, maxKeys: 3 }),
        fc.subarray(['a', 'b']),
        fc.boolean(),
      )
      .map(
        ([properties, required, preserves]): JsonObject => ({
          type: 'object',
          properties,
          ...(required.length === 0 ? {} : { required }),
          ...(preserves ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
        }),
      ),
    tie('schema').map((items): JsonObject => ({ type: 'array', items, maxItems: 2 })),
    tie('schema').map((values): JsonObject => ({ type: 'object', additionalProperties: values, minProperties: 1 })),
  ) as fc.Arbitrary<JsonObject>,
}))

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4, withCrossShrink: true },
    fc.oneof(word, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3 }),
  ) as fc.Arbitrary<Json>,
}))

/** Generates a value that is mostly valid. */
function valueFor(schema: JsonObject): fc.Arbitrary<Json> {
  const { type, properties, items, additionalProperties } = schema as Record<string, JsonObject | undefined> &
    JsonObject
  const fitting: fc.Arbitrary<Json> =
    properties !== undefined
      ? some(Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, valueFor(inner as JsonObject)])))
      : items !== undefined
        ? fc.array(valueFor(items), { maxLength: 3 })
        : additionalProperties !== undefined
          ? fc.dictionary(word, valueFor(additionalProperties), { maxKeys: 2 })
          : String(type) === 'string'
            ? fc.oneof(word, fc.constant('2026-01-01T00:00:00Z'))
            : String(type) === 'boolean'
              ? fc.boolean()
              : number
  return fc.oneof({ weight: 6, arbitrary: fitting }, { weight: 1, arbitrary: value })
}

function definition(spec: JsonObject): JsonObject {
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

function write(spec: Json, name: string, method: 'POST' | 'PUT' | 'apply', fieldValidation: string): Step {
  const body = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec }
  const query = { fieldValidation }
  if (method === 'POST') return step({ method, path, query, body })
  if (method === 'apply') {
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    return step({ method: 'PATCH', path: `${path}/${name}`, query: { fieldManager: 'm', force: true }, headers, body })
  }
  const versioned = { ...body, metadata: { name, resourceVersion: `{{rv:${name}}}` } }
  return step({ method, path: `${path}/${name}`, query, body: versioned })
}

export const schemaSteps: fc.Arbitrary<Step[]> = schema.chain((spec) =>
  fc
    .array(
      fc.tuple(
        valueFor(spec),
        fc.constantFrom('a', 'b', 'c', 'd'),
        fc.constantFrom('POST', 'POST', 'PUT', 'apply'),
        fc.constantFrom('Ignore', 'Warn', 'Strict'),
      ),
      { minLength: 30, maxLength: 40, size: 'max' },
    )
    .map((writes) => [
      step({ method: 'POST', path: definitions, body: definition(spec) }),
      step({ method: 'GET', path }, 'serve'),
      ...writes.map(([value, name, method, validation]) => write(value, name, method, validation)),
      step({ method: 'GET', path }),
      step({ method: 'DELETE', path: `${definitions}/things.${group}` }),
    ]),
)
