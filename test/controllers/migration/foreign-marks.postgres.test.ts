// Applied markers that another role prepared. The owner of a database creates the schema `_konverge` before the
// operator, so that the administrator's session would run the owner's code.
// Invariant: the owner gains no privilege, and the error names the schema and the remedy.
import { expect, it, onTestFinished } from 'vitest'
import { loadMarks } from '../../../src/controllers/engines/postgres/migration/mark-loader.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { MigrationStage } from './migration-stage.ts'
import { sqlStep } from './steps.ts'

const password = 'of-the-test'

/** Records each role other than the owner that runs it. `$1` is its return value. */
const spy = (name: string, returns: string, result: string, kind = '') => `
  CREATE FUNCTION _konverge.catch() RETURNS void LANGUAGE plpgsql VOLATILE AS $catch$ BEGIN
    IF session_user NOT LIKE '\\_konverge\\_run%' AND session_user <> 'mallory' THEN
      INSERT INTO public.caught VALUES (session_user, current_user);
      EXECUTE 'ALTER ROLE mallory CREATEDB';
    END IF;
  END $catch$;
  CREATE FUNCTION _konverge.${name} RETURNS ${returns} LANGUAGE plpgsql ${kind} AS $spy$ BEGIN
    PERFORM _konverge.catch();
    RETURN ${result};
  END $spy$;`

const steps = (columns = '', name = 'migration_steps') => `CREATE TABLE _konverge.${name} (
  migration text NOT NULL, name text NOT NULL, ordinal integer NOT NULL, state text NOT NULL, checksum text NOT NULL, plan text NOT NULL,
  attempts integer NOT NULL, token text NOT NULL, superseded_by text, sql_state text, message text, leftovers text, epoch bigint NOT NULL,
  started_at timestamptz NOT NULL, finished_at timestamptz ${columns}, PRIMARY KEY (migration, name));`
const lease = (
  changes: { epoch?: string; holder?: string; more?: string } = {},
) => `CREATE TABLE _konverge.migration_lease (
  name text PRIMARY KEY, epoch bigint NOT NULL ${changes.epoch ?? ''}, holder ${changes.holder ?? 'text NOT NULL'},
  taken_at timestamptz NOT NULL ${changes.more ?? ''});`
const progress = `CREATE TABLE _konverge.copy_progress (migration text NOT NULL, step text NOT NULL, checksum text NOT NULL,
  table_name text NOT NULL, watermark text, rows_copied bigint NOT NULL, is_done boolean NOT NULL,
  PRIMARY KEY (migration, step, checksum, table_name));`
const mark = `INSERT INTO _konverge.migration_steps VALUES ('default/shop', 'a', 1, 'Applied', 'c', 'p', 1, 't', NULL, NULL, NULL, NULL, 1, now());`
const whole = `${steps()}${lease()}${progress}`

/**
 * SQL by which the owner of the database prepares them. All tables are complete, so that only their owners distinguish
 * them from the operator's.
 */
const traps: Readonly<Record<string, string>> = {
  'a trigger': `${whole} ${spy('f()', 'trigger', 'NEW')}
    CREATE TRIGGER t BEFORE INSERT ON _konverge.migration_lease FOR EACH ROW EXECUTE FUNCTION _konverge.f();`,
  'a default': `${spy('f()', 'text', `''`)} ${steps()}${lease({ more: ', bait text DEFAULT _konverge.f()' })}${progress}`,
  'a generated column': `${spy('f(text)', 'text', `''`, 'IMMUTABLE')} ${steps()}${progress}
    ${lease({ more: ', bait text GENERATED ALWAYS AS (_konverge.f(name)) STORED' })}`,
  'a check': `${spy('f(text)', 'boolean', 'true', 'IMMUTABLE')} ${steps()}${lease({ more: ', CHECK (_konverge.f(name))' })}${progress}`,
  'an index over an expression': `${spy('f(text)', 'text', `''`, 'IMMUTABLE')} ${whole}
    CREATE INDEX bait ON _konverge.migration_lease (_konverge.f(name));`,
  'a rule': `${spy('f()', 'text', `''`)} ${whole}
    CREATE TABLE public.sink (t text);
    CREATE RULE bait AS ON INSERT TO _konverge.migration_lease DO ALSO INSERT INTO public.sink SELECT _konverge.f();`,
  'a domain with a check': `${spy('f(text)', 'boolean', 'true', 'IMMUTABLE')} CREATE DOMAIN _konverge.bait AS text CHECK (_konverge.f(value));
    ${steps()}${lease({ holder: '_konverge.bait' })}${progress}`,
  'a table that inherits': `${whole} ${spy('f()', 'trigger', 'NEW')}
    INSERT INTO _konverge.migration_lease VALUES ('other', 1, 'x', now());
    CREATE TABLE _konverge.heir () INHERITS (_konverge.migration_steps);
    ALTER TABLE _konverge.heir ENABLE ROW LEVEL SECURITY; ALTER TABLE _konverge.heir FORCE ROW LEVEL SECURITY;`,
  'a view': `${steps('', 'kept')}${lease()}${progress} ${mark.replace('migration_steps', 'kept')} ${spy('f(text)', 'text', '$1')}
    CREATE VIEW _konverge.migration_steps AS SELECT migration, _konverge.f(name) AS name, ordinal, state, checksum, plan, attempts, token,
      superseded_by, sql_state, message, leftovers, epoch, started_at, finished_at FROM _konverge.kept;`,
  'a policy': `${whole} ${mark} ${spy('f()', 'boolean', 'true')}
    CREATE POLICY bait ON _konverge.migration_steps USING (_konverge.f());
    ALTER TABLE _konverge.migration_steps ENABLE ROW LEVEL SECURITY; ALTER TABLE _konverge.migration_steps FORCE ROW LEVEL SECURITY;`,
  'a cast of a type of a column': `CREATE TYPE _konverge.bait AS ENUM ('2020-01-01');
    ${spy('f(_konverge.bait)', 'timestamptz', `'2020-01-01'`)}
    CREATE CAST (_konverge.bait AS timestamptz) WITH FUNCTION _konverge.f(_konverge.bait) AS IMPLICIT;
    ${steps().replace('started_at timestamptz', 'started_at _konverge.bait')} ${lease()}${progress}
    ${mark.replace('now()', `'2020-01-01'`)}`,
}

