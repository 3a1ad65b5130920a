import { expect, it } from 'vitest'
import { managedFieldsOf } from '../../../src/apiserver/merge/managed-fields.ts'
import { ScaleAccount } from '../../../src/apiserver/merge/scale-account.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { ask } from '../../oracles/oracle.ts'
import { Dice } from './custom-kinds.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)

interface Question {
  readonly apiVersion: string
  readonly entries: readonly JsonObject[]
  readonly replicas: Readonly<Record<string, readonly string[] | null>>
  readonly old: number
  readonly new: number
  readonly manager: string
}

it('records scaling managers like the control plane', async () => {
  const dice = new Dice(3)
  const questions = Array.from({ length: 2_000 * runs }, () => randomQuestion(dice))
  const answers = await ask('smd-scale', questions as unknown as Json[])
  const differing = questions.flatMap((question, index) => {
    const [ours, theirs] = [recorded(question), answers[index]?.value ?? []]
    return listed(ours) === listed(theirs) ? [] : [{ question, ours, theirs, error: answers[index]?.error }]
  })
  expect(differing.slice(0, 2).map((found) => JSON.stringify(found))).toEqual([])
})

/** Sorts entries: Go's order of entries that differ only in their fields is random. */
function listed(entries: Json): string {
  return (entries as readonly Json[])
    .map((entry) => JSON.stringify(entry))
    .sort()
    .join('\n')
}

function recorded({ apiVersion, entries, replicas, old, new: now, manager }: Question): Json {
  const account = new ScaleAccount(
    apiVersion,
    (version) => (Object.hasOwn(replicas, version) ? (replicas[version] ?? 'none') : undefined),
    (object) => object['replicas'] as number, // Sound: as below.
  )
  const live = { metadata: { managedFields: entries }, replicas: old }
  const scaled = account.record({
    live,
    scaled: { ...live, replicas: now },
    manager,
    timestamp: '2024-06-01T00:00:00Z',
  })
  return (managedFieldsOf(scaled) ?? []) as readonly JsonObject[]
}

function randomQuestion(dice: Dice): Question {
  const entry = (): JsonObject => {
    const operation = dice.pick(['Apply', 'Update'])
    const apiVersion = dice.pick(['apps/v1', 'apps/v1', 'apps/v1beta1', 'apps/v2', 'apps/v9'])
    const subresource = dice.pick(['', '', 'status', 'scale'])
    const names = dice.some(['paused', 'replicas', 'strategy'], 0.6)
    const spec = Object.fromEntries(names.map((name) => [`f:${name}`, {}]))
    return {
      manager: dice.pick(['one', 'two', 'three']),
      operation,
      apiVersion,
      ...(dice.chance(0.8) ? { time: `2024-01-0${dice.between(1, 4)}T00:00:00Z` } : {}),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': spec },
      ...(subresource === '' ? {} : { subresource }),
    }
  }
  const seen = new Set<string>()
  const entries = Array.from({ length: dice.between(0, 5) }, entry).filter((found) => {
    const { manager, operation, subresource = '', apiVersion } = found
    const key = JSON.stringify([manager, operation, subresource, operation === 'Apply' || apiVersion])
    // Entries that differ only in the version hide each other in the Scale, and Go takes a random one.
    const inScale = JSON.stringify([manager, operation, subresource])
    return !seen.has(key) && !seen.has(inScale) && seen.add(key) && seen.add(inScale)
  })
  const replicas = { 'apps/v1': ['spec', 'replicas'], 'apps/v1beta1': ['spec', 'replicas'], 'apps/v2': null }
  const count = (): number => dice.between(0, 2)
  return {
    apiVersion: 'apps/v1',
    entries,
    replicas,
    old: count(),
    new: count(),
    manager: dice.pick(['one', 'two', 'new']),
  }
}
