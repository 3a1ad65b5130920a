// Attempts by logins: the owner and the writer of the victim's Database that admits them, and a role without
// privileges.
import { expect } from 'vitest'
import type { AdversaryStage } from '../adversary-stage.ts'
import type { AttackerName } from '../attacker.ts'
import { type Attempt, condition, conditionOf, denied, harmless, type Outcome } from '../attempt.ts'
import { victimNamespace } from '../victim.ts'

type Who = 'owner' | 'writer' | 'plain'

const attackerOf: Readonly<Record<Who, AttackerName>> = {
  owner: 'owner login',
  writer: 'writer login',
  plain: 'plain login',
}

function says(who: Who, does: string, text: string, more: { database?: string; outcome?: Outcome } = {}): Attempt {
  const { database = 'shared', outcome = denied() } = more
  return { attacker: attackerOf[who], does, act: (stage) => stage.sql(who, text, database), outcome }
}

/** Each session starts as the login, a member of the group with the privileges. */
const ownerDenied: Readonly<Record<string, string>> = {
  'makes itself a superuser': 'ALTER ROLE owner SUPERUSER',
  'gives itself CREATEROLE': 'ALTER ROLE owner CREATEROLE',
  'bypasses row security': 'ALTER ROLE owner BYPASSRLS',
  'becomes the owner of the victim’s other database': 'SET ROLE orders_owner',
  'becomes the administrator': 'SET SESSION AUTHORIZATION victim_admin',
  'grants itself the victim’s owner': 'GRANT orders_owner TO owner',
  'grants the shared owner to another': 'GRANT shared_owner TO plain',
  'grants itself all data': 'GRANT pg_read_all_data TO owner',
  'grants itself the server’s programs': 'GRANT pg_execute_server_program TO owner',
  'changes a password of the victim': `ALTER ROLE boss_a PASSWORD 'x'`,
  'renames the role of the victim': 'ALTER ROLE boss RENAME TO mallory',
  'drops the role of the victim': 'DROP ROLE boss',
  'creates a role': 'CREATE ROLE backdoor LOGIN',
  'sets settings of the victim’s role': `ALTER ROLE boss SET search_path = 'evil'`,
  'sets a database setting that loads code': `ALTER DATABASE shared SET session_preload_libraries = 'x'`,
  'sets a setting of all roles': `ALTER ROLE ALL SET search_path = 'evil'`,
  'writes its own ownership marker on the victim’s role': `COMMENT ON ROLE boss IS 'mine'`,
  'writes an ownership marker on its own role': `COMMENT ON ROLE owner IS 'konverge: DatabaseUser victim/boss'`,
  'writes an ownership marker on the victim’s other database': `COMMENT ON DATABASE orders IS 'mine'`,
  'drops the objects of the victim': 'DROP OWNED BY boss',
  'takes over the objects of the victim': 'REASSIGN OWNED BY boss TO owner',
  'sets default privileges of the victim': 'ALTER DEFAULT PRIVILEGES FOR ROLE boss GRANT SELECT ON TABLES TO owner',
  'changes the server’s settings': `ALTER SYSTEM SET shared_preload_libraries = 'x'`,
  'reloads the server’s settings': 'SELECT pg_reload_conf()',
  'runs a program by COPY': `COPY (SELECT 1) TO PROGRAM 'id'`,
  'reads a file of the server': `SELECT pg_read_binary_file('postgresql.conf')`,
  'stats a file of the server': `SELECT pg_stat_file('/etc/passwd')`,
  'imports a file': `SELECT lo_import('/etc/passwd')`,
  'creates an event trigger': `CREATE FUNCTION e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
     CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION e()`,
  'creates a function in C': `CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'x.so', 'f'`,
  'creates a language': 'CREATE LANGUAGE evil HANDLER plpgsql_call_handler',
  'installs an untrusted extension': 'CREATE EXTENSION dblink',
  'creates a foreign data wrapper': 'CREATE FOREIGN DATA WRAPPER w',
  'publishes all tables': 'CREATE PUBLICATION everything FOR ALL TABLES',
  'subscribes to another server': `CREATE SUBSCRIPTION s CONNECTION 'host=evil' PUBLICATION p WITH (connect = false)`,
  'creates a replication slot': `SELECT pg_create_logical_replication_slot('s', 'pgoutput')`,
  'reads the passwords of roles': 'SELECT * FROM pg_authid',
  'reads the subscriptions’ passwords': 'SELECT subconninfo FROM pg_subscription',
  'disables triggers': 'SET session_replication_role = replica',
  'connects to the victim’s other database by a cast of a name': `ALTER DATABASE orders OWNER TO owner`,
  'drops the victim’s other database': 'DROP DATABASE orders',
  'changes PostgreSQL’s own functions': `CREATE OR REPLACE FUNCTION pg_catalog.version() RETURNS text LANGUAGE sql AS 'SELECT 1::text'`,
  'creates an operator in PostgreSQL’s own schema':
    'CREATE OPERATOR pg_catalog.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)',
  'enables writes to PostgreSQL’s own tables': 'SET allow_system_table_mods = on',
  'writes to PostgreSQL’s own tables': `UPDATE pg_catalog.pg_database SET datdba = 10`,
  // The operator's sessions end by themselves; the logical replication launcher, also a superuser, always has one.
  'ends sessions of the operator': `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE usename <> current_user`,
}

