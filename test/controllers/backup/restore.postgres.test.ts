// Restores on real servers with PostgreSQL's own tools. Invariant: a restored database equals the backup, is closed
// until it is verified, and no data are lost.
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import {
  discardRestore,
  dropFormer,
  restoreDatabase,
  settleRestore,
} from '../../../src/controllers/backup/restore-worker.ts'
import type { DatabaseEngine, DatabaseServer } from '../../../src/controllers/engines/engine.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { SimClock } from '../../../src/testing/sim-clock.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { never } from '../stores/contents.ts'
import { makeDatabase } from './backup-stage.ts'
import { anew, databasesOf, identityOf, makeLive, removeAll, restoreStage, rolesOf, sightOf } from './restore-stage.ts'

/** Makes a database with these `options` of CREATE DATABASE. */
const makeWith = (options: string) => async (source: PostgresServer) => {
  await source.byHand('CREATE ROLE crm_owner')
  await source.byHand(`CREATE DATABASE crm OWNER crm_owner TEMPLATE template0 ENCODING 'UTF8' ${options}`)
  const orders = `SET ROLE crm_owner; CREATE TABLE public.orders (id int PRIMARY KEY, note text);
    INSERT INTO public.orders SELECT n, 'x' FROM generate_series(1, 1000) n`
  await source.byHand(orders, { database: 'crm' })
}

it('in place is rejected while the database is a publisher or a subscriber', async () => {
  const server = await startPostgres({ settings: { wal_level: 'logical' } })
  const stage = await restoreStage(server, server.access())
  await makeLive(server)
  const here = { database: 'crm' }
  await server.byHand("SELECT pg_create_logical_replication_slot('debezium', 'pgoutput')", here)
  await server.byHand(
    "CREATE SUBSCRIPTION feed CONNECTION 'host=none' PUBLICATION p WITH (connect = false, slot_name = NONE)",
    here,
  )
  const restore = async () => restoreDatabase(await stage.inPlace(), stage.verificationTools(), never)
  await expect(restore()).rejects.toMatchObject({
    ...{ code: 'NotMovable', remedy: 'stop' },
    message: expect.stringMatching(/^database "crm" has logical replication slot debezium, subscription feed, which/),
  })
  expect(await databasesOf(server)).toEqual(['crm'])
  await server.byHand('DROP SUBSCRIPTION feed', here)
  await server.byHand("SELECT pg_drop_replication_slot('debezium')", here)
  await restore()
  expect(await sightOf(server)).toMatchObject({ live: { orders: 1000 } })
})

