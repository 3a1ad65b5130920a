import { expect, it } from 'vitest'
import { validateCoreMetadata } from '../../../src/apiserver/built-in/core-metadata.ts'
import { mapAt, structAt, withEmbedded } from '../../../src/apiserver/built-in/field-walk.ts'
import { podTemplateDefaults } from '../../../src/apiserver/built-in/pod-defaults.ts'
import { validatePodTemplateSpec } from '../../../src/apiserver/built-in/pod-template-validation.ts'
import type { FieldError } from '../../../src/apiserver/field-error.ts'
import { dnsSubdomainName } from '../../../src/apiserver/name-rules.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { answeredErrors, oracleRuns, shownErrors } from '../../oracles/field-errors.ts'
import { ask } from '../../oracles/oracle.ts'
import { Dice, mutated } from './object-mutations.ts'
import { podBases, podWords } from './pod-cases.ts'

function rolled(base: JsonObject, dice: Dice): JsonObject {
  let value = base
  for (let count = dice.below(4); count > 0; count--) {
    const next = mutated(value, dice, (path) => path.length > 1, podWords)
    if (isJsonObject(next)) value = next
  }
  return value
}

function judge(object: JsonObject): readonly FieldError[] {
  const defaulted = withEmbedded(object, 'template', podTemplateDefaults)
  return [
    ...validateCoreMetadata(mapAt(defaulted, 'metadata'), { isNamespaced: true, validateName: dnsSubdomainName }),
    ...validatePodTemplateSpec(structAt(defaulted, 'template'), 'template'),
  ]
}

it('validates pod templates like the control plane', async () => {
  const dice = new Dice(2)
  const objects = Array.from({ length: oracleRuns(2500) }, () => ({
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'x', namespace: 'y' },
    template: rolled(dice.pick(podBases), dice),
  }))
  const answers = await ask(
    'builtin-kinds',
    objects.map((object): Json => ({ operation: 'create', object })),
  )
  const differing = objects.flatMap((object, index) => {
    const { value } = answers[index] ?? {}
    if (!isJsonObject(value)) return [] // Undecodable bodies are tested with the codec.
    const [ours, theirs] = [shownErrors(judge(object)), answeredErrors(value['errors'])]
    return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ ours, theirs, object }]
  })
  expect(differing.slice(0, 5)).toEqual([])
})
