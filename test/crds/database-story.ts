// Story of the CRD of Database: an API server accepts it, and rejects values that would break a PostgreSQL server. It
// runs on every server.
import { describe, expect, it } from 'vitest'
import type { StartStoryServer } from '../e2e/story-server.ts'
import { askerOfSuite } from './asking.ts'
import { databaseRules } from './database-rules.ts'
import { describeManifests } from './manifest-story.ts'
import { describeRules, groupPath, writerOf } from './rule-table.ts'

const databases = `${groupPath}/databases`
const database = writerOf('Database')

/** `start` returns a server with the CRD. */
export function describeDatabase(start: StartStoryServer): void {
  const ask = askerOfSuite(start)

  describe('the CRD of Database', () => {
    describeRules(databaseRules, ask)

    it('sets the defaults of each provider', async () => {
      const common = {
        adoptionPolicy: 'Never',
        deletionPolicy: 'Retain',
        driftPolicy: 'Correct',
        recreateIfMissing: false,
        connectionLimit: -1,
      }
      const stored = async (name: string, spec: object) => {
        const { object } = await ask('POST', `${databases}?dryRun=All`, database(name, spec))
        return object.spec
      }
      expect(await stored('here', { version: '18', provider: { inCluster: {} } })).toEqual({
        ...common,
        version: '18',
        provider: { inCluster: { storage: { size: '1Gi' } } },
      })
      const connectionSecretRef = { name: 'admin' }
      expect(
        await stored('there', { provider: { server: { connectionSecretRef, caSecretRef: { name: 'ca' } } } }),
      ).toEqual({
        ...common,
        provider: {
          server: {
            connectionSecretRef,
            maintenanceDatabase: 'postgres',
            sslMode: 'verify-full',
            caSecretRef: { name: 'ca', key: 'ca.crt' },
          },
        },
      })
      const rds = { region: 'eu-central-1', instanceClass: 'db.t4g.micro', allocatedStorageGiB: 20 }
      const caSecretRef = { name: 'rds-ca' }
      expect(await stored('away', { version: '18', provider: { rds: { ...rds, caSecretRef } } })).toEqual({
        ...common,
        version: '18',
        provider: {
          rds: {
            ...rds,
            multiAZ: false,
            credentials: {},
            sslMode: 'verify-full',
            caSecretRef: { ...caSecretRef, key: 'ca.crt' },
            deletionProtection: true,
          },
        },
      })
    })

    it('drops unknown fields', async () => {
      const spec = { version: '18', provider: { inCluster: { standbys: 2 } }, superuser: true }
      const { object } = await ask('POST', `${databases}?dryRun=All`, database('plain', spec))
      expect(object.spec).not.toHaveProperty('superuser')
      expect(object.spec.provider.inCluster).not.toHaveProperty('standbys')
      const strict = await ask('POST', `${databases}?dryRun=All&fieldValidation=Strict`, database('plain', spec))
      expect(strict.status).toBe(400)
      expect(strict.message).toContain('unknown field "spec.superuser"')
    })

    it('has the columns that users need first', async () => {
      await ask('POST', databases, database('seen', { version: '18', provider: { inCluster: {} } }))
      const condition = {
        type: 'Ready',
        status: 'True',
        reason: 'InSync',
        message: 'm',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      }
      const patched = await ask('PATCH', `${databases}/seen/status`, {
        status: {
          databaseName: 'seen',
          provider: 'InCluster',
          serverVersion: '18.4',
          endpoint: { host: 'seen-postgres.default.svc', port: 5432 },
          observed: { size: '34MB', sizeBytes: 34_000_000 },
          conditions: [condition],
        },
      })
      expect(patched.message).toBe('')
      const { object } = await ask('GET', databases, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io')
      const names = object.columnDefinitions.map(({ name }: { name: string }) => name)
      expect(names.join(' ')).toBe('Name Database Provider Version Size Ready Reason Upgrade Endpoint Age')
      const rows: readonly (readonly unknown[])[] = object.rows.map(({ cells }: { cells: unknown[] }) => cells)
      expect(rows.find(([name]) => name === 'seen')?.slice(0, -1)).toEqual([
        ...['seen', 'seen', 'InCluster', '18.4', '34MB', 'True', 'InSync', null, 'seen-postgres.default.svc'],
      ])
    })

    it('keeps the journal of external resources, one entry for each name', async () => {
      await ask('POST', databases, database('kept', { version: '18', provider: { inCluster: {} } }))
      const record = {
        name: 'database',
        phase: 'Pending',
        externalName: 'kept',
        token: { uid: 'a-b', generation: 1 },
        requestedAt: '2026-01-01T00:00:00Z',
      }
      const put = (external: readonly object[]) => ask('PATCH', `${databases}/kept/status`, { status: { external } })
      expect((await put([record])).object.status.external).toEqual([record])
      expect((await put([record, record])).sentences).toEqual([
        'status.external[1]: Duplicate value: {"name":"database"}',
      ])
    })

    it('is found by its short name, and in the category data', async () => {
      const { object } = await ask('GET', '/apis/data.konverge.dev/v1alpha1')
      const found = object.resources.find(({ name }: { name: string }) => name === 'databases')
      expect(found).toMatchObject({ shortNames: ['db'], categories: ['data'], singularName: 'database' })
    })
  })

  describeManifests('DatabaseServer', ['database'], ask)
}
