// Backup before an upgrade, and the object that it waits for.
import { ApiObject, App, Chart } from 'cdk8s'
import { expect, it } from 'vitest'
import { backupBefore } from '../../../../src/controllers/database/own-backup.ts'
import { desiredMove } from '../../../../src/controllers/database/upgrade/desired-move.ts'
import { readinessGatesOf } from '../../../../src/synth/field-policies.ts'
import { databaseObject } from '../databases.ts'

it('the backup is created after the server has restarted with the settings of the upgrade', () => {
  const backup = backupBefore(databaseObject({ snapshotTarget: { pvc: { claimName: 'backups' } } }), '18')
  const standing = { kind: 'underWay', message: 'it is about to be made' } as const
  const chart = new Chart(new App(), 'shop')
  const server = new ApiObject(chart, 'server', { apiVersion: 'apps/v1', kind: 'StatefulSet' })
  const move = { snapshot: { backup, standing }, others: [], hasNextClaim: false }
  desiredMove(chart, { move, image: 'konverge:test', server })
  const made = chart.apiObjects.filter(({ kind }) => kind === 'Backup')
  expect(made.map(readinessGatesOf)).toEqual([new Set([server])])
})