onEachPostgres('a restore', (server, version) => {
  it('makes a database when none exists', async () => {
    const stage = await restoreStage(server(), server().access(), makeDatabase)
    await removeAll(server())
    const outcome = await restoreDatabase(anew, stage.verificationTools(), never)
    expect(outcome).toEqual({ identity: await identityOf(server()), former: undefined })
    expect(await sightOf(server())).toMatchObject({
      databases: [{ datname: 'crm', owner: 'crm_owner', open: true, acl: '{crm_owner=CTc/crm_owner}' }],
      roles: ['crm_owner'],
      live: { orders: 1000, sentinel: false, strange: 0 },
    })
    expect(await stage.left()).toEqual(['data-one.dump', 'manifest.json'])
    const planned = "SELECT tablename AS of FROM pg_stats WHERE schemaname = 'public' AND attname = 'note'"
    expect(await server().byHand(planned, { database: 'crm' })).toEqual([{ of: 'orders' }])
    // A second run of the same request changes nothing.
    await server().byHand('DELETE FROM orders WHERE id = 1', { database: 'crm' })
    expect(await restoreDatabase(anew, stage.verificationTools(), never)).toEqual(outcome)
    expect(await sightOf(server())).toMatchObject({ live: { orders: 999 } })
  })

  it('replaces a database with a connection limit', async () => {
    const access = await makeAdmin(server())
    const stage = await restoreStage(server(), access)
    await makeLive(server())
    await server().byHand('GRANT crm_owner TO humble WITH ADMIN OPTION; ALTER DATABASE crm CONNECTION LIMIT 1')
    const inPlace = await stage.inPlace()
    const source = { ...inPlace.source, jobs: 2 } as typeof inPlace.source
    await restoreDatabase({ ...inPlace, source }, stage.verificationTools(), never)
    const limits = "SELECT datname AS name, datconnlimit AS limit FROM pg_database WHERE datname LIKE 'crm%' ORDER BY 1"
    expect(await server().byHand(limits)).toEqual([
      { name: 'crm', limit: 1 },
      { name: 'crm_old_r1', limit: 1 },
    ])
  })

  it('uses as many jobs as its verification did', async () => {
    const stage = await restoreStage(server(), server().access(), makeDatabase)
    await removeAll(server())
    const tools = stage.verificationTools()
    const parts: unknown[] = []
    const restore: typeof tools.logical.restore = async (call) => {
      parts.push(call.jobs)
      await tools.logical.restore(call)
    }
    const source = { ...anew.source, jobs: 3 } as const
    await restoreDatabase({ ...anew, source }, { ...tools, logical: { ...tools.logical, restore } }, never)
    expect(parts).toEqual([3])
    expect(await sightOf(server())).toMatchObject({ live: { orders: 1000 } })
  })

  it('keeps both locales of a database', async () => {
    const make = makeWith("LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'")
    const stage = await restoreStage(server(), server().access(), make)
    await removeAll(server())
    await restoreDatabase(anew, stage.verificationTools(), never)
    const made = await server().byHand("SELECT datcollate, datctype FROM pg_database WHERE datname = 'crm'")
    expect(made).toEqual([{ datcollate: 'C', datctype: 'C.UTF-8' }])
    expect(await server().byHand("SELECT upper('ä') AS upper", { database: 'crm' })).toEqual([{ upper: 'Ä' }])
  })

  it('sorts texts as the source database did', async () => {
    const make = makeWith("LOCALE_PROVIDER icu ICU_LOCALE 'en-u-kn-true' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'")
    const stage = await restoreStage(server(), server().access(), make)
    await removeAll(server())
    await restoreDatabase(anew, stage.verificationTools(), never)
    const asked = "SELECT 'a2' < 'a10' AS by_number"
    expect(await server().byHand(asked, { database: 'crm' })).toEqual([{ by_number: true }])
  })

  it("uses the server's spelling of a locale", async () => {
    const make = makeWith("LOCALE_PROVIDER icu ICU_LOCALE 'en_US' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'")
    const stage = await restoreStage(server(), server().access(), make)
    await removeAll(server())
    // The manifest names this version, for which pg_upgrade keeps the spelling.
    await stage.reseal(({ source, ...rest }) => ({ ...rest, source: { ...source, majorVersion: version } }))
    await restoreDatabase(anew, stage.verificationTools(), never)
    const asked = 'SELECT count(*)::int AS orders FROM orders'
    expect(await server().byHand(asked, { database: 'crm' })).toEqual([{ orders: 1000 }])
  })

  it('makes no database when one exists', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    await expect(restoreDatabase(anew, stage.verificationTools(), never)).rejects.toMatchObject({
      code: 'DatabaseExists',
      remedy: 'stop',
    })
    expect(await databasesOf(server())).toEqual(['crm'])
  })

  it('replaces the existing database, which it keeps and closes', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const before = await identityOf(server())
    const inPlace = await stage.inPlace()
    const outcome = await restoreDatabase(inPlace, stage.verificationTools(), never)
    expect(outcome).toEqual({ identity: await identityOf(server()), former: 'crm_old_r1' })
    expect(await sightOf(server())).toMatchObject({
      databases: [
        { datname: 'crm', owner: 'crm_owner', open: true, comment: expect.stringContaining(`"request":"r1"`) },
        { datname: 'crm_old_r1', owner: 'crm_owner', open: false },
      ],
      roles: ['crm_owner'],
      live: { orders: 1000, sentinel: false, strange: 0 },
    })
    expect(await identityOf(server(), 'crm_old_r1')).toEqual(before)
    expect(await restoreDatabase(inPlace, stage.verificationTools(), never)).toEqual(outcome)
  })

  it('is undone by another request, and that undo by a third', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const before = await identityOf(server())
    await restoreDatabase(await stage.inPlace(), stage.verificationTools(), never)
    const undo = await stage.inPlace({ requestId: 'u1', source: { kind: 'former', replacedBy: 'r1' } })
    await restoreDatabase(undo, stage.verificationTools(), never)
    expect(await databasesOf(server())).toEqual(['crm', 'crm_old_u1'])
    expect(await identityOf(server())).toEqual(before)
    expect(await sightOf(server())).toMatchObject({ live: { orders: 8, sentinel: true } })
    await restoreDatabase(undo, stage.verificationTools(), never)
    expect(await identityOf(server())).toEqual(before)
    const redo = await stage.inPlace({ requestId: 'u2', source: { kind: 'former', replacedBy: 'u1' } })
    await restoreDatabase(redo, stage.verificationTools(), never)
    expect(await sightOf(server())).toMatchObject({ live: { orders: 1000, sentinel: false } })
    await dropFormer(redo, engineHere().at(server().access()))
    await dropFormer(redo, engineHere().at(server().access()))
    expect(await databasesOf(server())).toEqual(['crm'])
    const late = await stage.inPlace({ requestId: 'u3', source: { kind: 'former', replacedBy: 'u2' } })
    await expect(restoreDatabase(late, stage.verificationTools(), never)).rejects.toMatchObject({
      code: 'PreviousGone',
    })
    expect(await restoreDatabase(redo, stage.verificationTools(), never)).toMatchObject({ former: undefined })
  })

  it('ends all sessions, so that none writes to the replaced database', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const writer = await connected(server())
    await writer.query("BEGIN; INSERT INTO orders VALUES (-2, 'not committed')")
    // A session of the operator in another process, which does not end by itself.
    await engineHere(new SimClock()).at(server().access()).observeContents('crm')
    await restoreDatabase(await stage.inPlace(), stage.verificationTools(), never)
    await expect(writer.query('COMMIT')).rejects.toThrow()
    await expect(connected(server(), 'crm_old_r1')).rejects.toThrow(/not currently accepting connections/)
    const again = await connected(server())
    expect((await again.query('SELECT count(*)::int AS orders FROM orders')).rows).toEqual([{ orders: 1000 }])
  })

  it('continues when the database is opened while it is renamed', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    let opened = 0
    const { engine } = stage.verificationTools()
    const disturbed = withTerminate(engine, async () => {
      opened += 1
      if (opened !== 1) return
      await server().byHand('ALTER DATABASE crm ALLOW_CONNECTIONS true')
      await connected(server())
    })
    await restoreDatabase(await stage.inPlace(), stage.verificationTools({ engine: disturbed }), never)
    expect(opened).toBeGreaterThan(2)
    expect(await sightOf(server())).toMatchObject({ live: { orders: 1000 } })
  })

  it('leaves the database open when it cannot be renamed', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    await server().byHand("BEGIN; INSERT INTO orders VALUES (-3, 'x')", { database: 'crm' })
    const { engine } = stage.verificationTools()
    const stopping = new AbortController()
    const reason = new Error('the worker ends')
    const disturbed = withTerminate(engine, async () => stopping.abort(reason))
    const restoring = restoreDatabase(
      await stage.inPlace(),
      stage.verificationTools({ engine: disturbed }),
      stopping.signal,
    )
    await expect(restoring).rejects.toBe(reason)
    expect(await databasesOf(server())).toEqual(['crm', 'crm_new_r1'])
    expect(await sightOf(server())).toMatchObject({ live: { orders: 8, sentinel: true } })
    // A verified copy is not verified again.
    const empty = {
      ...stage.store,
      place: 'nowhere',
      read: () => {
        throw new Error('not asked for')
      },
    }
    await restoreDatabase(await stage.inPlace(), stage.verificationTools({ store: empty as never }), never)
    expect(await sightOf(server())).toMatchObject({ live: { orders: 1000, sentinel: false } })
  })

  it('replaces only the database of the request', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const inPlace = await stage.inPlace()
    const restore = (order = inPlace) => restoreDatabase(order, stage.verificationTools(), never)
    const other = { ...inPlace, replaces: { systemIdentifier: '1', databaseOid: 2 } }
    await expect(restore(other)).rejects.toMatchObject({ code: 'SourceIdentityChanged' })
    await server().byHand('CREATE DATABASE crm_new_r1')
    await expect(restore()).rejects.toMatchObject({ code: 'NameTaken', message: expect.stringMatching(/"crm_new_r1"/) })
    await server().byHand('DROP DATABASE crm_new_r1')
    await server().byHand('CREATE DATABASE crm_old_r1')
    await expect(restore()).rejects.toMatchObject({ code: 'NameTaken' })
    await server().byHand('DROP DATABASE crm_old_r1; ')
    await server().byHand('CREATE ROLE crm_new_r1')
    await expect(restore()).rejects.toMatchObject({ code: 'NameTaken', message: expect.stringMatching(/role/) })
    await server().byHand('DROP ROLE crm_new_r1')
    await server().byHand("COMMENT ON DATABASE crm IS 'mine'; COMMENT ON ROLE crm_owner IS NULL")
    await expect(restore()).rejects.toMatchObject({ code: 'SourceIdentityChanged' })
    await server().byHand('DROP DATABASE crm')
    await expect(restore()).rejects.toMatchObject({ code: 'SourceIdentityChanged' })
    expect([await databasesOf(server()), await rolesOf(server())]).toEqual([[], ['crm_owner']])
  })

  it('changes nothing when the restored contents differ from the manifest', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const before = await sightOf(server())
    const inPlace = await stage.inPlace()
    const queries = [{ sql: 'SELECT count(*) FROM public.orders', expect: '7' }]
    const wrong = { ...inPlace, source: { ...inPlace.source, queries } } as typeof inPlace
    await expect(restoreDatabase(wrong, stage.verificationTools(), never)).rejects.toMatchObject({
      code: 'QueryFailed',
    })
    expect(await sightOf(server())).toEqual(before)
    expect(await stage.left()).toEqual(['data-one.dump', 'manifest.json'])
  })

  it('needs an admin with CREATEDB and CREATEROLE, and no superuser', async () => {
    const access = await makeAdmin(server())
    const stage = await restoreStage(server(), access)
    await removeAll(server())
    await restoreDatabase(anew, stage.verificationTools(), never)
    expect(await sightOf(server())).toMatchObject({ live: { orders: 1000, strange: 0 } })
    await makeLive(server())
    await server().byHand('GRANT crm_owner TO humble WITH ADMIN OPTION')
    const inPlace = await stage.inPlace()
    // Such an admin may not terminate a superuser's session.
    const superuser = await connected(server())
    await expect(restoreDatabase(inPlace, stage.verificationTools(), never)).rejects.toMatchObject({
      code: 'InsufficientPrivilege',
    })
    expect((await sightOf(server())).databases).toMatchObject([{ datname: 'crm', open: true }, {}])
    await superuser.end()
    await restoreDatabase(inPlace, stage.verificationTools(), never)
    expect(await sightOf(server())).toMatchObject({
      databases: [
        { datname: 'crm', open: true },
        { datname: 'crm_old_r1', open: false },
      ],
      roles: ['crm_owner'],
      live: { orders: 1000, sentinel: false, strange: 0 },
    })
  })

  it('runs once when two workers start it', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const inPlace = await stage.inPlace()
    const work = () => restoreDatabase(inPlace, stage.verificationTools({ engine: engineHere().engine }), never)
    await Promise.allSettled([work(), work(), work()])
    await work()
    expect([await databasesOf(server()), await rolesOf(server())]).toEqual([['crm', 'crm_old_r1'], ['crm_owner']])
    expect(await sightOf(server())).toMatchObject({ live: { orders: 1000, sentinel: false, strange: 0 } })
  })

  it('counts as done when a worker believed dead finishes it during the cleanup', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const inPlace = await stage.inPlace()
    const done = () => restoreDatabase(inPlace, stage.verificationTools(), never)
    const settled = await settleRestore(inPlace, afterItsFirstLook(engineHere().at(server().access()), done))
    expect(settled).toEqual(await done())
    expect(await settleRestore(inPlace, engineHere().at(server().access()))).toEqual(settled)
  })

  it('leaves nothing when its request is withdrawn', async () => {
    const stage = await restoreStage(server(), server().access())
    await makeLive(server())
    const inPlace = await stage.inPlace()
    const stopping = new AbortController()
    const engine = withTerminate(stage.verificationTools().engine, async () => stopping.abort(new Error('stop')))
    await restoreDatabase(inPlace, stage.verificationTools({ engine }), stopping.signal).catch(() => undefined)
    await discardRestore(inPlace, engineHere().at(server().access()))
    expect([await databasesOf(server()), await rolesOf(server())]).toEqual([['crm'], ['crm_owner']])
  })
})

