import { expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { keptKinds } from '../../../src/apiserver/built-in/catalogue.ts'
import { unstructuredFault } from '../../../src/apiserver/patch/unstructured-fault.ts'
import { wireJson } from '../../../src/base/wire-json.ts'
import { ask } from '../../oracles/oracle.ts'
import { RandomObjects, seededNumbers } from '../built-in/random-object.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const casesPerKind = 60
const loader = new BuiltInDataLoader()

it('reports the errors of an unstructured object like the control plane', async () => {
  // CRD schemas have their own Go types.
  const kinds = keptKinds.filter(({ kind }) => kind !== 'CustomResourceDefinition')
  const questions = kinds.flatMap((entry, index) => {
    const kind = loader.kind(entry)
    if (kind === undefined) throw new Error(`no type for ${entry.kind}`)
    const { group, version } = kind
    const next = seededNumbers(index + 700)
    const random = new RandomObjects({ next, faultPercent: 2, emptyPercent: 2, isWellFormed: true })
    return Array.from({ length: casesPerKind * runs }, () => {
      const object = random.value(kind.type)
      return { kind: { group, version, kind: kind.kind }, object, ours: unstructuredFault(kind.type, object) ?? '' }
    })
  })
  const answers = await ask(
    'unstructured',
    questions.map(({ kind, object }) => ({ kind, object })),
  )
  const differing = questions.flatMap(({ object, ours, kind }, index) => {
    const theirs = (answers[index]?.value ?? []) as readonly string[] // The oracle's own form.
    return theirs.includes(ours) ? [] : [{ kind, ours, theirs, object: wireJson(object) }]
  })
  const faulty = questions.filter(({ ours }) => ours !== '').length
  expect(faulty).toBeGreaterThan(questions.length / 10)
  expect(differing.length, JSON.stringify(differing.slice(0, 5), undefined, 1)).toBe(0)
})
