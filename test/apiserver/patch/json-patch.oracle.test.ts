import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonPatched } from '../../../src/apiserver/patch/json-patch.ts'
import { readJsonPatch } from '../../../src/apiserver/patch/json-patch-body.ts'
import { mergedWith } from '../../../src/apiserver/patch-object.ts'
import { StatusError } from '../../../src/apiserver/status-error.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { ask } from '../../oracles/oracle.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1) * 6_000

const keys = fc.constantFrom('a', 'b', 'c', '0', '1', '', 'a/b', 'c~d', '-', '__proto__')
const scalars: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(0, 1, -2, 1.5, true, false, 'x', '', 'ü')
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.constant(null),
    // Go's library panics when it compares a list that contains null.
    fc.array(
      tie('value').filter((item) => item !== null),
      { maxLength: 4 },
    ),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
}))
const document = fc.dictionary(keys, value, { minKeys: 1, maxKeys: 5 })

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', '0', '1', '', 'a~1b', 'c~0d', '__proto__') },
  { weight: 3, arbitrary: fc.constantFrom('-', '-1', '-2', '-0', '+1', '01', '9', '-9', '1.0', 'x', '~2', '~01') },
)
const path = fc.oneof(
  { weight: 20, arbitrary: fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => `/${steps.join('/')}`) },
  { weight: 1, arbitrary: fc.constantFrom('', '/', 'a', 'a/b', '//') },
)
const operation: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path, value }),
  fc.record({ op: fc.constant('remove'), path }),
  fc.record({ op: fc.constantFrom('move', 'copy'), from: path, path }),
)
const oddOperation: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ op: fc.constantFrom('merge', '', 'Add', 'add'), path, more: value }),
  fc.record({ op: fc.constantFrom<Json[]>(1, null, 'test', true, []), path: fc.oneof(path, value), value }),
  fc.record({ op: fc.constantFrom('move', 'copy', 'remove'), path, from: value }),
  value,
)

interface Question extends Record<string, Json> {
  readonly type: 'json' | 'merge'
  readonly isChecked: boolean
  readonly document: JsonObject
  readonly patch: Json
}

/** Returns the document and the strict errors, or the error's code and, for 400, its text. */
function outcome({ type, isChecked, document: live, patch }: Question): string {
  try {
    if (type === 'merge') return told(mergedWith(live, patch, isChecked), [])
    const { operations, strictErrors } = readJsonPatch(patch, isChecked)
    const patched = jsonPatched(live, operations)
    return patched === undefined ? '422' : told(patched, strictErrors)
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    return `${thrown.parts.code}: ${thrown.message}`
  }
}

function told(patched: Json, strict: readonly Json[]): string {
  return `${canonicalJson(patched)} ${strict.join(', ')}`
}

async function compare(questions: readonly Question[]): Promise<number> {
  const before = questions.map(({ document: live }) => canonicalJson(live))
  const answers = await ask('json-patch', questions)
  const differences: unknown[] = []
  let applied = 0
  for (const [index, question] of questions.entries()) {
    const { value: found, error } = answers[index] ?? {}
    if (error?.startsWith('panic')) continue
    if (!isJsonObject(found)) throw new Error(`no answer to ${JSON.stringify(question)}: ${error}`)
    const { refusal, document: patched = null, strict } = found
    const wanted = typeof refusal === 'string' ? refusal : told(patched, strict as readonly Json[]) // The oracle's list.
    const got = outcome(question)
    if (typeof refusal !== 'string') applied++
    if (got !== wanted) differences.push({ question: JSON.stringify(question), got, wanted })
    expect(canonicalJson(question.document)).toBe(before[index])
  }
  expect(differences.slice(0, 5)).toEqual([])
  return applied
}

describe('patches', () => {
  it('apply a JSON patch like the API server', async () => {
    const question = fc.record({
      type: fc.constant<'json'>('json'),
      isChecked: fc.boolean(),
      document,
      patch: fc.oneof(
        { weight: 20, arbitrary: fc.array(operation, { maxLength: 4 }) },
        { weight: 3, arbitrary: fc.array(fc.oneof(operation, oddOperation), { maxLength: 3 }) },
        { weight: 1, arbitrary: value },
      ),
    })
    expect(await compare(fc.sample(question, { numRuns: runs, seed: 1 }))).toBeGreaterThan(runs / 20)
  }, 60_000)

  it('may copy at most three mebibytes', async () => {
    const live = { a: 'x'.repeat(2 ** 20 - 2) }
    const copies = (count: number) => Array.from({ length: count }, () => ({ op: 'copy', from: '/a', path: '/b' }))
    const of = (patch: Json): Question => ({ type: 'json', isChecked: true, document: live, patch })
    expect(await compare([of(copies(3)), of(copies(4))])).toBe(1)
  })

  it('apply a merge patch like the API server', async () => {
    const question = fc.record({
      type: fc.constant<'merge'>('merge'),
      isChecked: fc.boolean(),
      document,
      patch: fc.oneof({ weight: 20, arbitrary: document }, { weight: 1, arbitrary: value }),
    })
    expect(await compare(fc.sample(question, { numRuns: runs, seed: 2 }))).toBeGreaterThan(runs / 2)
  }, 60_000)
})
