// Attackers who may create DatabaseUsers and log in as them. Invariant: they reach only the databases that admit them.
// They reach neither the operator's own privileges nor roles and databases of others on the server (docs/security.md).
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Database, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { Secret } from '../../../src/index.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { home } from '../postgres-stage.ts'
import { UserStage } from './user-stage.ts'

let made = 0
/** Longer than the operator keeps an idle session. */
const newSessionsMs = 15_000

onEachPostgres('an attacker', (server) => {
  /** Creates a Database, and the user `mallory` with access to it. */
  async function start(spec: object = {}) {
    const names = { shop: `shop${++made}`, mallory: `mallory${made}` }
    const stage = await UserStage.start(server(), names.shop)
    await stage.create(names.mallory, { databases: [{ name: names.shop, access: 'ReadOnly' }], ...spec })
    await stage.becomes(names.mallory, 'Ready', 'True InSync')
    return { stage, ...names }
  }

  describe('that leaves code which runs with its owner’s privileges', () => {
    const whoami = `FUNCTION whoami() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT current_user::text'`

    it('keeps that code in a database that no Database manages', async () => {
      const { stage, mallory } = await start()
      const session = await sessionOf(stage, mallory, 'postgres')
      await session.query(`SET ROLE ${mallory}; CREATE ${whoami.replace('whoami', 'pg_temp.whoami')}`)
      await stage.look(mallory)
      await stage.look(mallory)
      expect((await session.query('SELECT pg_temp.whoami() AS is')).rows).toEqual([{ is: mallory }])
      await stage.becomes(mallory, 'Ready', 'True InSync')
    })

    it('gets no more privileges for that code after its user is deleted', async () => {
      const { stage, mallory, shop } = await start({ attributes: { createdb: true } })
      const lair = `lair_of_${mallory}`
      await stage.app(mallory, `CREATE DATABASE ${lair}`)
      await stage.server.byHand('GRANT CREATE ON SCHEMA public TO PUBLIC')
      for (const database of [lair, 'postgres']) {
        const session = await sessionOf(stage, mallory, database)
        await session.query(`SET ROLE ${mallory}; CREATE ${whoami}`)
      }
      await stage.delete(mallory)
      for (const database of [lair, 'postgres']) {
        expect(await stage.server.byHand('SELECT whoami() AS is', { database })).toEqual([{ is: `${shop}_owner` }])
      }
      await stage.server.byHand('REVOKE CREATE ON SCHEMA public FROM PUBLIC; DROP FUNCTION whoami()')
      await stage.server.byHand(`DROP DATABASE ${lair} WITH (FORCE)`)
    })
  })

  it('that names a Secret of another user as the password has no role, and the server gets no request', async () => {
    const { stage, shop, mallory } = await start()
    const data = { token: Buffer.from('somebody-elses').toString('base64') }
    await stage.cluster.create(Secret, { metadata: { name: 'not-mine', namespace: home }, data })
    const password = { secretRef: { name: 'not-mine', key: 'token' } }
    await stage.create('thief', { databases: [{ name: shop, access: 'ReadOnly' }], password })
    await stage.becomes('thief', 'Ready', 'False SecretNotAllowed')
    expect(await stage.server.byHand(`SELECT rolname FROM pg_roles WHERE rolname LIKE 'thief%'`)).toEqual([])
    await stage.delete('thief')
    await stage.delete(mallory)
  })

  describe('that requests roles of others', () => {
    const theirs = 'billing'

    /** Creates a Database of another namespace on the same server, and unmanaged objects. */
    async function neighbours(stage: UserStage) {
      await stage.namespace(theirs)
      await stage.database(theirs, {}, theirs)
      await stage.databaseReady(theirs, theirs)
      await server().byHand(`CREATE ROLE chief SUPERUSER LOGIN; CREATE ROLE deputy; GRANT chief TO deputy`)
      await server().byHand(`CREATE ROLE rds_superuser; CREATE ROLE unmarked`)
      onTestFinished(async () => {
        await stage.end()
        await server().byHand(`DROP DATABASE ${theirs} WITH (FORCE)`)
        for (const role of ['chief', 'deputy', 'rds_superuser', 'unmarked', `${theirs}_owner`])
          await server().byHand(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
      })
      return await server().byHand(powers)
    }

    it('takes over none of them', async () => {
      const { stage, shop } = await start()
      const before = await neighbours(stage)
      const databases = [{ name: shop, access: 'ReadOnly' as const }]
      const asked = {
        chief: ['PrivilegedRole', 'chief is a superuser'],
        deputy: ['PrivilegedRole', 'deputy can become another role, and chief is a superuser'],
        rds_superuser: ['PrivilegedRole', 'server’s provider'],
        billing_owner: ['NotOwned', 'was made for Database billing/billing'],
      }
      for (const [roleName, [reason, why = '']] of Object.entries(asked)) {
        const name = `as-${roleName.replaceAll('_', '-')}`
        await stage.create(name, { roleName, adoptionPolicy: 'Adopt', databases })
        expect(await stage.becomes(name, 'Ready', `False ${reason}`)).toContain(why.replace('’', "'"))
      }
      expect(await server().byHand(powers)).toEqual(before)
    })

    it('becomes a member of none of them', async () => {
      const { stage, shop } = await start()
      const before = await neighbours(stage)
      const databases = [{ name: shop, access: 'ReadOnly' as const }]
      for (const role of ['chief', 'deputy', 'billing_owner']) {
        const name = `like-${role.replaceAll('_', '-')}`
        await stage.create(name, { memberOf: [role], databases })
        await stage.becomes(name, 'Ready', 'False PrivilegedRole')
      }
      expect(await server().byHand(powers)).toEqual(before)
    })

    it('takes over no database of another namespace', async () => {
      const { stage } = await start()
      const before = await neighbours(stage)
      await stage.database(theirs, { adoptionPolicy: 'Adopt' })
      await stage.until('the refusal', async () => {
        const ready = await stage.cluster.condition(Database, `${home}/${theirs}`, 'Ready')
        return ready?.reason === 'NotOwned' && ready.message.includes('was made for Database billing/billing')
      })
      expect(await server().byHand(powers)).toEqual(before)
    })

    it('enters no database through a Database of another server', async () => {
      const { stage, shop } = await start()
      const before = await neighbours(stage)
      // The attacker's own server has the same system identifier. The test writes the status of its Database by hand.
      await stage.database('forged', { databaseName: theirs, suspend: true })
      const { status } = (await stage.cluster.find(Database, `${home}/${shop}`)) ?? {}
      const { identity } = status as DatabaseStatus // The CRD has this form.
      await stage.cluster.client.patch(
        Database,
        { namespace: home, name: 'forged' },
        { type: 'merge', body: JSON.parse(JSON.stringify({ status: { phase: 'Ready', identity } })) },
        { fieldManager: 'mallory', subresource: 'status' },
        new AbortController().signal,
      )
      const databases = [shop, 'forged'].map((name) => ({ name, access: 'Owner' as const }))
      await stage.create('intruder', { databases })
      expect(await stage.becomes('intruder', 'Ready', 'False NotOwned')).toContain(`database ${theirs} on`)
      expect(await server().byHand(powers)).toEqual(before)
    })
  })

  describe('that uses what the operator does for it', () => {
    it('gets no setting that it could not make itself', async () => {
      const { stage, shop, mallory } = await start({
        config: { work_mem: '5MB', 'app.tenant': 'x', 'pg_trgm.similarity_threshold': '0.4' },
      })
      const settings = {
        session_preload_libraries: 'auto_explain',
        log_statement: 'none',
        session_replication_role: 'replica',
      }
      for (const [name, value] of Object.entries(settings)) {
        await stage.patch(mallory, { config: { [name]: value } })
        const message = await stage.becomes(mallory, 'Ready', 'False InsufficientPrivilege')
        expect(message).toContain(`missing: GRANT SET ON PARAMETER "${name}" TO "${mallory}_a"`)
        const stored = await server().byHand(`SELECT FROM pg_db_role_setting WHERE setconfig::text LIKE '%${name}%'`)
        expect(stored).toEqual([])
        await stage.patch(mallory, { config: { [name]: null } })
        await stage.becomes(mallory, 'Ready', 'True InSync')
      }
      await server().byHand(`GRANT SET ON PARAMETER log_statement TO ${mallory}`)
      await stage.patch(mallory, { config: { log_statement: 'none' } })
      await stage.becomes(mallory, 'Ready', 'True InSync')
      const held = await server().byHand('SHOW log_statement', await asUser(stage, mallory, shop))
      expect(held).toEqual([{ log_statement: 'none' }])
    })

    it('cannot disturb the operator by settings of its database', async () => {
      const { stage, shop, mallory } = await start()
      await stage.patch(mallory, { databases: [{ name: shop, access: 'Owner' }] })
      await stage.becomes(mallory, 'Ready', 'True InSync')
      const settings = {
        ...{ role: `${shop}_owner`, search_path: 'public, pg_catalog', local_preload_libraries: 'no_such_library' },
        ...{
          default_transaction_read_only: 'on',
          idle_session_timeout: '1ms',
          statement_timeout: '1ms',
          lock_timeout: '1ms',
          idle_in_transaction_session_timeout: '1ms',
        },
        ...{ default_transaction_isolation: 'serializable', default_transaction_deferrable: 'on' },
        ...{ quote_all_identifiers: 'on', array_nulls: 'off', transform_null_equals: 'on', exit_on_error: 'on' },
        ...(server().version < 17 ? {} : { transaction_timeout: '1ms' }),
      }
      for (const [name, value] of Object.entries(settings)) {
        const text = name === 'search_path' ? value : `'${value}'`
        await server().byHand(`SET ROLE ${shop}_owner; ALTER DATABASE ${shop} SET ${name} = ${text}`)
      }
      await stage.pass(newSessionsMs)
      const before = stage.engines.statements.length
      await stage.cluster.patch(Database, `${home}/${shop}`, {
        spec: { schemas: [{ name: 'app' }], extensions: [{ name: 'pg_stat_statements' }] },
      })
      await stage.until('all of it', async () => {
        const found = await stage.cluster.find(Database, `${home}/${shop}`)
        const ready = await stage.cluster.condition(Database, `${home}/${shop}`, 'Ready')
        return ready?.status === 'True' && ready.observedGeneration === found?.metadata.generation
      })
      expect(stage.engines.statements.slice(before).map(({ text }) => text)).toContain('COMMIT')
    })

    it('may call no function that an extension reserves for superusers', async () => {
      const { stage, shop, mallory } = await start()
      await stage.cluster.patch(Database, `${home}/${shop}`, {
        spec: { extensions: [{ name: 'dblink' }, { name: 'pg_trgm' }] },
      })
      const installed = `SELECT FROM pg_extension WHERE extname IN ('dblink', 'pg_trgm')`
      await stage.until('it', async () => (await server().byHand(installed, { database: shop })).length === 2)
      await server().byHand(`GRANT EXECUTE ON FUNCTION dblink_connect_u(text) TO ${mallory}`, { database: shop })
      const grants = [{ objectType: 'Function' as const, all: true, privileges: ['EXECUTE' as const] }]
      for (const access of [
        { access: 'ReadWrite' as const, grants: null },
        { access: 'Custom' as const, grants },
      ]) {
        await stage.patch(mallory, { databases: [{ name: shop, ...access }] })
        await stage.becomes(mallory, 'Ready', 'True InSync')
        await expect(stage.app(mallory, `SELECT dblink_connect_u('host=127.0.0.1')`)).rejects.toThrow(
          /permission denied/,
        )
        expect(await stage.app(mallory, `SELECT similarity('a', 'a') AS is`)).toEqual([{ is: 1 }])
      }
    })
  })
})

/** Attributes and memberships of all roles. */
const powers = `
  SELECT r.rolname, r.rolsuper, r.rolcanlogin, r.rolcreaterole, shobj_description(r.oid, 'pg_authid') AS mark,
    ARRAY(SELECT m.member::regrole::text FROM pg_auth_members m WHERE m.roleid = r.oid ORDER BY 1) AS members
  FROM pg_roles r WHERE rolname IN ('chief', 'deputy', 'rds_superuser', 'unmarked', 'billing_owner') ORDER BY 1`

async function asUser(stage: UserStage, name: string, database: string) {
  const { username: user = '', password = '' } = (await stage.keys(name)) ?? {}
  return { user, password, database }
}

/** Opens a session of the user in any database, until the test ends. */
async function sessionOf(stage: UserStage, name: string, database: string): Promise<Client> {
  const { username: user, password } = (await stage.keys(name)) ?? {}
  const client = new Client({ host: '127.0.0.1', port: stage.server.port, user, password, database, ssl: false })
  client.on('error', () => undefined) // The operator ends the session.
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
