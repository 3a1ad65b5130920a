// Hostile names, passwords, settings and tables on the whole path from the object to the server. Invariant: the server
// equals a model of them, existing objects are unchanged, and no text causes a syntax error.
// The test tries 10,000 texts on the oldest version and 1,500 on the others; HOSTILE_TEXTS=10000 tries that many on
// all.
import process from 'node:process'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { identifier } from '../../../src/controllers/engines/postgres/sql-text.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { hostileText } from '../engines/postgres/hostile-text.ts'
import { home } from '../postgres-stage.ts'
import { hostileUsers, specOf, textsEach } from './hostile-users.ts'
import { UserStage } from './user-stage.ts'

/** Time for ten thousand texts on a busy machine. */
const limitMs = 300_000
const seed = 6
const database = 'select'

onEachPostgres('hostile texts', (server, version) => {
  const [oldest] = inject('postgresHome').versions
  const texts = Number(process.env['HOSTILE_TEXTS'] ?? (version === oldest?.major ? 10_000 : 1_500))

  it('reach the server unchanged, and change nothing else', { timeout: limitMs }, async () => {
    await bystanders(server())
    const before = await everythingElse(server())
    const stage = await UserStage.start(server(), database)
    const users = hostileUsers(Math.ceil(texts / textsEach), seed)
    const tables = users.flatMap((user) => user.tables)
    const owner = `SET ROLE ${identifier(`${database}_owner`)}`
    await server().byHand(
      [owner, 'SET search_path = public', ...tables.map((name) => `CREATE TABLE ${identifier(name)} ()`)].join(';'),
      { database, limitMs },
    )
    for (const user of users) {
      await stage.secret(`${user.name}-password`, { password: user.password })
      await stage.create(user.name, specOf(user, database))
    }
    for (const { name } of users) await stage.becomes(name, 'Ready', 'True InSync')

    const roles = await rows(server(), `SELECT rolname FROM pg_roles WHERE oid >= 16384 AND rolname <> 'bystander'`)
    expect(roles.sort()).toEqual([`${database}_owner`, ...users.flatMap(({ role }) => [role, `${role}_a`])].sort())
    const granted = await rows(server(), readersOfTables, database)
    expect(granted.sort()).toEqual(
      users.flatMap(({ role, tables: own }) => own.map((table) => JSON.stringify([table, role, 'SELECT']))).sort(),
    )
    for (const { name, role, password, settings } of users) {
      const shown = Object.keys(settings).map((key) => `current_setting('${key}')`)
      const [row] = await server().byHand(`SELECT current_user, ARRAY[${shown.join()}] AS held`, {
        ...{ user: `${role}_a`, password, database },
      })
      expect(row, name).toEqual({ current_user: role, held: Object.values(settings) })
    }
    for (const { name } of users) await stage.cluster.delete(DatabaseUser, `${home}/${name}`)
    await stage.until('all to be gone', async () => (await stage.cluster.list(DatabaseUser, home)).length === 0)
    const left = await rows(server(), `SELECT rolname FROM pg_roles WHERE oid >= 16384`)
    expect(left.sort()).toEqual(['bystander', `${database}_owner`])
    expect(await rows(server(), readersOfTables, database)).toEqual([])
    expect(await everythingElse(server())).toEqual(before)
    expect(server().log()).not.toMatch(/syntax error|unterminated|zero-length/)
    await stage.end()
    await server().byHand(`DROP DATABASE ${identifier(database)}`)
    await server().byHand(`DROP ROLE ${identifier(`${database}_owner`)}`)
  })

  it("are rejected by the API server when one of the operator's names would not fit", {
    timeout: limitMs,
  }, async () => {
    const stage = await UserStage.start(server())
    await stage.kill()
    const wild = fc.sample(hostileText, { numRuns: Math.ceil(texts / 10), seed })
    const isName = (text: string) => /^[a-z_][a-z0-9_-]{0,60}$/.test(text) && !isKept(text)
    const provider = { server: { connectionSecretRef: { name: 'server' } } }
    const asked = wild.map((text, at) => {
      const databases = [{ name: 'shop', access: 'ReadOnly' as const, schemas: [text] }]
      const create = [
        () => stage.create(`role-${at}`, { roleName: text, databases: [{ name: 'shop', access: 'ReadOnly' }] }),
        () => stage.create(`schema-${at}`, { databases }),
        () => stage.database(`database-${at}`, { databaseName: text }),
        () => stage.database(`extension-${at}`, { extensions: [{ name: text }] }),
        () => stage.database(`encoding-${at}`, { provider, encoding: `${text}'` }),
      ]
      return { text, create }
    })
    for (const { text, create } of asked) {
      for (const [at, one] of create.entries()) {
        const taken = await one().then(
          () => true,
          () => false,
        )
        expect({ text, at, taken }).toEqual({ text, at, taken: at < 4 && isName(text) })
      }
    }
    const count = [...(await stage.cluster.list(Database, home)), ...(await stage.cluster.list(DatabaseUser, home))]
    expect(count).toHaveLength(4 * wild.filter(isName).length)
  })
})