/**
 * Traps: code of the owner in places where another session might execute it. If PostgreSQL accepts only immutable
 * functions, `steady` calls the volatile one: an immutable function cannot change anything itself.
 */
const trap = `CREATE OR REPLACE FUNCTION public.trap() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
    EXECUTE 'ALTER ROLE owner SUPERUSER'; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 0; END $$;
  CREATE OR REPLACE FUNCTION public.steady() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.trap(); END';
  CREATE OR REPLACE FUNCTION public.trap_bool(text, text) RETURNS bool LANGUAGE sql AS 'SELECT public.trap() > 1';
  CREATE OR REPLACE FUNCTION public.trap_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM public.trap(); RETURN NULL; END $$;`

const traps: Readonly<Record<string, string>> = {
  'a default of a column': 'CREATE TABLE t_default (a int DEFAULT public.trap())',
  'a trigger of a table': `CREATE TABLE t_trigger (a int);
     CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON t_trigger EXECUTE FUNCTION public.trap_trigger()`,
  'a check of a table': 'CREATE TABLE t_check (a int CHECK (public.trap() < 2))',
  'a policy of rows': `CREATE TABLE t_policy (a int); ALTER TABLE t_policy FORCE ROW LEVEL SECURITY;
     ALTER TABLE t_policy ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t_policy USING (public.trap() < 2)`,
  'a rule of a view': `CREATE VIEW t_view AS SELECT public.trap() AS a;
     CREATE RULE r AS ON INSERT TO t_view DO INSTEAD SELECT public.trap()`,
  'an expression of an index': `CREATE TABLE t_index (a int);
     CREATE INDEX i ON t_index ((a + public.steady()))`,
  'a generated column': 'CREATE TABLE t_generated (a int, b int GENERATED ALWAYS AS (a + public.steady()) STORED)',
  'an operator that PostgreSQL has for other types':
    'CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.trap_bool)',
  'functions with names of PostgreSQL’s functions': `CREATE FUNCTION public.format(text, text) RETURNS text LANGUAGE sql
       AS 'SELECT public.trap()::text';
     CREATE FUNCTION public.shobj_description(oid, text) RETURNS text LANGUAGE sql AS 'SELECT public.trap()::text';
     CREATE FUNCTION public.has_schema_privilege(text, text) RETURNS bool LANGUAGE sql AS 'SELECT public.trap() > 1'`,
  'a table with the name of a PostgreSQL catalog': `CREATE TABLE public.pg_roles (rolname text DEFAULT public.trap()::text);
     CREATE VIEW public.pg_database AS SELECT public.trap() AS oid, 'x'::text AS datname`,
  'a cast of its own type': `CREATE TYPE public.mood AS (a text);
     CREATE FUNCTION public.mood_text(public.mood) RETURNS text LANGUAGE sql AS 'SELECT public.trap()::text';
     CREATE CAST (public.mood AS text) WITH FUNCTION public.mood_text(public.mood) AS IMPLICIT`,
  'a domain':
    'CREATE DOMAIN public.guarded AS text CHECK (public.trap() < 2); CREATE TABLE t_domain (a public.guarded)',
  'the settings of the database': `ALTER DATABASE shared SET search_path = public, pg_catalog`,
  'a collation and a text search configuration': `CREATE COLLATION public."C.UTF-8" (LOCALE = 'C');
     CREATE TEXT SEARCH CONFIGURATION public.simple (COPY = pg_catalog.simple)`,
  'a materialized view': 'CREATE MATERIALIZED VIEW t_materialized AS SELECT public.trap() AS a WITH NO DATA',
  'statistics of an expression': `CREATE TABLE t_statistics (a int);
     CREATE STATISTICS s ON (a + public.steady()), a FROM t_statistics`,
  'an aggregate with the name of a PostgreSQL aggregate': `CREATE FUNCTION public.grow(text, text) RETURNS text LANGUAGE sql AS 'SELECT public.trap()::text';
     CREATE AGGREGATE public.array_agg(text) (SFUNC = public.grow, STYPE = text)`,
}

