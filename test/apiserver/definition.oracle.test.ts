import { expect, it } from 'vitest'
import { withDefinitionDefaults } from '../../src/apiserver/custom/definition-defaults.ts'
import { validateDefinitionCreate, validateDefinitionUpdate } from '../../src/apiserver/custom/definition-rules.ts'
import { canonicalJson, type Json, type JsonObject, own } from '../../src/base/json.ts'
import { answeredErrors, oracleRuns, shownErrors } from '../oracles/field-errors.ts'
import { ask } from '../oracles/oracle.ts'
import { DefinitionSamples } from './definition-samples.ts'

interface Question {
  readonly definition: JsonObject
  readonly old?: JsonObject
}

function questions(count: number): Question[] {
  const seed = Number(process.env['KONVERGE_ORACLE_SEED'] ?? 1) * 10_000_019
  return Array.from({ length: count }, (_, index): Question => {
    const samples = new DefinitionSamples(seed + index)
    samples.rules = 0.02
    const definition = samples.definition()
    if (index % 3 !== 2) return { definition }
    const old = samples.definition()
    const status = {
      storedVersions: samples.pick([['v1'], ['v1', 'v2'], ['v9']]),
      conditions: samples.pick<Json>([[], [{ type: 'Established', status: 'True' }]]),
    }
    const established = { ...old, metadata: { name: 'x', resourceVersion: '1' }, status }
    return { definition: { ...definition, metadata: { name: 'x', resourceVersion: '1' }, status }, old: established }
  })
}

/**
 * Returns whether the old CRD could have been stored. Upstream loosens rules for other old CRDs; this server never
 * does.
 */
function isStorable({ old }: Question): boolean {
  if (old === undefined) return true
  const spec = own(old, 'spec') as JsonObject // Sound: made above.
  const names = own(spec, 'names') as JsonObject
  const asNew = { ...old, metadata: { name: `${own(names, 'plural')}.${own(spec, 'group')}` } }
  return validateDefinitionCreate(withDefinitionDefaults(asNew))
    .filter(({ field }) => field !== 'status.storedVersions[0]')
    .every(({ field }) => !field.startsWith('spec'))
}

/** Removes compiler messages, which name types at random and which other tests compare. */
function withoutCompilerText(error: string): string {
  return error.replace(/compilation failed: .*$/s, 'compilation failed')
}

it('validates CRDs like the control plane', async () => {
  const asked = questions(oracleRuns(4_000)).filter(isStorable)
  const answers = await ask('definition', asked as unknown as readonly Json[]) // Plain data.
  const clean = { count: 0 }
  const differing = asked.flatMap((question, index): JsonObject[] => {
    const { value, error } = answers[index] ?? {}
    // A selectable field without a schema makes the real function panic; ours reports the error.
    if (error?.startsWith('panic: runtime error: invalid memory address') === true) return []
    if (error !== undefined) return [{ question: question as unknown as JsonObject, error }]
    const theirs = answeredErrors(own(value as JsonObject, 'errors')).map(withoutCompilerText) // The oracle's own form.
    const definition = withDefinitionDefaults(question.definition)
    const ours = shownErrors(
      question.old === undefined
        ? validateDefinitionCreate(definition)
        : validateDefinitionUpdate(definition, withDefinitionDefaults(question.old)),
    ).map(withoutCompilerText)
    if (theirs.length === 0) clean.count++
    const onlyOurs = ours.filter((text) => !theirs.includes(text))
    const onlyTheirs = theirs.filter((text) => !ours.includes(text))
    return ours.join('\n') === theirs.join('\n')
      ? []
      : [{ onlyOurs, onlyTheirs, question: question as unknown as JsonObject }]
  })
  const shortest = differing.map(canonicalJson).sort((left, right) => left.length - right.length)
  expect(shortest.slice(0, 5)).toEqual([])
  expect(differing).toHaveLength(0)
  expect(clean.count).toBeGreaterThan(asked.length / 20)
}, 300_000)
