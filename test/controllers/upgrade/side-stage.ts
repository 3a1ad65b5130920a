// Fixture: preparation of an upgrade's target. A source server has a database with objects of clients, people and the
// operator; a target server is empty.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import { markOf } from '../../../src/controllers/engines/postgres/mark.ts'
import type { SideOrder } from '../../../src/controllers/upgrade/new-side.ts'
import type { SideTools } from '../../../src/controllers/upgrade/new-side-worker.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'

const places = { versions: '/usr/lib/postgresql', folders: [] }

const token = { uid: '3d4e28ba-2fa1-11d2-883f-0016d3cca427', generation: 3 }
const userToken = { uid: '4e4e28ba-2fa1-11d2-883f-0016d3cca427', generation: 1, holder: 'DatabaseUser shop/app' }

export const order: SideOrder = {
  id: 'to_18',
  token,
  caller: { kind: 'Database', namespace: 'shop', name: 'shop' },
  database: 'shop',
}

export class SideStage {
  readonly old: PostgresServer
  readonly new: PostgresServer
  readonly tools: SideTools
  readonly here = engineHere()

  private constructor(servers: readonly [PostgresServer, PostgresServer], workFolder: string) {
    const [old, young] = servers
    this.old = old
    this.new = young
    this.tools = {
      ...{
        engine: this.here.engine,
        old: old.access(),
        new: young.access(),
        secrets: systemSecrets,
        clock: systemClock,
        workFolder,
      },
      logical: postgresLogicalEngine({ clock: systemClock, places, workFolder }),
    }
  }

  /** Both stop with the test. */
  static async start([source, target]: readonly [number, number]): Promise<SideStage> {
    const workFolder = await mkdtemp(join(tmpdir(), 'konverge-sides-'))
    onTestFinished(() => rm(workFolder, { recursive: true, force: true }))
    const settings = { wal_level: 'logical' }
    const servers = await Promise.all([
      startPostgres({ version: source, settings }),
      startPostgres({ version: target, settings }),
    ])
    const stage = new SideStage(servers, workFolder)
    await stage.old.byHand(globals)
    await stage.old.byHand(
      "CREATE DATABASE shop OWNER shop_owner TEMPLATE template0 CONNECTION LIMIT 50 LC_COLLATE 'C'",
    )
    await stage.old.byHand(ofDatabase)
    await stage.old.byHand(schema, { database: 'shop' })
    return stage
  }

  /** Contents of a server, without oids, markers and login attributes. */
  async sight(server: PostgresServer): Promise<unknown> {
    const [row] = await server.byHand(sightQuestion, { database: 'shop' })
    return row?.['answer']
  }

  /** Objects of the move, and of everything that it created. */
  async expectBare(): Promise<void> {
    const found = await this.new.byHand(
      "SELECT rolname AS name FROM pg_roles WHERE rolname NOT LIKE 'pg\\_%' AND NOT rolsuper UNION SELECT datname FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1')",
    )
    expect(found).toEqual([])
    expect(await this.new.byHand('SELECT setconfig FROM pg_db_role_setting')).toEqual([])
    expect(await readdir(this.tools.workFolder)).toEqual([])
  }
}

const globals = `
  CREATE ROLE shop_owner NOLOGIN;
  COMMENT ON ROLE shop_owner IS '${markOf(token)}';
  CREATE ROLE app NOLOGIN CREATEDB; COMMENT ON ROLE app IS '${markOf(userToken)}';
  CREATE ROLE app_a LOGIN PASSWORD 'secret' CONNECTION LIMIT 7; COMMENT ON ROLE app_a IS '${markOf(userToken)}';
  GRANT app TO app_a;
  CREATE ROLE "Odd 'role'" LOGIN NOINHERIT PASSWORD 'other' VALID UNTIL '2031-01-02 03:04:05.678+00';
  COMMENT ON ROLE "Odd 'role'" IS 'of the audit';
  CREATE ROLE reader NOLOGIN; GRANT reader TO "Odd 'role'" WITH ADMIN OPTION; GRANT pg_monitor TO reader;
  SET password_encryption TO 'md5'; CREATE ROLE aged LOGIN PASSWORD 'aged'; RESET password_encryption;
  GRANT reader TO aged;
  CREATE ROLE shut LOGIN VALID UNTIL '-infinity'; GRANT reader TO shut;
  ALTER ROLE ALL SET idle_in_transaction_session_timeout TO '59s';
  CREATE ROLE stranger LOGIN;
  ALTER ROLE app_a SET statement_timeout TO '61s'; ALTER ROLE app_a SET log_min_messages TO 'error';
  ALTER ROLE app_a SET search_path TO "$user", 'Odd schema', public;
`

