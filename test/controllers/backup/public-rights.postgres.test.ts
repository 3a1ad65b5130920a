// Privileges of PUBLIC across a restore, on real servers with PostgreSQL's own tools. Invariant: granted privileges
// stay granted and revoked ones stay revoked.
import { expect, it } from 'vitest'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import type { PublicDefault } from '../../../src/controllers/engines/public-rights.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { never } from '../stores/contents.ts'
import { verification } from './backup-stage.ts'
import { anew, databasesOf, makeLive, makeSmallDatabase, removeAll, restoreStage } from './restore-stage.ts'

onEachPostgres('what everybody may do', (server) => {
  it('is the same when a database is restored in place', async () => {
    const stage = await restoreStage(server(), server().access(), makeGuarded)
    await makeLive(server(), makeGuarded)
    // Default privileges that grant to PUBLIC are not restored.
    const { 'default crm_owner r api SELECT': beforehand, ...before } = await rightsOf(server())
    expect({ beforehand, ...before }).toMatchObject({ beforehand: true, ...taken, ...given })
    await server().byHand('GRANT EXECUTE ON ALL ROUTINES IN SCHEMA api TO PUBLIC', { database: 'crm' })
    await restoreDatabase(await stage.inPlace(), stage.verificationTools(), never)
    expect(await rightsOf(server())).toEqual(before)
    // The same holds for objects that the owner creates from now on.
    await server().byHand(
      'SET ROLE crm_owner; CREATE FUNCTION api.later() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      {
        database: 'crm',
      },
    )
    expect(await rightsOf(server())).toEqual({ ...before, 'api.later()': false })
  })

  it('is the same in a new database when the admin is not a superuser', async () => {
    const access = await makeAdmin(server())
    const stage = await restoreStage(server(), access, makeGuarded)
    await restoreDatabase(anew, stage.verificationTools(), never)
    expect(await rightsOf(server())).toMatchObject({ ...taken, ...given })
  })

  it('is verified', async () => {
    const stage = await restoreStage(server(), server().access(), makeGuarded)
    await verifyBackup(verification, stage.verificationTools(), never)
    await stage.reseal((manifest) => ({
      ...manifest,
      publicRights: {
        defaults: [],
        objects: (manifest.publicRights?.objects ?? []).map((right) =>
          // The function belongs to the extension, so the restore cannot grant it.
          right.name === 'refund' ? { ...right, schema: 'ext', name: 'gen_random_uuid', arguments: [] } : right,
        ),
      },
    }))
    await expect(verifyBackup(verification, stage.verificationTools(), never)).rejects.toMatchObject({
      code: 'ManifestMismatch',
      message:
        'what was restored is not what was saved: PUBLIC has what PostgreSQL gives on function ext.gen_random_uuid() instead of nothing',
    })
  })

  it('is read from the server', async () => {
    const stage = await restoreStage(server(), server().access(), makeGuarded)
    await stage.reseal((manifest) => ({
      ...manifest,
      publicRights: {
        defaults: [],
        objects: (manifest.publicRights?.objects ?? []).map((right) =>
          right.on === 'Table' ? { ...right, privileges: ['MAINTAIN', ...right.privileges] } : right,
        ),
      },
    }))
    await verifyBackup(verification, stage.verificationTools(), never)
  })

  it('changes nothing as an admin when the manifest is forged', async () => {
    const stage = await restoreStage(server(), server().access(), makeGuarded)
    await makeLive(server(), makeGuarded)
    await server().byHand('DROP ROLE IF EXISTS mallory')
    await server().byHand('CREATE ROLE mallory')
    const forged = { kind: 'grantMembership', role: 'pg_execute_server_program', member: 'mallory' }
    await stage.reseal((manifest) => ({
      ...manifest,
      // A manifest written by hand may violate the types.
      publicRights: { objects: [], defaults: [forged as unknown as PublicDefault] },
    }))
    await expect(restoreDatabase(await stage.inPlace(), stage.verificationTools(), never)).rejects.toMatchObject({
      code: 'ManifestRefused',
    })
    const memberships = "SELECT roleid::regrole::text FROM pg_auth_members WHERE member = 'mallory'::regrole"
    expect(await server().byHand(memberships)).toEqual([])
    await server().byHand('DROP ROLE mallory')
  })

  it('is absent from an older manifest, which restores as before', async () => {
    const stage = await restoreStage(server(), server().access(), makeGuarded)
    await stage.reseal(({ publicRights: _, ...before }) => before)
    await makeLive(server(), makeGuarded)
    await restoreDatabase(await stage.inPlace(), stage.verificationTools(), never)
    expect(await databasesOf(server())).toEqual(['crm', 'crm_old_r1'])
    expect(await rightsOf(server())).toMatchObject({ 'api.pay()': true, 'api.refund(integer)': true })
  })
})

async function makeGuarded(server: PostgresServer): Promise<void> {
  await makeSmallDatabase(server)
  await server.byHand(guarded, { database: 'crm' })
}

