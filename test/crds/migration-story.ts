// Story of the CRD of Migration: an API server accepts it, and rejects values that would break a database. It runs on
// every server.
import { describe, expect, it } from 'vitest'
import type { StartStoryServer } from '../e2e/story-server.ts'
import { askerOfSuite } from './asking.ts'
import { migrationRules } from './migration-rules.ts'
import { describeRules, groupPath, writerOf } from './rule-table.ts'

const migrations = `${groupPath}/migrations`
const migration = (name: string, spec: object) =>
  writerOf('Migration')(name, { databaseRef: { name: 'shop' }, ...spec })
const steps = [{ name: 'create', sql: 'SELECT 1', verify: { sql: 'SELECT 1' } }]

/** `start` returns a server with the CRD. */
export function describeMigration(start: StartStoryServer): void {
  const ask = askerOfSuite(start)

  describe('the CRD of Migration', () => {
    describeRules(migrationRules, ask)

    it('sets the defaults', async () => {
      const copy = { from: { name: 'old' }, tables: ['orders'] }
      const given = [...steps, { name: 'rows', type: 'Copy', copy }]
      const { object, message } = await ask('POST', `${migrations}?dryRun=All`, migration('defaults', { steps: given }))
      expect(message).toBe('')
      const limits = { transaction: true, timeout: '5m', lockTimeout: '5s' }
      expect(object.spec).toEqual({
        databaseRef: { name: 'shop' },
        steps: [
          { name: 'create', type: 'SQL', sql: 'SELECT 1', verify: { sql: 'SELECT 1', expect: '1' }, ...limits },
          { name: 'rows', type: 'Copy', copy: { ...copy, mode: 'Snapshot', batchRows: 5000 }, ...limits },
        ],
        schemaValidation: { dryRun: 'None', requireVerify: false },
        ...{ approval: 'Auto', onFailure: 'Stop', baseline: false },
      })
    })

    it('has the columns that users need first', async () => {
      await ask('POST', migrations, migration('seen', { steps }))
      const at = '2026-01-01T00:00:00Z'
      const ready = { type: 'Ready', status: 'False', reason: 'StepFailed', message: 'm', lastTransitionTime: at }
      const status = { phase: 'Failed', progress: '3/7', appliedAt: at, conditions: [ready] }
      expect((await ask('PATCH', `${migrations}/seen/status`, { status })).message).toBe('')
      const { object } = await ask('GET', migrations, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io')
      const names = object.columnDefinitions.map(({ name }: { name: string }) => name)
      expect(names.join(' ')).toBe('Name Database Phase Steps Last Applied Reason Age')
      const rows: readonly (readonly unknown[])[] = object.rows.map(({ cells }: { cells: unknown[] }) => cells)
      const row = rows.find(([name]) => name === 'seen') ?? []
      expect([...row.slice(0, 4), row[5]]).toEqual(['seen', 'shop', 'Failed', '3/7', 'StepFailed'])
    })

    it('is found by its short name, and in the category data', async () => {
      const { object } = await ask('GET', '/apis/data.konverge.dev/v1alpha1')
      const found = object.resources.find(({ name }: { name: string }) => name === 'migrations')
      expect(found).toMatchObject({ shortNames: ['mig'], categories: ['data'], singularName: 'migration' })
    })
  })
}
