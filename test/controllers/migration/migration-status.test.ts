// Status of a Migration for its steps, and for recorded steps that are no longer in its spec.
import { describe, expect, it } from 'vitest'
import type { MigrationStatus } from '../../../imports/wire/migration.ts'
import { followingMigrations } from '../../../src/controllers/database/upgrade/following-migrations.ts'
import type { RecordedStep } from '../../../src/controllers/engines/recorded-step.ts'
import type { MigrationObject } from '../../../src/controllers/migration/desired-worker.ts'
import type { MigrationFacts } from '../../../src/controllers/migration/migration-facts.ts'
import type { MarkReport } from '../../../src/controllers/migration/migration-state.ts'
import { migrationStatus } from '../../../src/controllers/migration/migration-status.ts'
import { planHash, stepChecksum } from '../../../src/controllers/migration/step-digest.ts'
import type { LiveObject } from '../../../src/index.ts'
import { copyStep, sqlStep } from './steps.ts'

const step = sqlStep('SELECT 1', { name: 'b' })
const copy = copyStep(['people'], { name: 'a', mode: 'Logical' })
const access = {
  ...{ host: 'db.example', port: 5432, username: 'admin', password: 'secret' },
  ...{ maintenanceDatabase: 'postgres', tls: 'verify-full' as const },
}
const object = {
  ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Migration' },
  metadata: { name: 'v2', namespace: 'shop', uid: 'u', resourceVersion: '1' },
  spec: { databaseRef: { name: 'new' }, suspend: true },
} as MigrationObject // The code reads these fields only.

function mark(change: Partial<RecordedStep>): RecordedStep {
  return {
    ...{ name: 'a', ordinal: 1, state: 'Running', checksum: stepChecksum(copy), plan: planHash([copy]), attempts: 1 },
    ...{ token: '', supersededBy: undefined, failure: undefined },
    ...{ startedAt: undefined, finishedAt: undefined, rowsCopied: undefined, ...change },
  }
}

function told(...record: readonly RecordedStep[]): MigrationStatus {
  return statusOf({}, record).fields
}

function statusOf(
  change: Partial<MigrationFacts>,
  record: readonly RecordedStep[] = [],
  of: MigrationObject = object,
): ReturnType<typeof migrationStatus> {
  const facts: MigrationFacts = {
    order: {
      ...{ steps: [step], onFailure: 'Stop', adoptsBaseline: false, retryToken: '', maxAttempts: 5 },
      approval: { kind: 'Auto' },
    },
    ...{ target: { access, database: 'new', systemIdentifier: '7' }, run: { kind: 'none' }, occasion: 'now', kept: [] },
    ...change,
  }
  const marks: MarkReport = {
    ...{ name: 'marks', state: 'available', reason: 'AsDesired', message: '', drift: [], corrected: [] },
    observed: { occasion: 'now', record },
  }
  const context = {
    ...{ object: of, facts, children: [], externals: [], sagas: [] },
    outcome: { kind: 'settled' as const },
  }
  return migrationStatus(context, marks)
}

function schemaOf(change: Partial<MigrationFacts>, of?: MigrationObject): string {
  const found = statusOf(change, [], of).conditions.find(({ type }) => type === 'SchemaValidated')
  return `${found?.status} ${found?.reason}`
}

/** Status of an earlier reconcile, of generation 2. */
function formerly(status: 'True' | 'False', reason: string, generation: number): MigrationObject {
  const condition = {
    type: 'SchemaValidated',
    status,
    reason,
    message: 'm',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  return {
    ...{ ...object, metadata: { ...object.metadata, generation } },
    status: { conditions: [{ ...condition, observedGeneration: 2 }] },
  }
}

function database(name: string): LiveObject {
  return {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Database' },
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' },
  }
}

describe('the status of a Migration', () => {
  it('includes a removed step while it replicates, so that neither database moves', () => {
    const status = told(mark({ followed: 'shop/old' }))
    expect(status).toMatchObject({
      progress: '0/1',
      steps: [
        { name: 'b', state: 'Pending' },
        { name: 'a', state: 'Running', source: 'shop/old', replication: expect.stringMatching(/^konverge_/) },
      ],
    })
    for (const name of ['old', 'new']) {
      expect(followingMigrations(database(name), [{ ...object, status } as LiveObject])).toEqual(['v2'])
    }
  })

  it('includes each step once, and no removed step that does not replicate', () => {
    const names = told(mark({ name: 'b', followed: 'shop/old' }), mark({ name: 'c' })).steps?.map(({ name }) => name)
    expect(names).toEqual(['b'])
  })
})

describe('SchemaValidated', () => {
  it.each([
    ['Unknown Reviewing', 'before the steps have been reviewed', { isUnreviewed: true }, undefined],
    ['True Parsed', 'after that', {}, undefined],
    ['False ParseError', 'of steps with findings', { invalid: { reason: 'ParseError', message: 'm' } }, undefined],
    ['True Parsed', 'as a former reconcile left it', { isUnreviewed: true }, formerly('True', 'Parsed', 2)],
    ['False ParseError', 'as a former reconcile left it', { isUnreviewed: true }, formerly('False', 'ParseError', 2)],
    ['Unknown Reviewing', 'of other steps than before', { isUnreviewed: true }, formerly('True', 'Parsed', 3)],
  ] as const)('is %s %s', (expected, _, facts, of) => {
    expect(schemaOf(facts, of)).toBe(expected)
  })

  it('reconciles again while the review waits in the queue', () => {
    expect(statusOf({ isUnreviewed: true, reviewAgainAtMs: 5_000 }).dueAtMs).toEqual([5_000])
  })
})

describe('a review that exceeded its limit', () => {
  const rejectedReview = { digest: 'd', reason: 'StepTooComplex', message: 'm' }
  const rejected = { ...object, status: { rejectedReview } } as MigrationObject // The code reads these fields only.
  const annotations = { 'konverge.dev/reconcile-now': 'again' }
  const asked = { ...rejected, metadata: { ...object.metadata, annotations } }

  it.each([
    ['stays while no review is known', rejected, rejectedReview],
    ['goes as soon as the user asks for another', asked, undefined],
  ])('%s', (_, of, expected) => {
    expect(statusOf({ isUnreviewed: true }, [], of).fields.rejectedReview).toEqual(expected)
  })
})