const ofDatabase = `
  COMMENT ON DATABASE shop IS '${markOf(token)}';
  REVOKE CONNECT, TEMPORARY ON DATABASE shop FROM PUBLIC;
  GRANT CONNECT, TEMPORARY ON DATABASE shop TO app; GRANT CONNECT ON DATABASE shop TO reader WITH GRANT OPTION;
  ALTER DATABASE shop SET work_mem TO '5MB'; ALTER ROLE app_a IN DATABASE shop SET role TO 'app';
`

/** All objects with owners or privileges; and a function that attacks callers with more rights than its owner. */
const schema = `
  CREATE SCHEMA ext; CREATE EXTENSION pg_trgm SCHEMA ext; CREATE SCHEMA api AUTHORIZATION app; CREATE SCHEMA "Odd schema";
  GRANT USAGE, CREATE ON SCHEMA public TO app, shop_owner; GRANT USAGE ON SCHEMA api TO reader;
  SET ROLE shop_owner;
  CREATE TYPE public.state AS ENUM ('new', 'paid'); CREATE DOMAIN public.cents AS bigint CHECK (VALUE >= 0);
  CREATE TABLE public.orders (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int, what text, state public.state, price public.cents);
  CREATE FUNCTION public.climb(x text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
    $$ BEGIN EXECUTE 'ALTER ROLE shop_owner SUPERUSER'; RETURN x; EXCEPTION WHEN OTHERS THEN RETURN x; END $$;
  CREATE INDEX climbing ON public.orders (public.climb(what)); CREATE INDEX constant ON public.orders ((public.climb('x')));
  GRANT SELECT, INSERT ON public.orders TO app; GRANT SELECT (id, n) ON public.orders TO reader WITH GRANT OPTION;
  ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader;
  REVOKE EXECUTE ON FUNCTION public.climb(text) FROM PUBLIC;
  RESET ROLE; SET ROLE app;
  CREATE TABLE api.visits (id serial PRIMARY KEY, at timestamptz DEFAULT now()); CREATE SEQUENCE api.numbers;
  CREATE VIEW api.recent AS SELECT * FROM api.visits; CREATE MATERIALIZED VIEW api.daily AS SELECT count(*) FROM api.visits;
  CREATE FUNCTION api.own("Odd name" int DEFAULT 1, OUT x int) LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
  CREATE PROCEDURE api.nothing() LANGUAGE sql AS 'SELECT 1'; CREATE AGGREGATE api.most(int) (SFUNC = int4larger, STYPE = int);
  ALTER TABLE api.visits ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON api.visits TO reader USING (id > 0);
  CREATE FUNCTION api.alike(a text, b text) RETURNS bool LANGUAGE sql SECURITY DEFINER AS 'SELECT true';
  ALTER FUNCTION api.alike DEPENDS ON EXTENSION pg_trgm;
  CREATE STATISTICS api.pairs ON id, at FROM api.visits;
  CREATE COLLATION api.plain (LOCALE = 'C');
  RESET ROLE;
  CREATE TABLE public.audit (line text); GRANT INSERT ON public.audit TO app;
  CREATE INDEX resembling ON public.orders USING gin (what ext.gin_trgm_ops);
  INSERT INTO public.orders (n, what) SELECT n, 'row ' || n FROM generate_series(1, 10) n;
`

