// Story of the CRD of Backup: an API server accepts it, and rejects Backups that would fail later. It runs on every
// server.
import { describe, expect, it } from 'vitest'
import type { StartStoryServer } from '../e2e/story-server.ts'
import { askerOfSuite } from './asking.ts'
import { backupRules } from './backup-rules.ts'
import { describeRules, groupPath, writerOf } from './rule-table.ts'

const backups = `${groupPath}/backups`
const target = { pvc: { claimName: 'backups' } }
const backup = (name: string, spec: object) =>
  writerOf('Backup')(name, { databaseRef: { name: 'shop' }, target, ...spec })

/** `start` returns a server with the CRD. */
export function describeBackup(start: StartStoryServer): void {
  const ask = askerOfSuite(start)

  describe('the CRD of Backup', () => {
    describeRules(backupRules, ask)

    it('sets the defaults', async () => {
      const { object, message } = await ask('POST', `${backups}?dryRun=All`, backup('defaults', {}))
      expect(message).toBe('')
      expect(object.spec).toEqual({
        ...{ databaseRef: { name: 'shop' }, target, method: 'Logical', options: {}, deadline: '1h' },
        verify: { every: 7 },
        ...{ artifactPolicy: 'Retain', concurrency: 'Forbid', startingDeadlineSeconds: 3600 },
      })
    })

    it('rejects an invalid schedule', async () => {
      for (const schedule of ['@daily', '0 0 * *', '0 0 * * * *', '0  0 * * *']) {
        expect((await ask('POST', `${backups}?dryRun=All`, backup('no', { schedule }))).status).toBe(422)
      }
    })

    it('has the columns that users need first', async () => {
      await ask('POST', backups, backup('seen', { schedule: '30 2 * * *' }))
      const at = '2026-01-01T00:00:00Z'
      const verified = {
        type: 'Verified',
        status: 'True',
        reason: 'RestoreVerified',
        message: 'm',
        lastTransitionTime: at,
      }
      const artifact = { uri: 'u', bytes: 7, sha256: 's', manifestSha256: 'm', format: 'f', toolVersion: '15' }
      const status = { phase: 'Scheduled', artifact, nextScheduleTime: at, conditions: [verified] }
      expect((await ask('PATCH', `${backups}/seen/status`, { status })).message).toBe('')
      const { object } = await ask('GET', backups, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io')
      const names = object.columnDefinitions.map(({ name }: { name: string }) => name)
      expect(names.join(' ')).toBe('Name Database Schedule Phase Verified Bytes Last Success Next Schedule Age')
      const rows: readonly (readonly unknown[])[] = object.rows.map(({ cells }: { cells: unknown[] }) => cells)
      const row = rows.find(([name]) => name === 'seen') ?? []
      expect([...row.slice(0, 6), row[7]]).toEqual(['seen', 'shop', '30 2 * * *', 'Scheduled', 'True', 7, at])
    })

    it('is found by its short name, and in the category data', async () => {
      const { object } = await ask('GET', '/apis/data.konverge.dev/v1alpha1')
      const found = object.resources.find(({ name }: { name: string }) => name === 'backups')
      expect(found).toMatchObject({ shortNames: ['bak'], categories: ['data'], singularName: 'backup' })
    })
  })
}
