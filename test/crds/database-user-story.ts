// Story of the CRD of DatabaseUser: an API server accepts it, and rejects values that would break a PostgreSQL server.
// It runs on every server.
import { describe, expect, it } from 'vitest'
import type { StartStoryServer } from '../e2e/story-server.ts'
import { askerOfSuite } from './asking.ts'
import { databaseUserRules } from './database-user-rules.ts'
import { describeRules, groupPath, writerOf } from './rule-table.ts'

const users = `${groupPath}/databaseusers`
const databases = [{ name: 'shop', access: 'ReadWrite' }]
const user = writerOf('DatabaseUser')

/** `start` returns a server with the CRD. */
export function describeDatabaseUser(start: StartStoryServer): void {
  const ask = askerOfSuite(start)

  describe('the CRD of DatabaseUser', () => {
    describeRules(databaseUserRules, ask)

    it('sets the defaults', async () => {
      const { object } = await ask(
        'POST',
        `${users}?dryRun=All`,
        user('app', { databases, rotation: {}, password: { generate: {} } }),
      )
      expect(object.spec).toEqual({
        databases: [{ name: 'shop', access: 'ReadWrite', schemas: ['public'] }],
        password: { generate: { length: 32, charset: 'Alnum' } },
        rotation: { strategy: 'InPlace', overlap: '24h' },
        secret: {},
        attributes: { createdb: false, replication: false },
        connectionLimit: -1,
        adoptionPolicy: 'Never',
        deletionPolicy: 'Delete',
        ownedObjects: 'ReassignToOwner',
        driftPolicy: 'Correct',
      })
      const secretRef = { name: 'app' }
      const own = await ask('POST', `${users}?dryRun=All`, user('app', { databases, password: { secretRef } }))
      expect(own.object.spec.password).toEqual({ secretRef: { name: 'app', key: 'password' } })
    })

    it.each([
      ['nothing', {}],
      ['all defaults', { password: { generate: {} } }],
      ['a length', { password: { generate: { length: 40 } } }],
    ])('accepts a password of its own by apply when %s was applied before', async (what, before) => {
      const name = what.replaceAll(' ', '-')
      const apply = (spec: object) => ask('PATCH', `${users}/${name}?fieldManager=test`, user(name, spec))
      expect((await apply({ databases, ...before })).message).toBe('')
      const { object, message } = await apply({ databases, password: { secretRef: { name: 'app' } } })
      expect(message).toBe('')
      expect(object.spec.password).toEqual({ secretRef: { name: 'app', key: 'password' } })
    })

    it('has no field for superusers, and drops unknown fields', async () => {
      const spec = { databases, attributes: { superuser: true, bypassrls: true } }
      const { object } = await ask('POST', `${users}?dryRun=All`, user('app', spec))
      expect(object.spec.attributes).toEqual({ createdb: false, replication: false })
      const strict = await ask('POST', `${users}?dryRun=All&fieldValidation=Strict`, user('app', spec))
      expect(strict.status).toBe(400)
      expect(strict.message).toContain('unknown field "spec.attributes.superuser"')
    })

    it('has the columns that users need first', async () => {
      await ask('POST', users, user('seen', { databases }))
      const lastTransitionTime = '2026-01-01T00:00:00Z'
      const ready = { type: 'Ready', status: 'False', reason: 'MissingGrants', message: 'm', lastTransitionTime }
      const patched = await ask('PATCH', `${users}/seen/status`, {
        status: {
          groupRole: 'seen',
          databases: 2,
          access: 'ReadWrite',
          lastRotatedAt: lastTransitionTime,
          conditions: [ready],
        },
      })
      expect(patched.message).toBe('')
      const { object } = await ask('GET', users, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io')
      const names = object.columnDefinitions.map(({ name }: { name: string }) => name)
      expect(names.join(' ')).toBe('Name Role Databases Access Ready Reason Last Rotation Age')
      const rows: readonly (readonly unknown[])[] = object.rows.map(({ cells }: { cells: unknown[] }) => cells)
      const row = rows.find(([name]) => name === 'seen') ?? []
      expect(row.slice(0, 6)).toEqual(['seen', 'seen', 2, 'ReadWrite', 'False', 'MissingGrants'])
      expect(row[6]).toMatch(/^\d+[smhdy]/)
    })

    it('is found by its short name, and in the category data', async () => {
      const { object } = await ask('GET', '/apis/data.konverge.dev/v1alpha1')
      const found = object.resources.find(({ name }: { name: string }) => name === 'databaseusers')
      expect(found).toMatchObject({ shortNames: ['dbu'], categories: ['data'], singularName: 'databaseuser' })
    })
  })
}
