// What does somebody reach who may make DatabaseUsers, and logs in as them? No more than the databases that let him in: neither the
// operator's own rights, nor roles and databases of others on the server.
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Database, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { home, UserStage } from './user-stage.ts'

let made = 0

onEachPostgres('an attacker', (server) => {
  /** A Database, and `mallory` who may use it. */
  async function start(spec: object = {}) {
    const names = { shop: `shop${++made}`, mallory: `mallory${made}` }
    const stage = await UserStage.start(server(), names.shop)
    await stage.create(names.mallory, { databases: [{ name: names.shop, access: 'ReadOnly' }], ...spec })
    await stage.becomes(names.mallory, 'Ready', 'True InSync')
    return { stage, ...names }
  }

  describe('who leaves code behind that runs with its owner’s rights', () => {
    const whoami = `FUNCTION whoami() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT current_user::text'`

    it('keeps it, in a database that is nobody’s Database', async () => {
      const { stage, mallory } = await start()
      const session = await sessionOf(stage, mallory, 'postgres')
      await session.query(`SET ROLE ${mallory}; CREATE ${whoami.replace('whoami', 'pg_temp.whoami')}`)
      await stage.look(mallory)
      await stage.look(mallory)
      expect((await session.query('SELECT pg_temp.whoami() AS is')).rows).toEqual([{ is: mallory }])
      await stage.becomes(mallory, 'Ready', 'True InSync')
    })

    it('has it run as nobody with more rights after his end', async () => {
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

  describe('who asks for roles of others', () => {
    const theirs = 'billing'

    /** A Database of another namespace on the same server, and what there is besides it. */
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

    it('takes none of them over', async () => {
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

    it('takes no database of another namespace over', async () => {
      const { stage } = await start()
      const before = await neighbours(stage)
      await stage.database(theirs, { adoptionPolicy: 'Adopt' })
      await stage.until('the refusal', async () => {
        const ready = await stage.cluster.condition(Database, `${home}/${theirs}`, 'Ready')
        return ready?.reason === 'NotOwned' && ready.message.includes('was made for Database billing/billing')
      })
      expect(await server().byHand(powers)).toEqual(before)
    })

    it('gets into no database by way of a Database that stands for another server', async () => {
      const { stage, shop } = await start()
      const before = await neighbours(stage)
      // A server of his own, with the number of this one: what its Database says of it is here said by hand.
      await stage.database('forged', { databaseName: theirs, suspend: true })
      const { identity } = (await stage.cluster.find(Database, `${home}/${shop}`))?.status as DatabaseStatus // Of its kind.
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
})

/** Who may what, and is whose member. */
const powers = `
  SELECT r.rolname, r.rolsuper, r.rolcanlogin, r.rolcreaterole, shobj_description(r.oid, 'pg_authid') AS mark,
    ARRAY(SELECT m.member::regrole::text FROM pg_auth_members m WHERE m.roleid = r.oid ORDER BY 1) AS members
  FROM pg_roles r WHERE rolname IN ('chief', 'deputy', 'rds_superuser', 'unmarked', 'billing_owner') ORDER BY 1`

/** A session of the user's own in any database, until the test ends. */
async function sessionOf(stage: UserStage, name: string, database: string): Promise<Client> {
  const { username: user, password } = (await stage.keys(name)) ?? {}
  const client = new Client({ host: '127.0.0.1', port: stage.server.port, user, password, database, ssl: false })
  client.on('error', () => undefined) // The operator ends it.
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
