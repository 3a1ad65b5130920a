// What does somebody reach who may make DatabaseUsers, and logs in as them? No more than the databases that let him in: neither the
// operator's own rights, nor roles and databases of others on the server.
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { UserStage } from './user-stage.ts'

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
})

/** A session of the user's own in any database, until the test ends. */
async function sessionOf(stage: UserStage, name: string, database: string): Promise<Client> {
  const { username: user, password } = (await stage.keys(name)) ?? {}
  const client = new Client({ host: '127.0.0.1', port: stage.server.port, user, password, database, ssl: false })
  client.on('error', () => undefined) // The operator ends it.
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
