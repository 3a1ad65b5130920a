// Observation and changes of roles through the port, as a superuser and as an admin without superuser.
import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/controllers/engines/change.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'

const token = { uid: '5f1c', generation: 1 }
const verifier = scramVerifier({ password: 'correct horse', salt: Buffer.alloc(16, 7) })

onEachPostgres('roles', (server, version) => {
  describe.each(['superuser', 'plain admin'] as const)('for a %s', (who) => {
    const prefix = who === 'superuser' ? 's' : 'p'

    it('creates a role with its marker, observes it, changes it and drops it', async () => {
      const at = engineHere().at(await adminOf(server(), who))
      const role = `${prefix}_made`
      await at.change([
        { kind: 'createRole', role, token, attributes: { canLogin: true, connectionLimit: 3, verifier } },
      ])
      const { server: facts, roles } = await at.observe({ roles: [{ name: role, verifier }, { name: 'nobody' }] })
      expect(facts).toMatchObject({
        majorVersion: version,
        isReadOnly: false,
        admin: { isSuperuser: who === 'superuser', canCreateDatabases: true, canCreateRoles: true },
      })
      expect(facts.version).toMatch(new RegExp(`^${version}\\.\\d+`))
      expect(facts.systemIdentifier).toMatch(/^\d{19}$/)
      expect(roles).toHaveLength(1)
      expect(roles[0]).toMatchObject({
        name: role,
        token,
        canLogin: true,
        isSuperuser: false,
        connectionLimit: 3,
        hasExpired: false,
        validUntil: undefined,
        verifierMatches: who === 'superuser' ? true : undefined,
        memberOf: [],
        settings: [],
        sessions: 0,
        dependents: [],
      })
      const changes: readonly Change[] = [
        {
          kind: 'alterRole',
          role,
          attributes: {
            canLogin: false,
            connectionLimit: -1,
            validUntil: '2020-02-03T04:05:06Z',
            canCreateDatabases: true,
          },
        },
        { kind: 'markRole', role, token: { uid: 'other', generation: 2 } },
        { kind: 'setRoleSetting', role, database: undefined, name: 'statement_timeout', value: '5s' },
        { kind: 'setRoleSetting', role, database: 'postgres', name: 'search_path', value: 'app, "My Schema"' },
      ]
      await at.change(changes)
      const { roles: changed } = await at.observe({
        roles: [{ name: role, verifier: verifier.replace('4096', '4097') }],
      })
      expect(changed[0]).toMatchObject({
        token: { uid: 'other', generation: 2 },
        canLogin: false,
        canCreateDatabases: true,
        connectionLimit: -1,
        validUntil: '2020-02-03T04:05:06Z',
        hasExpired: true,
        verifierMatches: who === 'superuser' ? false : undefined,
      })
      expect(changed[0]?.settings).toEqual([
        { database: undefined, name: 'statement_timeout', value: '5s' },
        { database: 'postgres', name: 'search_path', value: 'app, "My Schema"' },
      ])
      await at.change([
        { kind: 'resetRoleSetting', role, database: 'postgres', name: 'search_path' },
        { kind: 'resetRoleSetting', role, database: undefined, name: 'statement_timeout' },
      ])
      expect((await at.observe({ roles: [{ name: role }] })).roles[0]?.settings).toEqual([])
      await at.change([
        { kind: 'dropRole', role },
        { kind: 'dropRole', role },
      ])
      expect((await at.observe({ roles: [{ name: role }] })).roles).toEqual([])
    })

    it('grants and revokes memberships', async () => {
      const at = engineHere().at(await adminOf(server(), who))
      const [group, member] = [`${prefix}_group`, `${prefix}_member`]
      await at.change([
        { kind: 'createRole', role: group, token, attributes: {} },
        { kind: 'createRole', role: member, token, attributes: { canLogin: true } },
        { kind: 'grantMembership', role: group, member, inherits: true, canSet: true, isAdmin: false },
      ])
      const question = { roles: [{ name: group }, { name: member }] }
      const { roles } = await at.observe(question)
      const membership = { role: group, member, isAdmin: false, inherits: true, canSet: true }
      expect(roles[0]?.members).toContainEqual(expect.objectContaining(membership))
      expect(roles[1]?.memberOf).toEqual([expect.objectContaining(membership)])
      const grantors = roles[1]?.memberOf[0]?.grantors ?? []
      await at.change([{ kind: 'revokeMembership', role: group, member, grantors }])
      expect((await at.observe(question)).roles[1]?.memberOf).toEqual([])
      await at.change([
        { kind: 'dropRole', role: member },
        { kind: 'dropRole', role: group },
      ])
    })

    it('creates a whole database with its owner, both with markers, and removes it', async () => {
      const at = engineHere().at(await adminOf(server(), who))
      const [name, owner] = [`${prefix}_shop`, `${prefix}_shop_owner`]
      await at.change([{ kind: 'createRole', role: owner, token, attributes: {} }])
      await at.createDatabase({ name, owner, token, locale: 'C', connectionLimit: 7 })
      await at.change([{ kind: 'hardenDatabase', database: name }])
      await at.change(
        [
          { kind: 'hardenSchema', schema: 'public' },
          { kind: 'createSchema', schema: 'app', owner },
          { kind: 'createExtension', extension: 'citext' },
          { kind: 'createExtension', extension: 'hstore', schema: 'app', version: '1.8' },
        ],
        { database: name },
      )
      const { databases } = await at.observe({ databases: [name, 'missing'] })
      expect(databases).toHaveLength(1)
      expect(databases[0]).toMatchObject({
        name,
        owner,
        token,
        ownerToken: token,
        connectionLimit: 7,
        allowsConnections: true,
        isTemplate: false,
        isInvalid: false,
        encoding: 'UTF8',
        collate: 'C',
        publicPrivileges: [],
        sessions: 0,
      })
      expect(databases[0]?.sizeBytes).toBeGreaterThan(1_000_000)
      expect(await at.observeContents(name)).toEqual({
        extensions: [
          { name: 'citext', schema: 'public', version: '1.6', isRelocatable: true },
          { name: 'hstore', schema: 'app', version: '1.8', isRelocatable: true },
          { name: 'plpgsql', schema: 'pg_catalog', version: '1.0', isRelocatable: false },
        ].map((extension) => ({ ...extension, version: expect.any(String) })),
        schemas: [
          { name: 'app', owner, publicPrivileges: [] },
          { name: 'public', owner: 'pg_database_owner', publicPrivileges: ['USAGE'] },
        ],
      })
      await at.dropDatabase(name, { force: true })
      await at.dropDatabase(name, { force: true })
      await at.change([{ kind: 'dropRole', role: owner }])
      expect(await at.observe({ databases: [name], roles: [{ name: owner }] })).toMatchObject({
        databases: [],
        roles: [],
      })
    })
  })
})

/** Returns the superuser, or an admin with CREATEDB and CREATEROLE only, as cloud providers have it. */
async function adminOf(server: PostgresServer, who: 'superuser' | 'plain admin'): Promise<ServerAccess> {
  if (who === 'superuser') return server.access()
  await server.byHand(`DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'op') THEN
      CREATE ROLE op LOGIN CREATEDB CREATEROLE PASSWORD 'op-secret';
    END IF; END $$`)
  return server.access({ username: 'op', password: 'op-secret' })
}