/**
 * Sets a trap; then the operator works in that database: it creates a user, who creates tables, and removes the user.
 */
function springs(does: string, text: string): Attempt {
  return {
    attacker: 'owner login',
    does: `leaves a trap in ${does}`,
    act: async (stage, name) => {
      await stage.sql('owner', `SET ROLE shared_owner; ${trap} ${text}`)
      if (typeof stage.said.at(-1) === 'string') throw new Error(`the trap was not set: ${stage.said.at(-1)}`)
      await expectLive(stage)
      await operatorWorks(stage, name)
      await stage.sql('owner', emptied)
    },
    outcome: harmless('No code of the attacker runs with rights of the operator.'),
  }
}

/** Expects that the trap does harm when an administrator calls it. So a trap without harm was not called. */
async function expectLive(stage: AdversaryStage): Promise<void> {
  const session = await stage.postgres.connect({ database: 'shared' })
  try {
    await session.query('BEGIN')
    const { rows } = await session.query('SELECT public.trap() = 1 AND public.steady() = 1 AS is_live')
    await session.query('ROLLBACK')
    expect(rows).toEqual([{ is_live: true }])
  } finally {
    await session.end()
  }
}

const emptied = `SET ROLE shared_owner; DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC;
  ALTER DATABASE shared RESET ALL`

/** Makes the operator grant, set default privileges, and revert both, with objects that change their owner. */
async function operatorWorks(stage: AdversaryStage, name: string): Promise<void> {
  const databases = [{ name: 'shared', namespace: victimNamespace, access: 'Owner' }]
  await stage.tenant.create('dbu', name, { spec: { databases } })
  await stage.until('the user to be Ready', () => stage.isReady('dbu', name))
  await stage.sql(name, `CREATE TABLE public.made_by_${name} (a int)`)
  await stage.tenant.delete('dbu', name)
  await stage.until('it to be gone', async () => (await stage.editor.peek('dbu', name)) === undefined)
}

const writerDenied: Readonly<Record<string, string>> = {
  'creates a table': 'CREATE TABLE public.t (a int)',
  'creates a function': `CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
  'creates a schema': 'CREATE SCHEMA _konverge',
  'becomes the owner': 'SET ROLE shared_owner',
  'sets settings of the database': `ALTER DATABASE shared SET search_path = 'evil'`,
  'writes an ownership marker on the database': `COMMENT ON DATABASE shared IS 'mine'`,
  'renames the database': 'ALTER DATABASE shared RENAME TO mine_now',
  'takes the privileges of the victim': 'REVOKE ALL ON DATABASE shared FROM boss CASCADE; DROP OWNED BY boss',
  'runs a program by COPY': `COPY (SELECT 1) TO PROGRAM 'id'`,
  'makes itself a superuser': 'ALTER ROLE writer SUPERUSER',
  'grants its privileges to all': 'GRANT shared_owner TO plain',
  'installs a trusted extension': 'CREATE EXTENSION pg_trgm',
}

const plainDenied: Readonly<Record<string, readonly [string, string]>> = {
  'connects to the victim’s database': ['orders', 'SELECT 1'],
  'connects to the shared database': ['shared', 'SELECT 1'],
  'connects to a tenant’s database': ['mine', 'SELECT 1'],
  'reads the passwords of roles': ['postgres', 'SELECT rolname, rolpassword FROM pg_authid'],
  'becomes the administrator': ['postgres', 'SET ROLE victim_admin'],
  'creates a role': ['postgres', 'CREATE ROLE backdoor'],
  'creates a table in the maintenance database': ['postgres', 'CREATE TABLE public.t (a int)'],
  'creates a schema in the maintenance database': ['postgres', 'CREATE SCHEMA _konverge'],
  'creates a function in the maintenance database': [
    'postgres',
    `CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS 'SELECT 1::text'`,
  ],
  'ends the sessions of the operator': [
    'postgres',
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('victim_admin', 'tenant_admin')`,
  ],
  'creates a database from the template': ['template1', 'CREATE DATABASE stolen TEMPLATE orders'],
}

