import { expect, it } from 'vitest'
import { customResources } from '../../src/apiserver/custom/custom-strategy.ts'
import { StatusError } from '../../src/apiserver/status-error.ts'
import type { ServedResource } from '../../src/apiserver/strategy.ts'
import { canonicalJson, type Json, type JsonObject, own } from '../../src/base/json.ts'
import { answeredErrors, oracleRuns, shownErrors } from '../oracles/field-errors.ts'
import { ask } from '../oracles/oracle.ts'
import { Samples } from './custom-samples.ts'

interface Question {
  readonly version: JsonObject
  readonly object: JsonObject
  readonly old?: JsonObject
  readonly status: boolean
}

const paths = [
  '.spec',
  '.spec.a',
  '.spec.list[0]',
  '.spec.list[*].a',
  '.status.list[-1:]',

  '.spec.list[?(@.a=="a")].b',
  '.metadata.name',
  '.spec.list[?(@.b>1)].a',
  ".spec['a','b']",
  '.spec.x-y',
  '.spec.a.b.c',
  '.spec.list[0:2]',
  '.spec.list[5]',
  '.spec.list[?(@.a)].a',
  '.a[',

  '.spec.list[::2]',
  '.metadata.creationTimestamp',
  '..',
  '.spec.list[?(@.c!=true)]',
  '.spec.é',
  'spec',
  '{.spec}',
  '.spec.list[1,0]',
]

function questions(count: number): Question[] {
  return Array.from({ length: count }, (_, index) => index).flatMap((index): Question[] => {
    const samples = new Samples(7_000_000 + index)
    samples.rules = 0.1
    const schema = samples.rootSchema()
    const column = (path: string, position: number): JsonObject => ({
      name: `C${position}`,
      type: samples.pick(['string', 'integer', 'number', 'boolean', 'date']),
      jsonPath: path,
      ...(samples.chance(0.2) ? { description: 'D', format: 'int32', priority: 1 } : {}),
    })
    const columns = Array.from({ length: 1 + samples.below(3) }, (_, position) => column(samples.pick(paths), position))
    const subresources: Record<string, Json> = {}
    if (samples.chance(0.6)) subresources['status'] = {}
    if (samples.chance(0.4))
      subresources['scale'] = {
        specReplicasPath: samples.pick(['.spec.a', '.spec', '.spec.b.c']),
        statusReplicasPath: samples.pick(['.status.a', '.status.b']),
        ...(samples.chance(0.5) ? { labelSelectorPath: '.status.c' } : {}),
      }
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: schema },
      subresources,
      additionalPrinterColumns: columns,
    }
    const old = samples.object(schema, 0.03)
    const changed = samples.changed(old, schema) as JsonObject // See structural.oracle.test.ts.
    const object = {
      ...changed,
      apiVersion: 'g.io/v1',
      kind: samples.chance(0.02) ? 'L' : 'K',
      metadata: samples.metadata(),
    }
    const status = samples.chance(0.5) && 'status' in subresources
    return [
      { version, object: old, status: false },
      { version, object, old, status },
    ]
  })
}

function resourceOf(version: JsonObject): ServedResource {
  const names = { plural: 'ks', singular: 'k', kind: 'K', listKind: 'KList' }
  const [resource] = customResources({ spec: { group: 'g.io', scope: 'Cluster', names, versions: [version] } })
  if (resource === undefined) throw new Error('the definition serves nothing')
  return resource
}

function ourAnswer({ version, object: body, old: oldBody, status }: Question): JsonObject {
  const { strategy, table } = resourceOf(version)
  const context = { timestamp: '2020-01-01T00:00:00Z' }
  try {
    const { object } = strategy.decode({ ...body, kind: 'K' })
    const typed = { ...object, kind: own(body, 'kind') ?? '' }
    const old = oldBody === undefined ? undefined : strategy.decode(oldBody).object
    const steps = status ? (strategy.status ?? strategy) : strategy
    const prepared =
      old === undefined ? strategy.prepareForCreate(typed, context) : steps.prepareForUpdate(typed, old, context)
    const errors = old === undefined ? strategy.validateCreate(prepared) : steps.validateUpdate(prepared, old)
    const warnings = old === undefined ? strategy.warningsOnCreate(prepared) : steps.warningsOnUpdate(prepared, old)
    return {
      object: prepared,
      errors: shownErrors(errors),
      warnings: warnings.length === 0 ? null : warnings,
      cells: table.cells(prepared, 1_900_000_000_000),
      columns: table.columns as unknown as Json, // Plain values.
    }
  } catch (thrown) {
    if (thrown instanceof StatusError) return { unreadable: true }
    throw thrown
  }
}

/** Removes ages, which depend on the oracle's clock; other cells do not. */
function withoutAges(answer: JsonObject): JsonObject {
  const cells = own(answer, 'cells') as readonly Json[] | undefined // The oracle's own form, and ours.
  const columns = own(answer, 'columns') as readonly JsonObject[] | undefined
  const kept = cells?.map((cell, index) =>
    columns?.[index]?.['type'] === 'date' && cell !== null && cell !== '<invalid>' ? 'age' : cell,
  )
  return { ...answer, ...(kept === undefined ? {} : { cells: kept }) }
}

it('takes writes of custom kinds through the same steps as the control plane', async () => {
  const asked = questions(oracleRuns(2_500))
  const answers = await ask('custom-kind', asked as unknown as readonly Json[]) // Plain data.
  const differing = asked.flatMap((question, index): JsonObject[] => {
    const { value, error } = answers[index] ?? {}
    if (error !== undefined)
      return error.startsWith('failed to prune default') ? [] : [{ question: question as unknown as JsonObject, error }]
    const given = value as JsonObject // The oracle's own form.
    // The real server would have rejected a CRD with such a rule; the types in its texts have random names.
    if (canonicalJson(given).includes('rule compile error')) return []
    const theirs: JsonObject = withoutAges({
      ...given,
      ...(own(given, 'unreadable') === undefined
        ? { errors: answeredErrors(own(given, 'errors')) }
        : { unreadable: true }),
    })
    const ours = withoutAges(ourAnswer(question))
    const parts = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    const differing = parts.filter((part) => canonicalJson(own(ours, part)) !== canonicalJson(own(theirs, part)))
    return differing.length === 0
      ? []
      : [
          {
            differing: differing.map((part): Json => [part, own(ours, part) ?? null, own(theirs, part) ?? null]),
            question: question as unknown as JsonObject,
          },
        ]
  })
  const shortest = differing.map(canonicalJson).sort((left, right) => left.length - right.length)
  expect(shortest.slice(0, 3)).toEqual([])
  expect(differing).toHaveLength(0)
}, 300_000)
