// Servers of an in-cluster Database, and the server that applications connect to, in each state of an upgrade.
import { describe, expect, it } from 'vitest'
import { type SideClaim, servedSide, serverSides } from '../../../src/controllers/database/server-sides.ts'
import type { SagaRecord } from '../../../src/index.ts'
import { databaseObject, inCluster } from './databases.ts'
import { movingDatabase, startedAt, startedMs, upgradeRecord } from './upgrade/upgrade-records.ts'

const object = movingDatabase({ upgrade: undefined })
const hourMs = 3_600_000

function seen(record: SagaRecord | undefined, previousClaim: SideClaim = 'kept', afterMs = 0): string {
  const { serving, takesClients, beside } = serverSides({ object, record, previousClaim, nowMs: startedMs + afterMs })
  const led = takesClients ? serving.statefulSet : 'nobody'
  if (beside === undefined) return `${serving.statefulSet}, led to ${led}`
  const { side, role, isRunning, volumeWhenDeleted } = beside
  const life = isRunning ? 'running' : 'stopped'
  return `${serving.statefulSet}, led to ${led}, beside it ${role} ${side.statefulSet} ${life} ${volumeWhenDeleted}`
}

const alone = 'shop-db-postgres, led to shop-db-postgres'
const both = `${alone}, beside it next shop-db-pg18 running Delete`
const frozen = 'shop-db-postgres, led to nobody, beside it next shop-db-pg18 running Delete'
const switched = 'shop-db-pg18, led to shop-db-pg18'
const pivotedAt = startedAt

describe('the servers of a Database', () => {
  it.each([
    ['without an upgrade', undefined, alone],
    ['while the backup before it is made', upgradeRecord('CreateSnapshot'), alone],
    ['from the step on that makes the new one', upgradeRecord('ProvisionNew'), both],
    ['while rows follow', upgradeRecord('Replicate'), both],
    ['while somebody is waited for', upgradeRecord('AwaitCutover'), both],
    ['from the freeze on', upgradeRecord('ScaleDownOld'), frozen],
    ['while both are compared', upgradeRecord('MigrateData'), frozen],
    ['before the first login at the new one', upgradeRecord('SwitchTraffic'), frozen],
    [
      'after it',
      upgradeRecord('SwitchTraffic', 'Running', { pivotedAt }),
      `${switched}, beside it previous shop-db-postgres running Delete`,
    ],
    [
      'while the old one is asked to forget the replication',
      upgradeRecord('RetireOld', 'Running', { pivotedAt }),
      `${switched}, beside it previous shop-db-postgres running Delete`,
    ],
    ['on the way back, while logins are opened again', upgradeRecord('ScaleDownOld', 'Compensating'), frozen],
    ['on the way back after that', upgradeRecord('Replicate', 'Compensating'), both],
    ['on the way back when the new one goes', upgradeRecord('ProvisionNew', 'Compensating'), alone],
    ['after the way back', upgradeRecord('ProvisionNew', 'Compensated', { state: 'Compensated' }), alone],
  ])('%s', (_, record, expected) => {
    expect(seen(record)).toBe(expected)
  })

  const done = upgradeRecord('RetireOld', 'Done', { state: 'Completed', pivotedAt, finishedAt: startedAt })
  it.each([
    ['runs until its claim is its own', 'kept', 0, `${switched}, beside it previous shop-db-postgres running Delete`],
    ['then it is kept', 'owned', hourMs - 1, `${switched}, beside it previous shop-db-postgres stopped Delete`],
    ['and goes with its claim', 'owned', hourMs, switched],
    ['but never without it', 'kept', hourMs, `${switched}, beside it previous shop-db-postgres running Delete`],
    ['and is not made again', 'gone', 0, switched],
  ] as const)('after an upgrade, the source server %s', (_, claim, afterMs, expected) => {
    expect(seen(done, claim, afterMs)).toBe(expected)
  })

  it('have disjoint pod selectors', () => {
    const { serving, beside } = serverSides({
      object,
      record: upgradeRecord('Replicate'),
      previousClaim: 'gone',
      nowMs: 0,
    })
    expect([serving.selectorLabels, beside?.side.selectorLabels]).toEqual([
      { 'data.konverge.dev/database': 'shop-db' },
      { 'data.konverge.dev/database': 'shop-db.18' },
    ])
  })
})

describe('the server that applications connect to', () => {
  const spec = { version: '18', provider: inCluster } as const
  it.each([
    ['is of the version asked for, before there is any', {}, 'shop-db-postgres 18'],
    ['is of the version it says, where no status names it yet', { serverVersion: '15.18' }, 'shop-db-postgres 15'],
    ['is the one that the status names', { server: { name: 'shop-db-pg16', version: '16' } }, 'shop-db-pg16 16'],
  ])('%s', (_, status, expected) => {
    const { statefulSet, version } = servedSide(databaseObject(spec, { status }))
    expect(`${statefulSet} ${version}`).toBe(expected)
  })
})