const ownerRest: readonly Attempt[] = [
  says('owner', 'connects to the victim’s other database', 'SELECT 1', {
    database: 'orders',
    outcome: denied(/permission denied for database/),
  }),
  says('owner', 'connects to a tenant’s database', 'SELECT 1', {
    database: 'mine',
    outcome: denied(/permission denied for database/),
  }),
  {
    attacker: 'owner login',
    does: 'reads the operator’s queries in pg_stat_activity',
    // The operator's sessions end by themselves, so the attempt keeps one of an administrator open.
    act: async (stage) => {
      const session = await stage.postgres.connect({ database: 'shared' })
      await session.query('SELECT 1')
      await stage
        .sql('owner', 'SELECT query FROM pg_stat_activity WHERE usename <> current_user')
        .finally(() => session.end())
    },
    outcome: harmless('PostgreSQL shows no query text of other roles’ sessions.', {
      check: async (stage) => {
        const rows = stage.said.at(-1) as readonly { readonly query: string }[] // Rows of this query.
        expect(rows.length).toBeGreaterThan(0)
        expect(rows.filter(({ query }) => query !== '<insufficient privilege>')).toEqual([])
      },
    }),
  },
  {
    attacker: 'owner login',
    does: 'revokes privileges on the shared database from the victim’s DatabaseUser',
    act: async (stage) => {
      await stage.sql(
        'owner',
        'SET ROLE shared_owner; REVOKE ALL ON DATABASE shared FROM boss, boss_a; REVOKE ALL ON SCHEMA public FROM boss',
      )
    },
    outcome: harmless('The operator grants them again.'),
  },
  {
    attacker: 'owner login',
    does: 'holds a lock on the tables of the shared database',
    act: async (stage) => {
      await stage.sql('owner', 'SET ROLE shared_owner; CREATE TABLE IF NOT EXISTS public.held (a int)')
      const { user, password } = await stage.login('owner')
      const session = await stage.postgres.connect({ user, password, database: 'shared' })
      try {
        await session.query('BEGIN; LOCK TABLE public.held IN ACCESS EXCLUSIVE MODE')
        await stage.settle()
      } finally {
        await session.end()
      }
    },
    outcome: harmless('The operator reconciles the victim’s resources meanwhile.'),
  },
  {
    attacker: 'owner login',
    does: 'sets the connection limit of the shared database to 0',
    act: (stage) => stage.sql('owner', 'SET ROLE shared_owner; ALTER DATABASE shared CONNECTION LIMIT 0'),
    outcome: harmless('The operator restores the limit.'),
  },
  {
    attacker: 'owner login',
    does: 'writes a comment of 9 MB on the shared database, which the operator reads',
    act: async (stage, name) => {
      const comment = `EXECUTE format('COMMENT ON DATABASE shared IS %L', repeat('x', 9000000))`
      await stage.sql('owner', `SET ROLE shared_owner; DO $$ BEGIN ${comment}; END $$`)
      await stage.victimReconciles('db', 'shared', name)
      await stage.until('the marker', async () => {
        const [row] = await stage.postgres.byHand(
          `SELECT shobj_description(oid, 'pg_database') LIKE 'konverge {%' AS is FROM pg_database WHERE datname = 'shared'`,
        )
        return row?.['is'] === true
      })
    },
    outcome: harmless('The operator takes a comment of that length for no marker and writes its own again.'),
  },
  {
    attacker: 'writer login',
    does: 'sets a setting of 9 MB on its own role, which the operator reads',
    act: async (stage, name) => {
      const setting = `EXECUTE format('ALTER ROLE %I SET application_name TO %L', current_user, repeat('x', 9000000))`
      await stage.sql('writer', `SET ROLE NONE; DO $$ BEGIN ${setting}; END $$`)
      const annotations = { 'konverge.dev/reconcile-now': name }
      await stage.tenant.patch('dbu', 'writer', { metadata: { annotations } })
      await stage.until('the setting to be gone', async () => {
        const [row] = await stage.postgres.byHand(
          'SELECT max(length(setconfig::text)) < 10000 AS is FROM pg_db_role_setting',
        )
        return row?.['is'] === true
      })
    },
    outcome: harmless('The operator resets it.'),
  },
  {
    attacker: 'writer login',
    does: 'restores a leaked password from an open session, in a loop, during a rotation',
    act: async (stage, name) => {
      const { user, password } = await stage.login('writer')
      const session = await stage.postgres.connect({ user, password, database: 'shared' })
      const text = `SET ROLE NONE; ALTER ROLE ${user} PASSWORD '${password}'`
      const putBack = async (): Promise<string> => {
        for (;;) {
          const trouble = await session.query(text).then(() => '', String)
          // A concurrent change of the operator may fail the attacker's statement: "tuple concurrently updated".
          if (trouble !== '' && !trouble.includes('concurrently updated')) return trouble
        }
      }
      const ended = putBack()
      await stage.tenant.patch('dbu', 'writer', { spec: { rotation: { trigger: name } } })
      await stage.until('the rotation', async () => (await stage.login('writer')).password !== password)
      // The session ends within a statement, or between two statements.
      expect(await ended).toMatch(/terminat|connection error/)
      await session.end()
      await stage.until('the new password to hold', () => stage.isReady('dbu', 'writer'))
      const login = stage.postgres.connect({ user, password, database: 'shared' })
      await expect(login).rejects.toThrow(/password authentication failed/)
      await stage.sql('writer', 'SELECT 1')
    },
    outcome: harmless(
      'The operator blocks the login and ends its sessions before the new password is valid; the leaked password fails.',
      {
        check: async ({ said }) => expect(said.at(-1)).toHaveLength(1),
      },
    ),
  },
  {
    attacker: 'owner login',
    does: 'sets settings of the shared database that end or delay transactions',
    act: async (stage) => {
      await stage.sql(
        'owner',
        `SET ROLE shared_owner; ALTER DATABASE shared SET default_transaction_isolation = 'serializable';
        ALTER DATABASE shared SET default_transaction_deferrable = on; ALTER DATABASE shared SET exit_on_error = on;
        DO $$ BEGIN IF current_setting('server_version_num')::int >= 170000 THEN
          EXECUTE 'ALTER DATABASE shared SET transaction_timeout = 1'; END IF; END $$`,
      )
      await stage.settle()
      await stage.postgres.byHand('ALTER DATABASE shared RESET ALL')
    },
    outcome: harmless(
      'The operator’s sessions override these settings, and the operator reconciles the victim’s resources meanwhile.',
    ),
  },
  {
    attacker: 'owner login',
    does: 'makes the shared database a template that others can copy',
    act: async (stage) => {
      await stage.sql('owner', 'SET ROLE shared_owner; ALTER DATABASE shared IS_TEMPLATE true')
      await stage.settle()
    },
    outcome: harmless('The operator removes the flag, whatever the drift policy says.', {
      check: async ({ postgres }) => {
        const rows = await postgres.byHand(`SELECT datistemplate AS is FROM pg_database WHERE datname = 'shared'`)
        expect(rows).toEqual([{ is: false }])
      },
    }),
  },
  {
    attacker: 'owner login',
    does: 'grants CONNECT on the shared database to a role without a DatabaseUser, which stays after the consent is withdrawn',
    act: async (stage) => {
      await stage.sql('owner', 'SET ROLE shared_owner; GRANT CONNECT ON DATABASE shared TO plain')
      await stage.settle()
    },
    outcome: harmless('The Database names the role and the statement: Drifted=True, reason UnmanagedRoles.', {
      check: async (stage) => {
        const drifted = conditionOf(await stage.victim.find('db', 'shared'), 'Drifted')
        await stage.sql('owner', 'SET ROLE shared_owner; REVOKE CONNECT ON DATABASE shared FROM plain')
        expect(drifted).toMatchObject({
          ...{ status: 'True', reason: 'UnmanagedRoles' },
          message: expect.stringContaining('REVOKE CONNECT ON DATABASE "shared" FROM "plain"'),
        })
      },
    }),
  },
  {
    attacker: 'owner login',
    does: 'makes itself the owner of the shared database',
    act: (stage) => stage.sql('owner', 'SET ROLE shared_owner; ALTER DATABASE shared OWNER TO owner'),
    outcome: denied(/must be (able to SET ROLE|member of role)/),
  },
  {
    attacker: 'owner login',
    does: 'writes its own ownership marker on the shared database',
    act: (stage) =>
      stage.sql('owner', `SET ROLE shared_owner; COMMENT ON DATABASE shared IS 'konverge: Database attacker/mine'`),
    outcome: harmless('Both ownership markers must agree; the operator trusts the one that the attacker cannot write.'),
  },
  {
    attacker: 'owner login',
    does: 'creates the schema of the applied markers, with a trigger that runs as the administrator',
    act: async (stage) => {
      await stage.sql(
        'owner',
        `SET ROLE shared_owner; ${trap} CREATE SCHEMA IF NOT EXISTS _konverge;
        CREATE TABLE IF NOT EXISTS _konverge.lease (lock text, holder text DEFAULT public.trap()::text);
        CREATE TABLE IF NOT EXISTS _konverge.migrations (a int DEFAULT public.trap());
        CREATE TRIGGER t AFTER INSERT OR UPDATE ON _konverge.lease EXECUTE FUNCTION public.trap_trigger()`,
      )
      await stage.settle()
      await stage.sql('owner', `SET ROLE shared_owner; DROP SCHEMA _konverge CASCADE`)
    },
    outcome: harmless('No code of the attacker runs with rights of the operator.'),
  },
]

