// Target server of an upgrade, for real, from the oldest version to the newest. Invariant: it equals the source server
// except for rows, and applications cannot log in to it.
import { expect, it } from 'vitest'
import { observeSide, prepareSide, removeSide } from '../../../src/controllers/upgrade/new-side-worker.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { cutAt, SqlProxy } from '../../postgres/sql-proxy.ts'
import { pairs } from '../engines/replication/replication-stage.ts'
import { never } from '../stores/contents.ts'
import { order, SideStage } from './side-stage.ts'

const way = () => pairs()[0] ?? ([0, 0] as const)

it('the target server has roles, schema, owners, privileges and settings of the source, and no rows', async () => {
  const stage = await SideStage.start(way())
  await prepareSide(order, stage.tools, never)
  expect(await stage.sight(stage.new)).toEqual(await stage.sight(stage.old))
  const shop = { database: 'shop' }
  expect(await stage.new.byHand('SELECT FROM orders', shop)).toEqual([])
  for (const [user, password] of Object.entries({
    app_a: 'secret',
    "Odd 'role'": 'other',
  })) {
    await expect(stage.new.byHand('SELECT', { ...shop, user, password })).rejects.toMatchObject({ code: '28000' })
  }
  await stage.new.byHand('ALTER ROLE app_a LOGIN')
  const asApp = { ...shop, user: 'app_a', password: 'secret' }
  const asked = 'INSERT INTO api.visits DEFAULT VALUES RETURNING id, current_user::text'
  expect(await stage.new.byHand(asked, asApp)).toEqual([{ id: 1, current_user: 'app' }])
})

it('the target database and its roles are marked with the resources that they belong to', async () => {
  const stage = await SideStage.start(way())
  await prepareSide(order, stage.tools, never)
  const names = { databases: ['shop'], roles: [{ name: 'app' }] }
  const [old, now] = await Promise.all([
    stage.here.at(stage.old.access()).observe(names),
    stage.here.at(stage.new.access()).observe(names),
  ])
  const { systemIdentifier } = old.server
  expect(now.databases[0]).toMatchObject({
    token: { uid: order.token.uid, holder: 'Database shop/shop' },
    succession: { request: order.id, replaced: `pg://${systemIdentifier}/${old.databases[0]?.oid}` },
  })
  expect(now.roles[0]).toMatchObject({
    token: old.roles[0]?.token,
    succession: { request: order.id, replaced: `pg://${systemIdentifier}/role/${old.roles[0]?.oid}` },
  })
})

it('the target database is created once, and removed as a whole', async () => {
  const stage = await SideStage.start(way())
  const young = stage.here.at(stage.new.access())
  expect(await observeSide(order, young)).toEqual({ kind: 'missing' })
  await prepareSide(order, stage.tools, never)
  expect(await observeSide(order, young)).toMatchObject({ kind: 'prepared' })
  await stage.new.byHand('CREATE TABLE mark ()', { database: 'shop' })
  await prepareSide(order, stage.tools, never)
  await stage.new.byHand('SELECT FROM mark', { database: 'shop' })
  await removeSide(order, young)
  await stage.expectBare()
  await removeSide(order, young)
})

it('the target database is created again with the current rows of the source, and without what was reset there since', async () => {
  const stage = await SideStage.start(way())
  await prepareSide(order, stage.tools, never)
  await stage.old.byHand("ALTER ROLE ALL RESET ALL; ALTER ROLE ALL SET lock_timeout TO '58s'")
  await prepareSide({ ...order, holds: 'rows' }, stage.tools, never)
  expect(await stage.sight(stage.new)).toEqual(await stage.sight(stage.old))
})

it('the target database is recreated after a worker died, and nothing else remains', { timeout: 600_000 }, async () => {
  const stage = await SideStage.start(way())
  const young = stage.here.at(stage.new.access())
  const proxy = await SqlProxy.start(stage.new.access())
  const tools = { ...stage.tools, new: proxy.access() }
  try {
    await prepareSide(order, tools, never)
    const all = Array.from({ length: proxy.statements.length }, (_, at) => at + 1)
    const undisturbed = await stage.sight(stage.new)
    await removeSide(order, young)
    for (const n of crashPlaces(all, stage.new.version, 37)) {
      proxy.forget()
      proxy.judge = cutAt(n, n % 2 === 0 ? 'after' : 'before')
      await prepareSide(order, tools, never).catch(() => undefined)
      proxy.judge = () => 'pass'
      await prepareSide(order, tools, never)
      expect({ n, sight: await stage.sight(stage.new) }).toEqual({ n, sight: undisturbed })
      await removeSide(order, young)
      await stage.expectBare()
    }
  } finally {
    await proxy.stop()
  }
})

