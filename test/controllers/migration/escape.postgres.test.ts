// Steps that try to become the admin: by blocks, by triggers that a copy fires, and by casts that a copy reads.
// Invariant: the text of a step runs with the owner's privileges only.
// The operator logs in as a superuser here.
import { expect, it, onTestFinished } from 'vitest'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { MigrationStage } from './migration-stage.ts'
import { copyStep, sqlStep } from './steps.ts'

/** The attack. It builds its statements at run time, so that the review cannot see them. */
const attack = "EXECUTE 'RESET ROLE'; EXECUTE 'CREATE ROLE evil SUPERUSER'"
const denied = { kind: 'Failed', failure: { sqlState: '42501' } }

/** Creates the database of `shop_keeper`. */
async function stageOf(server: PostgresServer, withSource = false): Promise<MigrationStage> {
  await server.byHand('CREATE ROLE shop_keeper')
  onTestFinished(async () => {
    await server.byHand('DROP DATABASE IF EXISTS shop_source WITH (FORCE)')
    await server.byHand('DROP ROLE shop_keeper')
  })
  if (withSource) await server.byHand('CREATE DATABASE shop_source OWNER shop_keeper')
  const source = withSource ? { source: { server, database: 'shop_source' } } : {}
  const stage = await MigrationStage.start(server, { owner: 'shop_keeper', ...source })
  await server.byHand(`ALTER DATABASE ${stage.database} OWNER TO shop_keeper`)
  return stage
}

onEachPostgres('a step that wants to be more than the owner', (server) => {
  it('gains nothing by a block that resets its role', async () => {
    const stage = await stageOf(server())
    const step = sqlStep(`DO $$ BEGIN ${attack}; END $$`, { name: 'evil' })
    expect(await stage.work([step])).toMatchObject(denied)
    expect(await server().byHand("SELECT FROM pg_roles WHERE rolname = 'evil'")).toEqual([])
  })

  it('runs as a temporary login, which is a member of the owner alone', async () => {
    const stage = await stageOf(server())
    const look = `CREATE TABLE seen AS
        SELECT r.rolname::text, r.rolcanlogin, r.rolsuper, r.rolinherit, r.rolconnlimit, r.rolvaliduntil < now() + '6 minutes' AS expires,
               (SELECT array_agg(m.roleid::regrole::text) FROM pg_auth_members AS m WHERE m.member = r.oid) AS member
          FROM pg_roles AS r WHERE r.rolname = session_user`
    expect(await stage.work([sqlStep(look, { name: 'look' })])).toEqual({ kind: 'Completed' })
    const [seen] = await stage.byHand('SELECT * FROM seen')
    expect(seen).toMatchObject({
      ...{ rolcanlogin: false, rolsuper: false, rolinherit: false, rolconnlimit: 1, expires: true },
      ...{ rolname: expect.stringMatching(/^_konverge_run_[0-9a-f]{32}$/), member: ['shop_keeper'] },
    })
    expect(await stage.byHand("SELECT rolname FROM pg_roles WHERE rolname LIKE '\\_konverge%'")).toEqual([])
  })

  it('gains nothing by a trigger that a copy fires', async () => {
    const stage = await stageOf(server(), true)
    const table = 'CREATE TABLE things (id int PRIMARY KEY); ALTER TABLE things OWNER TO shop_keeper'
    await server().byHand(`${table}; INSERT INTO things VALUES (1)`, { database: 'shop_source' })
    const trap = `CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${attack}; RETURN NEW; END $$;
      CREATE TABLE things (id int PRIMARY KEY);
      CREATE TRIGGER trap BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION trap()`
    expect(await stage.work([sqlStep(trap, { name: 'trap' }), copyStep(['things'])])).toMatchObject(denied)
  })

  it('gains nothing by a cast of the database that a copy reads', async () => {
    const stage = await stageOf(server(), true)
    const bait = `CREATE TYPE mood AS ENUM ('fine');
      CREATE FUNCTION bait(mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN ${attack}; RETURN 'fine'; END $$;
      CREATE CAST (mood AS text) WITH FUNCTION bait(mood);
      CREATE TABLE things (id int PRIMARY KEY, mood mood); INSERT INTO things VALUES (1, 'fine')`
    await server().byHand(`SET ROLE shop_keeper; ${bait}`, { database: 'shop_source' })
    const table = sqlStep('CREATE TABLE things (id int PRIMARY KEY, mood text)', { name: 'table' })
    expect(await stage.work([table, copyStep(['things'])])).toMatchObject(denied)
    expect(await server().byHand("SELECT FROM pg_roles WHERE rolname = 'evil' OR rolname LIKE '\\_konverge%'")).toEqual(
      [],
    )
  })

  it('runs also when the admin is not a superuser', async () => {
    const stage = await stageOf(server())
    const joins = (await stage.byHand("SELECT current_setting('server_version_num')::int >= 160000 AS is")).at(0)?.[
      'is'
    ]
    await server().byHand(`CREATE ROLE steward LOGIN CREATEROLE PASSWORD 'of-the-test';
      GRANT shop_keeper TO steward WITH ADMIN OPTION${joins === true ? '; GRANT shop_keeper TO steward WITH INHERIT TRUE, SET TRUE' : ''}`)
    onTestFinished(async () => {
      await server().byHand('DROP ROLE steward')
    })
    const target = await stage.targetOptions()
    const access = { ...target.access, username: 'steward', password: 'of-the-test' }
    const step = sqlStep('CREATE TABLE things AS SELECT current_user::text AS who', { name: 'who' })
    expect(await stage.work([step], { access })).toEqual({ kind: 'Completed' })
    expect(await stage.byHand('SELECT who FROM things')).toEqual([{ who: 'shop_keeper' }])
    expect(await stage.byHand("SELECT FROM pg_roles WHERE rolname LIKE '\\_konverge%'")).toEqual([])
    await stage.byHand('DROP OWNED BY steward CASCADE')
  })

  it('leaves a role without a login when its worker is killed, and the next worker removes it', async () => {
    const stage = await stageOf(server())
    const worker = new AbortController()
    const slow = sqlStep('SELECT pg_sleep(600)', { name: 'slow', timeoutMs: 600_000 })
    const killed = stage.work([slow], { signal: worker.signal }).catch(() => 'killed')
    const isAsleep = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    await expect.poll(() => stage.byHand(isAsleep)).toHaveLength(1)
    stage.proxy.judge = () => 'cutBefore'
    worker.abort(new Error('killed'))
    stage.proxy.cutAll()
    expect(await killed).toBe('killed')
    stage.proxy.judge = () => 'pass'
    const logins = "SELECT rolcanlogin FROM pg_roles WHERE rolname LIKE '\\_konverge%'"
    expect(await stage.byHand(logins)).toEqual([{ rolcanlogin: false }])
    const quick = sqlStep('SELECT 1', { name: 'quick' })
    expect(await stage.work([quick])).toEqual({ kind: 'Completed' })
    expect(await stage.byHand(logins)).toEqual([])
    expect(await stage.byHand(isAsleep)).toEqual([])
  })
})
