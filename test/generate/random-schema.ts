// Random structural schemas, each with a value that fits it, one that does not, and the path of the error.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/base/json.ts'

export interface Sample {
  readonly schema: JsonObject
  readonly valid: Json
  /** A value with one part of a type that the schema does not allow; absent if every value fits. */
  readonly invalid?: { readonly value: Json; readonly path: string }
}

/** A value of no scalar type below. */
const misfit = [['misfit']]

const scalar = (schema: JsonObject, valid: fc.Arbitrary<Json>, wrong: Json = misfit): fc.Arbitrary<Sample> =>
  valid.map((value) => ({ schema, valid: value, invalid: { value: wrong, path: '' } }))

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom('*/', '`', "'", '\\', '$\u007bx}', 'a b', '\u2028', '', 'true', 'toString', '__proto__'),
)

const descriptions = fc.oneof(texts, fc.lorem({ mode: 'sentences', maxCount: 4 }))

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  scalar({ type: 'string' }, texts),
  // A list passes for any text with a format: the API server checks the type of neither (kube-openapi, type.go).
  scalar({ type: 'string', format: 'date-time' }, fc.constant('2026-01-31T12:00:00Z'), true),
  scalar({ type: 'integer' }, fc.integer()),
  scalar(
    { type: 'number' },
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  ),
  scalar({ type: 'boolean' }, fc.boolean()),
  scalar({ 'x-kubernetes-int-or-string': true }, fc.oneof(fc.integer(), texts)),
  fc.uniqueArray(texts, { minLength: 1, maxLength: 5 }).map((values) => enumOf('string', values)),
  fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 5 }).map((values) => enumOf('integer', values)),
  fc.json().map((json): Sample => ({ schema: { 'x-kubernetes-preserve-unknown-fields': true }, valid: filled(json) })),
)

function enumOf(type: string, values: readonly Json[]): Sample {
  const valid = values.at(-1) ?? null
  return { schema: { type, enum: values }, valid, invalid: { value: misfit, path: '' } }
}

/** cdk8s drops null, and keeps no field with a name such as `__proto__`. */
function filled(json: string): Json {
  return JSON.parse(json.replaceAll(/null/g, '0').replaceAll(/__proto__|constructor/g, 'x'))
}

const names = fc
  .oneof(
    { weight: 3, arbitrary: fc.stringMatching(/^[a-z]{1,3}([A-Z_-][a-zA-Z0-9]{0,3}){0,2}$/) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 6 }) },
    fc.constantFrom('$ref', 'x-y', 'default', 'class', '42', 'a*/b', 'wire1', 'build', 'metadata', 'props'),
  )
  .filter((name) => !(name in Object.prototype))

/** Schemas up to the given depth. */
export function samples(depth: number): fc.Arbitrary<Sample> {
  if (depth === 0) return leaf
  const inner = samples(depth - 1)
  const described = fc.tuple(fc.oneof(listOf(inner), mapOf(inner), objectOf(inner), leaf), descriptions, fc.boolean())
  return described.map(([sample, description, nullable]) => ({
    ...sample,
    schema: { ...sample.schema, description, ...(nullable ? { nullable } : {}) },
  }))
}

const listOf = (items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  items.map(({ schema, valid, invalid }) => ({
    schema: { type: 'array', items: schema },
    valid: [valid],
    invalid:
      invalid === undefined
        ? { value: 'misfit', path: '' }
        : { value: [valid, invalid.value], path: `[1]${invalid.path}` },
  }))

const mapOf = (values: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  values.map(({ schema, valid, invalid }) => ({
    schema: { type: 'object', additionalProperties: schema },
    valid: { a: valid, 'b/c': valid },
    invalid:
      invalid === undefined
        ? { value: 'misfit', path: '' }
        : { value: { key: invalid.value }, path: `.key${invalid.path}` },
  }))

/** Objects with fields, some of them required, some with a default. */
export function objectOf(fields: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const field = fc.record({
    name: names,
    sample: fields,
    use: fc.constantFrom('required', 'given', 'absent', 'default'),
  })
  return fc.uniqueArray(field, { selector: ({ name }) => name, maxLength: 5 }).map((all) => {
    const properties = Object.fromEntries(
      all.map(({ name, sample, use }) => [
        name,
        use === 'default' ? { ...sample.schema, default: sample.valid } : sample.schema,
      ]),
    )
    const required = all.filter(({ use }) => use === 'required').map(({ name }) => name)
    const given = all.filter(({ use }) => use === 'required' || use === 'given')
    const valid = Object.fromEntries(given.map(({ name, sample }) => [name, sample.valid]))
    const wrong = given.find(({ sample }) => sample.invalid !== undefined)
    return {
      schema: { type: 'object', properties, ...(required.length === 0 ? {} : { required }) },
      valid,
      invalid:
        wrong?.sample.invalid === undefined
          ? { value: 'misfit', path: '' }
          : {
              value: { ...valid, [wrong.name]: wrong.sample.invalid.value },
              path: `.${wrong.name}${wrong.sample.invalid.path}`,
            },
    }
  })
}