async function makeAdmin(server: PostgresServer): Promise<ServerAccess> {
  await removeAll(server)
  await server.byHand('DROP ROLE IF EXISTS humble')
  await server.byHand("CREATE ROLE humble LOGIN CREATEDB CREATEROLE PASSWORD 'humble'")
  return server.access({ username: 'humble', password: 'humble' })
}

async function connected(server: PostgresServer, database = 'crm'): Promise<Client> {
  const { port, password } = server
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password, database })
  client.on('error', () => undefined)
  onTestFinished(() => client.end())
  await client.connect()
  return client
}

/** Returns the engine with a hook that runs each time after sessions were terminated. */
function withTerminate(engine: DatabaseEngine, after: () => Promise<unknown>): DatabaseEngine {
  return {
    ...engine,
    visit: (...args) => engine.visit(...args),
    server: (...args) => {
      const server = engine.server(...args)
      return new Proxy(server, {
        get: (target, key) =>
          key === 'terminate'
            ? async (...filter: Parameters<typeof server.terminate>) => {
                const count = await target.terminate(...filter)
                await after()
                return count
              }
            : Reflect.get(target, key, target).bind(target),
      })
    },
  }
}

/** Returns the server with a hook that runs once, between the first observation and the action. */
function afterItsFirstLook(server: DatabaseServer, meanwhile: () => Promise<unknown>): DatabaseServer {
  let hasLooked = false
  return new Proxy(server, {
    get: (target, key) =>
      key === 'observe'
        ? async (...question: Parameters<typeof server.observe>) => {
            const seen = await target.observe(...question)
            if (!hasLooked) {
              hasLooked = true
              await meanwhile()
            }
            return seen
          }
        : Reflect.get(target, key, target).bind(target),
  })
}