onEachPostgres('marks that the owner of a database has prepared', (server) => {
  /** Creates a database of `shop_keeper`, and `mallory`, a member of that role; mallory's login runs `prepared`. */
  async function stageOf(prepared: string): Promise<MigrationStage> {
    await server().byHand(
      `CREATE ROLE shop_keeper; CREATE ROLE mallory LOGIN PASSWORD '${password}'; GRANT shop_keeper TO mallory`,
    )
    onTestFinished(async () => {
      await server().byHand('DROP ROLE IF EXISTS mallory; DROP ROLE IF EXISTS steward; DROP ROLE shop_keeper')
    })
    const stage = await MigrationStage.start(server(), { owner: 'shop_keeper' })
    await server().byHand(`ALTER DATABASE ${stage.database} OWNER TO shop_keeper`)
    const as = { database: stage.database, user: 'mallory', password }
    await server().byHand(
      `SET ROLE shop_keeper; CREATE TABLE public.caught (session text, role text); CREATE SCHEMA _konverge; ${prepared}`,
      as,
    )
    return stage
  }

  async function caught(stage: MigrationStage) {
    const [mallory] = await server().byHand(`SELECT rolcreatedb AS gained FROM pg_roles WHERE rolname = 'mallory'`)
    return { caught: await stage.byHand('SELECT session, role FROM public.caught'), ...mallory }
  }

  /** Runs a step and then an observation of the operator; returns both results. */
  async function use(stage: MigrationStage, access?: ServerAccess) {
    const word = (error: unknown) => (error instanceof Error ? error.message : String(error))
    const step = sqlStep('CREATE TABLE public.things ()', { name: 'things' })
    const worked = await stage.work([step], access === undefined ? {} : { access }).catch(word)
    const at = engineHere().at(access ?? server().access())
    const looked = await loadMarks(at, {
      database: stage.database,
      migration: 'default/shop',
      admin: access?.username ?? 'postgres',
    }).catch(word)
    return { worked, looked }
  }

  async function steward(stage: MigrationStage): Promise<ServerAccess> {
    const { version } = server()
    await server().byHand(`CREATE ROLE steward LOGIN CREATEROLE CREATEDB PASSWORD '${password}';
      GRANT shop_keeper TO steward WITH ADMIN OPTION${version >= 16 ? '; GRANT shop_keeper TO steward WITH INHERIT TRUE, SET TRUE; GRANT mallory TO steward WITH ADMIN OPTION' : ''}`)
    return { ...stage.proxy.access(), username: 'steward', password }
  }

  for (const [what, prepared] of Object.entries(traps)) {
    it(`run nothing as a superuser by ${what}`, async () => {
      const stage = await stageOf(prepared)
      const { worked, looked } = await use(stage)
      expect(await caught(stage)).toEqual({ caught: [], gained: false })
      const refusal = expect.stringMatching(
        /schema _konverge belongs to shop_keeper\..*ALTER SCHEMA _konverge OWNER TO "postgres"/,
      )
      expect({ worked, looked }).toEqual({ worked: refusal, looked: refusal })
    })

    it(`run nothing as an administrator with CREATEROLE by ${what}`, async () => {
      const stage = await stageOf(prepared)
      const { worked, looked } = await use(stage, await steward(stage))
      expect(await caught(stage)).toEqual({ caught: [], gained: false })
      const refusal = expect.stringMatching(/schema _konverge belongs to shop_keeper/)
      expect({ worked, looked }).toEqual({ worked: refusal, looked: refusal })
    })

    it(`run nothing by ${what} after a superuser has taken them over unseen`, async () => {
      const stage = await stageOf(prepared)
      const relations = `SELECT relname FROM pg_class WHERE relnamespace = '_konverge'::regnamespace AND relkind IN ('r', 'v')`
      await stage.byHand('ALTER SCHEMA _konverge OWNER TO postgres')
      for (const { relname } of await stage.byHand(relations)) {
        await stage.byHand(`ALTER TABLE _konverge.${String(relname)} OWNER TO postgres`)
      }
      const { worked, looked } = await use(stage)
      expect(await caught(stage)).toEqual({ caught: [], gained: false })
      const refusal = expect.stringMatching(/schema _konverge: table migration_(lease|steps) has (a |an)/)
      expect({ worked, looked }).toEqual({ worked: refusal, looked: refusal })
    })
  }
})