const marks: readonly Attempt[] = [
  {
    attacker: 'owner login',
    does: 'writes an ownership marker of its own Database on the shared database and adopts it',
    act: async (stage, name) => {
      const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
      const spec = { provider, databaseName: 'shared', adoptionPolicy: 'Adopt', suspend: true }
      await stage.tenant.create('db', name, { spec })
      const uid = (await stage.editor.peek('db', name))?.metadata.uid
      const mark = JSON.stringify({ uid, generation: 1, holder: `${stage.tenant.namespace}/${name}` })
      await stage.sql('owner', `SET ROLE shared_owner; COMMENT ON DATABASE shared IS 'konverge ${mark}'`)
      await stage.tenant.patch('db', name, { spec: { suspend: false } })
      await condition('db', 'Ready False NotOwned').check(stage, name)
      // The users of the Database reconcile after it and are not Ready before.
      await stage.victimReconciles('db', 'shared', name)
    },
    outcome: condition('db', 'Ready False NotOwned'),
  },
  {
    attacker: 'owner login',
    does: 'creates the schema of the applied markers before the victim migrates the shared database',
    act: async (stage, name) => {
      await stage.sql('owner', `SET ROLE shared_owner; ${trap} CREATE SCHEMA _konverge`)
      for (const table of ['lease', 'leases', 'migrations', 'marks', 'steps'])
        await stage.sql(
          'owner',
          `SET ROLE shared_owner; CREATE TABLE _konverge.${table} (a int DEFAULT public.trap());
          CREATE TRIGGER t BEFORE INSERT OR UPDATE ON _konverge.${table} FOR EACH STATEMENT EXECUTE FUNCTION public.trap_trigger()`,
        )
      await stage.victimMigrationStops(name, 'UntrustedMarks')
      await stage.sql('owner', 'SET ROLE shared_owner; DROP SCHEMA _konverge CASCADE')
    },
    outcome: harmless('The Migration reports UntrustedMarks and changes nothing there; no code of the attacker runs.'),
  },
]

export const loginAttempts: readonly Attempt[] = [
  ...Object.entries(ownerDenied).map(([does, text]) => says('owner', does, text)),
  ...ownerRest,
  ...marks,
  ...Object.entries(traps).map(([does, text]) => springs(does, text)),
  ...Object.entries(writerDenied).map(([does, text]) => says('writer', does, text)),
  ...Object.entries(plainDenied).map(([does, [database, text]]) => says('plain', does, text, { database })),
]