const guarded = `SET ROLE crm_owner;
  CREATE FUNCTION api.pay() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
  CREATE FUNCTION api.pay(int) RETURNS int LANGUAGE sql AS 'SELECT $1';
  CREATE SCHEMA "Odd ""One"""; CREATE TYPE "Odd ""One"""."A type, no?" AS ENUM ('a');
  CREATE FUNCTION "Odd ""One"""."pay()"(timestamp with time zone, VARIADIC "Odd ""One"""."A type, no?"[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
  CREATE AGGREGATE api.total(int) (SFUNC = int4pl, STYPE = int);
  CREATE AGGREGATE api.every_row(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
  CREATE PROCEDURE api.refund(IN int, OUT int) LANGUAGE sql AS 'SELECT 1';
  CREATE PROCEDURE api.refund(int, int) LANGUAGE sql AS '';
  CREATE DOMAIN api.money_ AS numeric; CREATE TYPE api.pair AS (a int, b int);
  CREATE FUNCTION api.first_letter(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT left($1, 1)';
  CREATE TABLE api.left_out (name text DEFAULT api.first_letter('x') CHECK (api.first_letter(name) <> 'z'));
  CREATE INDEX ON api.left_out (api.first_letter(name));
  INSERT INTO api.left_out VALUES ('a');
  CREATE VIEW api.seen AS SELECT name FROM api.people; CREATE SEQUENCE api.numbers;
  REVOKE EXECUTE ON FUNCTION api.pay(), "Odd ""One"""."pay()", api.total(int), api.every_row(), api.first_letter FROM PUBLIC;
  REVOKE EXECUTE ON PROCEDURE api.refund(int) FROM PUBLIC;
  REVOKE USAGE ON TYPE "Odd ""One"""."A type, no?", api.money_, api.pair FROM PUBLIC;
  GRANT USAGE ON SCHEMA api TO PUBLIC; GRANT SELECT, UPDATE ON api.seen TO PUBLIC; GRANT SELECT (id), UPDATE (id) ON orders TO PUBLIC;
  GRANT USAGE ON SEQUENCE api.numbers TO PUBLIC;
  ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC;
  ALTER DEFAULT PRIVILEGES IN SCHEMA api GRANT SELECT ON TABLES TO PUBLIC;
  RESET ROLE;
  REVOKE EXECUTE ON FUNCTION ext.gen_random_bytes FROM PUBLIC;
  REVOKE USAGE ON SCHEMA public FROM PUBLIC`

const taken = {
  'api.pay()': false,
  'api.refund(integer)': false,
  '"Odd ""One"""."pay()"(timestamp with time zone,"Odd ""One"""."A type, no?"[])': false,
  'api.total(integer)': false,
  'api.every_row()': false,
  'api.first_letter(text)': false,
  '"Odd ""One"""."A type, no?"': false,
  'api.money_': false,
  'api.pair': false,
  'api.seen INSERT': false,
  'column INSERT': false,
  public: false,
}

const given = {
  'api.pay(integer)': true,
  'api.refund(integer,integer)': true,
  api: true,
  'api.seen UPDATE': true,
  'column UPDATE': true,
  numbers: true,
}

async function makeAdmin(server: PostgresServer): Promise<ServerAccess> {
  await removeAll(server)
  await server.byHand('DROP ROLE IF EXISTS humble')
  await server.byHand("CREATE ROLE humble LOGIN CREATEDB CREATEROLE PASSWORD 'humble'")
  return server.access({ username: 'humble', password: 'humble' })
}

/** Returns for each object whether PUBLIC may use it, asked of the server as a role without other privileges. */
async function rightsOf(server: PostgresServer): Promise<Readonly<Record<string, unknown>>> {
  await server.byHand('DROP ROLE IF EXISTS somebody')
  await server.byHand('CREATE ROLE somebody')
  const rows = await server.byHand(
    `SELECT p.oid::regprocedure::text AS what, has_function_privilege('somebody', p.oid, 'EXECUTE') AS may
      FROM pg_proc p WHERE p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'ext'::regnamespace)
    UNION ALL SELECT t.oid::regtype::text, has_type_privilege('somebody', t.oid, 'USAGE') FROM pg_type t
      WHERE t.typnamespace IN ('api'::regnamespace, '"Odd ""One"""'::regnamespace)
    UNION ALL SELECT n.nspname, has_schema_privilege('somebody', n.oid, 'USAGE') FROM pg_namespace n
    UNION ALL SELECT c.oid::regclass::text || ' ' || p, has_table_privilege('somebody', c.oid, p) FROM pg_class c,
      unnest('{SELECT,UPDATE,INSERT}'::text[]) p WHERE c.relnamespace IN ('api'::regnamespace, 'public'::regnamespace)
        AND c.relkind IN ('r', 'v')
    UNION ALL SELECT 'column ' || p, has_column_privilege('somebody', 'orders', 'id', p) FROM unnest('{SELECT,UPDATE,INSERT}'::text[]) p
    UNION ALL SELECT 'numbers', has_sequence_privilege('somebody', 'api.numbers', 'USAGE')
    UNION ALL SELECT concat_ws(' ', 'default', pg_get_userbyid(defaclrole), defaclobjtype, defaclnamespace::regnamespace, e.privilege_type), true FROM pg_default_acl, aclexplode(defaclacl) e WHERE e.grantee = 0`,
    { database: 'crm' },
  )
  return Object.fromEntries(rows.map(({ what, may }) => [String(what), may]))
}
