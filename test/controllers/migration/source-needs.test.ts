// Requirements of the Databases that steps copy from or have replicated from.
import { expect, it } from 'vitest'
import type { MigrationStatus } from '../../../imports/wire/migration.ts'
import type { RecordedStep } from '../../../src/controllers/engines/recorded-step.ts'
import type { MigrationObject } from '../../../src/controllers/migration/desired-worker.ts'
import { sourceNeeds } from '../../../src/controllers/migration/source-needs.ts'

type State = RecordedStep['state']

const mark = (name: string, state: State, followed?: string): RecordedStep => ({
  ...{ name, ordinal: 1, state, checksum: 'c', plan: 'p', attempts: 1, token: '', supersededBy: undefined },
  ...{ failure: undefined, startedAt: undefined, finishedAt: undefined, rowsCopied: undefined, followed },
})
/** Steps as `name from`; a step of another kind has no second word. */
const migration = (steps: readonly string[], status?: MigrationStatus) =>
  ({
    metadata: { namespace: 'shop' },
    spec: {
      steps: steps.map((text) => {
        const [name, from] = text.split(' ')
        return { name, ...(from && { copy: { from: { name: from } } }) }
      }),
    },
    status,
  }) as unknown as MigrationObject // The code reads these fields only.

interface Row {
  readonly steps: readonly string[]
  readonly record?: readonly RecordedStep[]
  readonly told?: MigrationStatus['steps']
}

const rows: readonly (readonly [string, Row, string])[] = [
  ['rows, before marks are read', { steps: ['a s'] }, 's rows'],
  ['rows, of each once', { steps: ['a s', 'b t', 'c s'], record: [mark('a', 'Applied')] }, 's rows, t rows'],
  ['nothing once they are there', { steps: ['a s'], record: [mark('a', 'Applied')] }, 's nothing'],
  ['nothing, as was told', { steps: ['a s'], told: [{ name: 'a', state: 'Applied' }] }, 's nothing'],
  ['parts, where no step copies', { steps: ['a'], record: [mark('a', 'Running', 'shop/s')] }, 's parts'],
  ['parts, as was told', { steps: ['a'], told: [{ name: 'a', state: 'Running', source: 'shop/s' }] }, 's parts'],
  [
    'parts, where another step has copied',
    { steps: ['c s', 'a'], record: [mark('c', 'Applied'), mark('a', 'Running', 'shop/s')] },
    's parts',
  ],
  [
    'rows, where parts are there too',
    { steps: ['c s', 'a'], record: [mark('c', 'Running'), mark('a', 'Failed', 'shop/s')] },
    's rows',
  ],
  ['nothing of another namespace', { steps: ['a'], record: [mark('a', 'Running', 'crm/s')] }, ''],
]

it.each(rows)('a migration needs %s', (_, { steps, record, told }, expected) => {
  const needs = sourceNeeds(migration(steps, told && { steps: told }), record)
  expect(needs.map(({ name, need }) => `${name} ${need}`).join(', ')).toBe(expected)
})
