// Write freeze of a database on every version. Invariant: no role writes during the freeze, and the end of the freeze
// restores the previous state.
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { WriteFreezeClient } from '../../../src/controllers/engines/postgres/write-freeze-client.ts'
import { freezeState, recordOf, stillAway } from '../../../src/controllers/engines/write-freeze.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'

const database = 'frozen'
const app = { database, user: 'app', password: 'secret' }

function clientOf(server: PostgresServer) {
  const { password } = server.access()
  return { host: '127.0.0.1', port: server.port, database: 'postgres', password }
}

onEachPostgres(
  'a freeze of writers',
  (server) => {
    it('ends their sessions, rejects new ones with 28000, and admits exactly the former roles again', async () => {
      await server().byHand(`CREATE DATABASE ${database}`)
      await server().byHand(
        `CREATE ROLE app LOGIN PASSWORD 'secret'; CREATE ROLE spared LOGIN PASSWORD 'secret'; CREATE ROLE retired;
         CREATE ROLE elsewhere LOGIN; REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC;
         GRANT CONNECT ON DATABASE ${database} TO app, spared, retired`,
      )
      const here = engineHere().at(server().access())
      const freezer = new WriteFreezeClient(here, { database, spared: ['spared'] })
      const record = recordOf(await freezer.observe(undefined))
      expect(record).toEqual({ logins: ['app'] })
      const client = new Client({ host: '127.0.0.1', port: server().port, ...app })
      const ended = new Promise((resolve) => client.on('error', resolve))
      await client.connect()
      onTestFinished(() => client.end())
      await client.query('BEGIN; CREATE TEMPORARY TABLE half AS SELECT 1')
      expect(freezeState(record, await freezer.observe(record))).toMatchObject({ kind: 'open', recorded: ['app'] })
      await freezer.freeze(record)
      await freezer.freeze(record)
      await ended
      await waitUntil({ what: 'the sessions to go' }, async () => {
        return freezeState(record, await freezer.observe(record)).kind === 'frozen'
      })
      await expect(server().byHand('SELECT', app)).rejects.toMatchObject({ code: '28000' })
      await server().byHand('SELECT', { ...app, user: 'spared' })
      expect(stillAway(record, await freezer.observe(record))).toEqual(['app'])

      await server().byHand('CREATE ROLE newcomer LOGIN; GRANT CONNECT ON DATABASE frozen TO newcomer')
      expect(freezeState(record, await freezer.observe(record))).toEqual({
        kind: 'open',
        recorded: [],
        unrecorded: ['newcomer'],
      })

      await freezer.thaw({ logins: [...record.logins, 'never-there'] })
      await freezer.thaw(record)
      await server().byHand('SELECT', app)
      const [roles] = await server().byHand(
        "SELECT json_object_agg(rolname, rolcanlogin) AS logins FROM pg_roles WHERE rolname IN ('app', 'retired', 'elsewhere', 'spared')",
      )
      expect(roles?.['logins']).toEqual({ app: true, retired: false, elsewhere: true, spared: true })
    })

    it('ends a login that was admitted before it and is not visible in the database yet', async () => {
      await server().byHand('CREATE DATABASE late')
      await server().byHand("CREATE ROLE late LOGIN PASSWORD 'secret'")
      const freezer = new WriteFreezeClient(engineHere().at(server().access()), { database: 'late', spared: [] })
      const record = recordOf(await freezer.observe(undefined))
      // A rename of the database blocks logins that have already been authenticated, until its transaction ends.
      const gate = new Client({ ...clientOf(server()), user: server().access().username })
      gate.on('error', () => undefined)
      await gate.connect()
      onTestFinished(() => gate.end())
      await gate.query('BEGIN; ALTER DATABASE late RENAME TO later')
      const login = new Client({ ...clientOf(server()), database: 'late', user: 'late', password: 'secret' })
      login.on('error', () => undefined)
      onTestFinished(() => login.end().catch(() => undefined))
      const isIn = login.connect().then(
        () => 'is let in',
        () => 'is ended',
      )
      const waiting = "SELECT FROM pg_locks WHERE classid = 'pg_database'::regclass AND NOT granted"
      await waitUntil({ what: 'the login to wait' }, async () => {
        return (await server().byHand(waiting)).length === 1
      })
      await freezer.freeze(record)
      expect(freezeState(record, await freezer.observe(record))).toEqual({ kind: 'frozen' })
      await gate.query('ROLLBACK')
      expect(await isIn).toBe('is ended')
      await freezer.thaw(record)
      await server().byHand('SELECT', { database: 'late', user: 'late', password: 'secret' })
    })

    it('is not complete while a prepared transaction exists', async () => {
      await server().byHand('CREATE DATABASE pending')
      await server().byHand("BEGIN; CREATE TABLE half (id int); PREPARE TRANSACTION 'half'", { database: 'pending' })
      const freezer = new WriteFreezeClient(engineHere().at(server().access()), { database: 'pending', spared: [] })
      const record = recordOf(await freezer.observe(undefined))
      await freezer.freeze(record)
      await waitUntil({ what: 'the sessions to go' }, async () => (await freezer.observe(record)).sessions === 0)
      expect(freezeState(record, await freezer.observe(record))).toMatchObject({ kind: 'draining' })
      await server().byHand("ROLLBACK PREPARED 'half'", { database: 'pending' })
      expect(freezeState(record, await freezer.observe(record))).toEqual({ kind: 'frozen' })
      await freezer.thaw(record)
    })
  },
  { settings: { max_prepared_transactions: '2' } },
)
