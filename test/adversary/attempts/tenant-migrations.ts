// Attempts of a tenant by steps of a Migration, which run as the owner of the tenant's database.
import { type Attempt, stepFails } from '../attempt.ts'

/** Fields of a SCRAM verifier after its iteration count. */
const salted = `${Buffer.alloc(16).toString('base64')}$${Buffer.alloc(32).toString('base64')}:${Buffer.alloc(32).toString('base64')}`
const unverified = { transaction: false, verify: { sql: 'SELECT false', expect: 't' } }

/** Steps of a Migration of the tenant's database, on the server that the victim uses too. */
const steps: Readonly<Record<string, readonly [sql: string, reason: RegExp, more?: object]>> = {
  'runs a program by COPY': [`COPY (SELECT 1) TO PROGRAM 'id > /tmp/owned'`, /ServerAccess: .*COPY runs a program/],
  'reads a file by COPY': [`CREATE TABLE t (line text); COPY t FROM '/etc/passwd'`, /ServerAccess: .*COPY uses a file/],
  'reads a file by a function': [`SELECT pg_read_file('/etc/passwd')`, /ServerAccess: .*pg_read_file/],
  'lists the server’s folder': [`SELECT pg_ls_dir('.')`, /ServerAccess: .*pg_ls_dir/],
  'imports a file as a large object': [`SELECT lo_import('/etc/passwd')`, /ServerAccess: .*lo_import/],
  'exports a large object to a file': [
    `SELECT lo_export(lo_from_bytea(0, 'x'), '/tmp/owned')`,
    /ServerAccess: .*lo_export/,
  ],
  'becomes the owner of the victim’s database': ['SET ROLE orders_owner', /RoleChange/],
  'becomes the superuser': ['SET SESSION AUTHORIZATION victim_admin', /RoleChange/],
  'becomes the superuser inside a DO block': [
    `DO $$ BEGIN EXECUTE 'SET ROLE victim_admin'; END $$`,
    /42501.*permission denied to set role \\"victim_admin/,
  ],
  'makes itself a superuser': [
    'ALTER ROLE mine_owner SUPERUSER',
    /42501.*(must be superuser to alter superuser|permission denied to alter role)/,
  ],
  'creates a role': ['CREATE ROLE backdoor LOGIN', /42501.*permission denied to create role/],
  'changes a password of the victim': [
    `ALTER ROLE app_a PASSWORD 'SCRAM-SHA-256$4096:${salted}'`,
    /42501.*(permission denied|must have CREATEROLE)/,
  ],
  'grants itself the victim’s owner': [
    'GRANT orders_owner TO mine_owner',
    /42501.*(admin option on role \\"orders_owner|permission denied to grant role \\"orders_owner)/,
  ],
  'changes the server’s settings': [`ALTER SYSTEM SET log_statement = 'all'`, /AlterSystem/],
  'creates an event trigger': [
    `CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
     CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION f()`,
    /42501.*permission denied to create event trigger/,
  ],
  'creates a function in C': [
    `CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/tmp/x.so', 'f'`,
    /42501.*permission denied for language c/,
  ],
  'installs an untrusted extension': ['CREATE EXTENSION file_fdw', /42501.*permission denied to create extension/],
  'loads a library': [`LOAD '/tmp/x.so'`, /42501.*access to library/],
  'drops the victim’s database': ['DROP DATABASE orders', /42501.*must be owner of database orders/, unverified],
  'writes its own ownership marker on the victim’s database': [
    `COMMENT ON DATABASE orders IS 'mine'`,
    /42501.*must be owner of database orders/,
  ],
  'writes its own ownership marker on the victim’s role': [
    `COMMENT ON ROLE orders_owner IS 'mine'`,
    /42501.*(CREATEROLE privilege|permission denied)/,
  ],
  'ends the sessions of others': [
    `DO $$ BEGIN
     IF NOT (SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'tenant_admin') THEN
       RAISE EXCEPTION 'permission denied'; END IF; END $$`,
    /42501.*(must be a (superuser|member)|permission denied) to terminate/,
  ],
  'reads the passwords of roles': ['SELECT rolpassword FROM pg_authid', /42501.*permission denied for table pg_authid/],
  'publishes all tables': [
    'CREATE PUBLICATION everything FOR ALL TABLES',
    /42501.*must be superuser to create FOR ALL TABLES/,
  ],
  'shadows PostgreSQL’s own catalogue': [
    `CREATE TABLE pg_catalog.pg_roles_of_mine (x int)`,
    /42501.*permission denied (for schema pg_catalog|to create)/,
  ],
}

export const tenantMigrationAttempts: readonly Attempt[] = Object.entries(steps).map(([does, [sql, reason, more]]) => ({
  attacker: 'tenant',
  does: `${does}, in a step`,
  act: (stage, name) => stage.migrate(name, sql, more),
  outcome: stepFails(reason),
}))
