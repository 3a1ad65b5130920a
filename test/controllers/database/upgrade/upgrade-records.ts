// Journal entries of an upgrade for tests, at each step.
import type { SagaRecord, SagaReport } from '../../../../src/index.ts'
import { databaseObject, inCluster } from '../databases.ts'

export const startedAt = '2026-01-01T00:00:00Z'
export const startedMs = Date.parse(startedAt)

const names = [
  ...['CreateSnapshot', 'ProvisionNew', 'Replicate', 'AwaitCutover', 'ScaleDownOld', 'MigrateData', 'SwitchTraffic'],
  'RetireOld',
]

/** From 15 to 18, running: the steps before `at` are done, and this one is in `state`. */
export function upgradeRecord(
  at: string,
  state: SagaRecord['steps'][number]['state'] = 'Running',
  more: Partial<SagaRecord> = {},
): SagaRecord {
  const index = names.indexOf(at)
  const isBack = state === 'Compensating'
  return {
    ...{ name: 'upgrade', id: '15-to-18', state: isBack ? 'Compensating' : 'Running', generation: 2, startedAt },
    input: {
      from: '15',
      fromServer: 'shop-db-postgres',
      to: '18',
      keepPrevious: '1h',
      snapshot: 'Skip',
      generation: '2',
    },
    steps: names.map((name, step) => ({
      name,
      state: step < index ? 'Done' : step === index ? state : isBack ? 'Compensated' : 'Pending',
    })),
    ...more,
  }
}

export function upgradeReport(record: SagaRecord, state: SagaReport['state'], message = 'so'): SagaReport {
  const step = record.steps.find((one) => one.state === 'Running' || one.state === 'Compensating')?.name
  return { name: 'upgrade', state, reason: record.state, message, step, record }
}

/** A Database of version 15, on its first server. */
export function movingDatabase(spec: object = {}, status: object = {}) {
  return databaseObject(
    {
      version: '18',
      provider: inCluster,
      upgrade: { snapshot: 'Skip', cutover: 'Manual', keepPrevious: '24h', method: 'Replication', maxWait: '15m' },
      ...spec,
    },
    { status: { providerID: 'pg://1/2', server: { name: 'shop-db-postgres', version: '15' }, ...status } },
  )
}