it('the target database is removed by the successor of a worker that died during the removal', async () => {
  const stage = await SideStage.start(way())
  const young = stage.here.at(stage.new.access())
  const proxy = await SqlProxy.start(stage.new.access())
  const cut = stage.here.at(proxy.access())
  try {
    await prepareSide(order, stage.tools, never)
    proxy.forget()
    await removeSide(order, cut)
    const all = Array.from({ length: proxy.statements.length }, (_, at) => at + 1)
    for (const n of crashPlaces(all, stage.new.version, 11)) {
      await prepareSide(order, stage.tools, never)
      proxy.judge = cutAt(n, n % 2 === 0 ? 'after' : 'before')
      await removeSide(order, cut).catch(() => undefined)
      proxy.judge = () => 'pass'
      await removeSide(order, young)
      await stage.expectBare()
    }
    await prepareSide(order, stage.tools, never)
    await stage.new.byHand("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'shop'")
    await removeSide(order, young)
    await stage.expectBare()
  } finally {
    await proxy.stop()
  }
})

it('the target database is not started, and nothing is created, when it is not possible', async () => {
  const stage = await SideStage.start(way())
  const shop = { database: 'shop' }
  const trials = [
    ['CREATE ROLE reader', 'DROP ROLE reader', 'NameTaken', 'role reader is on the new server already'],
    ['CREATE DATABASE shop', 'DROP DATABASE shop', 'NameTaken', 'database shop is on the new server already'],
    ['CREATE ROLE konverge_to_18', 'DROP ROLE konverge_to_18', 'NameTaken', 'role konverge_to_18'],
  ] as const
  for (const [before, after, code, message] of trials) {
    await stage.new.byHand(before)
    await expect(prepareSide(order, stage.tools, never)).rejects.toMatchObject({
      ...stopping(code),
      message: expect.stringContaining(message),
    })
    await stage.new.byHand(after)
    await stage.expectBare()
  }
  for (const [before, after, what] of immovable) {
    await stage.old.byHand(before, shop)
    const message = expect.stringContaining(`database shop has what is not moved with it: ${what}; remove it`)
    await expect(prepareSide(order, stage.tools, never)).rejects.toMatchObject({ ...stopping('NotMovable'), message })
    await stage.old.byHand(after, shop)
  }
  await stage.old.byHand('CREATE DATABASE crm')
  const others = expect.stringContaining('other databases, which do not move with shop: crm;')
  await expect(prepareSide(order, stage.tools, never)).rejects.toMatchObject({
    ...stopping('NotMovable'),
    message: others,
  })
  await stage.new.byHand("CREATE ROLE few LOGIN CREATEROLE CREATEDB PASSWORD 'few'")
  const few = stage.new.access({ username: 'few', password: 'few' })
  await expect(prepareSide(order, { ...stage.tools, new: few }, never)).rejects.toMatchObject({
    ...stopping('InsufficientPrivilege'),
    message: expect.stringContaining('role few of the new server is no superuser'),
  })
  await stage.new.byHand('DROP ROLE few')
  await stage.expectBare()
})

/** Sets a label of a module that is not installed. The code reads its catalogs only. */
const label = (catalog: string, columns: string) =>
  [
    `SET allow_system_table_mods TO on; INSERT INTO pg_catalog.${catalog} SELECT ${columns}; RESET allow_system_table_mods`,
    `SET allow_system_table_mods TO on; DELETE FROM pg_catalog.${catalog}; RESET allow_system_table_mods`,
    'security labels of anon',
  ] as const
/** Sets configuration tables of an extension that is not installed. */
const configuration = (tables: string) =>
  `SET allow_system_table_mods TO on; UPDATE pg_catalog.pg_extension SET (extconfig, extcondition) = (${tables})
    WHERE extname = 'pg_trgm'; RESET allow_system_table_mods`
const immovable = [
  [
    configuration("ARRAY['public.audit'::regclass::oid], ARRAY['']"),
    configuration('NULL, NULL'),
    'extension pg_trgm with its tables',
  ],
  [
    `CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
    CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f()`,
    'DROP EVENT TRIGGER e',
    'event trigger e',
  ],
  [
    "SELECT pg_create_logical_replication_slot('theirs', 'test_decoding'), pg_create_physical_replication_slot('standby')",
    "SELECT pg_drop_replication_slot('theirs'), pg_drop_replication_slot('standby')",
    'replication slot standby, replication slot theirs',
  ],
  label('pg_seclabel', "'public.orders'::regclass, 'pg_class'::regclass, 2, 'anon', 'MASKED'"),
  label('pg_shseclabel', "'app'::regrole, 'pg_authid'::regclass, 'anon', 'MASKED'"),
  [
    'GRANT SET ON PARAMETER log_statement TO app_a',
    'REVOKE SET ON PARAMETER log_statement FROM app_a',
    'privileges of app_a on parameters',
  ],
] as const

const stopping = (code: string) => ({ code, remedy: 'stop' })
