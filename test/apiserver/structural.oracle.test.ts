import { expect, it } from 'vitest'
import { validateEmbedded } from '../../src/apiserver/custom/embedded-objects.ts'
import { readObject } from '../../src/apiserver/custom/read-object.ts'
import { Correlation } from '../../src/apiserver/schema/correlation.ts'
import { validateUniqueness } from '../../src/apiserver/schema/list-uniqueness.ts'
import { compileSchema } from '../../src/apiserver/schema/schema.ts'
import { validateValue } from '../../src/apiserver/schema/validate.ts'
import { canonicalJson, type Json, type JsonObject, own } from '../../src/base/json.ts'
import { answeredErrors, oracleRuns, shownErrors } from '../oracles/field-errors.ts'
import { ask } from '../oracles/oracle.ts'
import { Samples } from './custom-samples.ts'

interface Question {
  readonly schema: JsonObject
  readonly object: JsonObject
  readonly old?: JsonObject
}

/** Returns several objects per schema; half of them are updates. */
function questions(schemas: number, seed: number): Question[] {
  return Array.from({ length: schemas }, (_, index) => index).flatMap((index) => {
    const samples = new Samples(seed * 1_000_003 + index)
    const schema = samples.rootSchema()
    return Array.from({ length: 6 }, (_, turn): Question => {
      const old = samples.object(schema)
      if (turn % 2 === 0) return { schema, object: old }
      const object = samples.changed(old, schema) as JsonObject // Sound: an object at its root, or the body is empty.
      return { schema, object: { ...object, apiVersion: 'g.io/v1', kind: 'K', metadata: samples.metadata() }, old }
    })
  })
}

/** Returns our answer to a question in the oracle's form. */
function ourAnswer({ schema: source, object: body, old: oldBody }: Question): JsonObject {
  const schema = compileSchema(source)
  const read = readObject(body, schema)
  if ('fault' in read) return { unreadable: read.fault }
  const { object, unknownFields } = read
  const answer: Record<string, Json> = { object, unknown: unknownFields.length === 0 ? null : unknownFields }
  let correlation: Correlation | undefined
  if (oldBody !== undefined) {
    const old = readObject(oldBody, schema)
    if ('fault' in old) return { unreadable: `old: ${old.fault}` }
    correlation = new Correlation(object, old.object, schema)
    const statusSchema = schema.properties.get('status')
    const status = own(object, 'status')
    if (statusSchema !== undefined && status !== undefined && status !== null)
      answer['status'] = shownErrors(
        validateValue({
          value: status,
          schema: statusSchema,
          field: 'status',
          correlation: correlation.field('status'),
        }),
      )
  }
  answer['errors'] = shownErrors([
    ...validateValue({ value: object, schema, field: '', correlation }),
    ...validateEmbedded(object, schema, ''),
    ...validateUniqueness(object, schema, ''),
  ])
  return answer
}

function theirAnswer(value: Json | undefined): JsonObject {
  const answer = value as JsonObject // The oracle's own form.
  const status = own(answer, 'status')
  const errors = own(answer, 'errors')
  return {
    ...answer,
    ...(status === undefined ? {} : { status: answeredErrors(status) }),
    ...(errors === undefined ? {} : { errors: answeredErrors(errors) }),
  }
}

it('decodes and validates custom objects like the control plane', async () => {
  const asked = questions(oracleRuns(2_500), Number(process.env['KONVERGE_ORACLE_SEED'] ?? 1))
  const answers = await ask('structural', asked as unknown as readonly Json[]) // Plain data.
  let unreadable = 0
  let sameReason = 0
  const judged = answers.filter(({ value }) => value !== undefined).length
  const differing = asked.flatMap((question, index): JsonObject[] => {
    const { value, error } = answers[index] ?? {}
    if (error !== undefined)
      return error.startsWith('failed to prune default') ? [] : [{ question: question as unknown as JsonObject, error }]
    const ours = ourAnswer(question)
    const theirs = theirAnswer(value)
    const parts = new Set([...Object.keys(ours), ...Object.keys(theirs)])
    // The real server reports the first of several decoding errors in Go's random map order.
    if (own(ours, 'unreadable') !== undefined && own(theirs, 'unreadable') !== undefined) {
      unreadable++
      if (own(ours, 'unreadable') === own(theirs, 'unreadable')) sameReason++
      return []
    }
    const differing = [...parts].filter((part) => canonicalJson(own(ours, part)) !== canonicalJson(own(theirs, part)))
    return differing.length === 0
      ? []
      : [
          {
            differing: differing.map((part): Json => [part, own(ours, part) ?? null, own(theirs, part) ?? null]),
            question: question as unknown as JsonObject, // Plain data.
          },
        ]
  })
  const shortest = differing.map(canonicalJson).sort((left, right) => left.length - right.length)
  expect(shortest.slice(0, 3)).toEqual([])
  expect(differing).toHaveLength(0)
  expect(sameReason).toBeGreaterThan(unreadable * 0.9)
  expect(judged).toBeGreaterThan(asked.length / 2)
}, 300_000)