function isKept(name: string): boolean {
  return name.startsWith('pg_') || ['postgres', 'template0', 'template1', 'public', 'rdsadmin'].includes(name)
}

/** Readers of each table as JSON, without the owner. */
const readersOfTables = `
  SELECT to_json(ARRAY[relname::text, rolname::text, privilege_type])::text
  FROM pg_class, aclexplode(relacl), pg_roles
  WHERE relnamespace = 'public'::regnamespace AND grantee = pg_roles.oid AND grantee <> relowner`

/** Creates objects of other owners, which a defect could change by mistake. */
async function bystanders(server: PostgresServer): Promise<void> {
  await server.byHand('CREATE ROLE bystander LOGIN CONNECTION LIMIT 3')
  await server.byHand(`COMMENT ON ROLE bystander IS 'mine'; ALTER ROLE bystander SET work_mem = '1MB'`)
  await server.byHand('CREATE DATABASE bystander OWNER bystander')
  await server.byHand('CREATE TABLE kept (n int); GRANT SELECT ON kept TO bystander', { database: 'bystander' })
}

/** Returns all of the server that this test did not create. */
async function everythingElse(server: PostgresServer): Promise<readonly string[]> {
  const shared = [
    `SELECT row_to_json(a)::text FROM pg_authid a WHERE oid < 16384 OR rolname = 'bystander' ORDER BY oid`,
    `SELECT row_to_json(m)::text FROM (SELECT roleid, member, admin_option FROM pg_auth_members WHERE roleid < 16384 AND member < 16384) m ORDER BY 1`,
    `SELECT concat_ws('|', datname, datdba, datacl, datconnlimit) FROM pg_database WHERE datname <> '${database}' ORDER BY 1`,
    `SELECT row_to_json(d)::text FROM pg_shdescription d WHERE objoid < 16384 OR objoid = 'bystander'::regrole ORDER BY 1`,
    `SELECT row_to_json(s)::text FROM pg_db_role_setting s WHERE setrole = 'bystander'::regrole ORDER BY 1`,
    `SELECT row_to_json(p)::text FROM (SELECT parname, paracl FROM pg_parameter_acl) p ORDER BY 1`,
  ]
  const inside = `SELECT concat_ws('|', oid, relname, relacl) FROM pg_class WHERE relkind IN ('r', 'v', 'S') ORDER BY oid`
  const found = await Promise.all(shared.map((text) => rows(server, text)))
  return [...found.flat(), ...(await rows(server, inside, 'bystander')), ...(await rows(server, inside))]
}

/** Returns the first column. */
async function rows(server: PostgresServer, text: string, at = 'postgres'): Promise<string[]> {
  const found = await server.byHand(text, { database: at, limitMs: 30_000 })
  return found.map((row) => String(Object.values(row)[0]))
}