const ours = "n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
const acl = (
  column: string,
) => `(SELECT jsonb_agg(format('%s=%s/%s', coalesce(g.rolname, 'PUBLIC'), x.privilege_type || x.is_grantable, f.rolname)
    ORDER BY g.rolname, x.privilege_type) FROM aclexplode(${column}) x LEFT JOIN pg_roles g ON g.oid = x.grantee JOIN pg_roles f ON f.oid = x.grantor
    WHERE x.privilege_type <> 'MAINTAIN')`

const sightQuestion = `SELECT jsonb_build_object(
  'roles', (SELECT jsonb_agg(to_jsonb(r) - '{oid,rolcanlogin}'::text[] || jsonb_build_object('name', rolname) ORDER BY rolname)
    FROM pg_authid r WHERE rolname NOT LIKE 'pg\\_%' AND rolname NOT LIKE 'konverge%' AND rolname NOT IN ('stranger', current_user)),
  'foreign comments', (SELECT jsonb_agg(shobj_description(oid, 'pg_authid')) FROM pg_roles WHERE rolname LIKE 'Odd%'),
  'memberships', (SELECT jsonb_agg(format('%s in %s, %s', m.member::regrole, m.roleid::regrole, m.admin_option) ORDER BY m.member::regrole::text, m.roleid::regrole::text)
    FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member WHERE r.rolname NOT LIKE 'pg\\_%'),
  'settings', (SELECT jsonb_agg(format('%s in %s: %s', r.rolname, d.datname, text) ORDER BY r.rolname, d.datname, text)
    FROM pg_db_role_setting s CROSS JOIN unnest(s.setconfig) text LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase),
  'database', (SELECT jsonb_build_array(datdba::regrole, encoding, datcollate, datctype, datconnlimit, datallowconn, ${acl('datacl')})
    FROM pg_database WHERE datname = 'shop'),
  'schemas', (SELECT jsonb_agg(jsonb_build_array(nspname, nspowner::regrole, ${acl('nspacl')}) ORDER BY nspname) FROM pg_namespace n WHERE ${ours}),
  'relations', (SELECT jsonb_agg(jsonb_build_array(n.nspname, relname, relkind, relowner::regrole, relrowsecurity, ${acl('relacl')},
      (SELECT jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, a.atttypmod), ${acl('a.attacl')}) ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)) ORDER BY n.nspname, relname)
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE ${ours} AND relkind <> 't'),
  'routines', (SELECT jsonb_agg(jsonb_build_array(n.nspname, p.oid::regprocedure, prokind, proowner::regrole, prosecdef, ${acl('proacl')})
      ORDER BY p.oid::regprocedure::text) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE ${ours} AND n.nspname <> 'ext'),
  'types', (SELECT jsonb_agg(jsonb_build_array(n.nspname, typname, typtype, typowner::regrole, ${acl('typacl')}) ORDER BY n.nspname, typname)
    FROM pg_type t JOIN pg_namespace n ON n.oid = typnamespace WHERE ${ours}),
  'others', (SELECT jsonb_agg(o.x ORDER BY o.x::text) FROM (
    SELECT jsonb_build_array(stxname, stxowner::regrole) x FROM pg_statistic_ext UNION ALL
    SELECT jsonb_build_array(collname, collowner::regrole) FROM pg_collation JOIN pg_namespace n ON n.oid = collnamespace WHERE ${ours} UNION ALL
    SELECT jsonb_build_array(polname, polroles::regrole[], polrelid::regclass) FROM pg_policy UNION ALL
    SELECT jsonb_build_array(extname, n.nspname, extowner::regrole) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace) o),
  'defaults', (SELECT jsonb_agg(jsonb_build_array(defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, ${acl('defaclacl')})
    ORDER BY defaclobjtype) FROM pg_default_acl)) AS answer`
