// Statement that reads the globals of a database. One statement with a JSON answer, run in the database by a superuser,
// because only superusers can read verifiers.
import type { DatabaseGlobals } from '../../globals.ts'

const ownSchema = (oid: string) => `${oid} IN (SELECT n.oid FROM pg_catalog.pg_namespace n
  WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%')`

/** Excludes members of extensions. Objects with DEPENDS ON EXTENSION are not members. */
const ofNoExtension = (catalog: string, oid: string) => `NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
  WHERE e.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND e.objid = ${oid} AND e.deptype = 'e')`

/** Excludes sequences owned by columns, row types of tables, and array types. */
const ownColumn = `NOT (c.relkind = 'S' AND EXISTS (SELECT FROM pg_catalog.pg_depend e
  WHERE e.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND e.objid = c.oid
    AND e.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND e.deptype IN ('a', 'i')))`
const ownType = `(t.typrelid = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))
  AND t.typtype IN ('b', 'c', 'd', 'e', 'r') AND NOT EXISTS (SELECT FROM pg_catalog.pg_type e WHERE e.typarray = t.oid)`

const named = (sort: string, catalog: string, prefix: string) => `UNION ALL
  SELECT '${sort}', o.${prefix}namespace, o.${prefix}name, o.${prefix}owner FROM pg_catalog.${catalog} o
    WHERE ${ownSchema(`o.${prefix}namespace`)} AND ${ofNoExtension(catalog, 'o.oid')}`

const owned = `SELECT 'SCHEMA', NULL::pg_catalog.oid, s.nspname, s.nspowner FROM pg_catalog.pg_namespace s
    WHERE ${ownSchema('s.oid')} AND ${ofNoExtension('pg_namespace', 's.oid')}
  UNION ALL SELECT 'TABLE', c.relnamespace, c.relname, c.relowner FROM pg_catalog.pg_class c
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relpersistence <> 't' AND ${ownColumn}
      AND ${ownSchema('c.relnamespace')} AND ${ofNoExtension('pg_class', 'c.oid')}
  UNION ALL SELECT 'ROUTINE', p.pronamespace,
      pg_catalog.quote_ident(p.proname) || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')', p.proowner
    FROM pg_catalog.pg_proc p WHERE ${ownSchema('p.pronamespace')} AND ${ofNoExtension('pg_proc', 'p.oid')}
  UNION ALL SELECT 'TYPE', t.typnamespace, t.typname, t.typowner FROM pg_catalog.pg_type t
    WHERE ${ownType} AND ${ownSchema('t.typnamespace')} AND ${ofNoExtension('pg_type', 't.oid')}
  ${named('COLLATION', 'pg_collation', 'coll')} ${named('CONVERSION', 'pg_conversion', 'con')}
  ${named('STATISTICS', 'pg_statistic_ext', 'stx')} ${named('TEXT SEARCH DICTIONARY', 'pg_ts_dict', 'dict')}
  ${named('TEXT SEARCH CONFIGURATION', 'pg_ts_config', 'cfg')}`

/** OID of pg_parameter_acl, as a number because servers before 15 do not have this catalog. */
const parameterPrivileges = '6243'

/** $1: name of a replication, whose publication and slot are skipped. */
const immovable = `SELECT 'event trigger ' || v.evtname FROM pg_catalog.pg_event_trigger v
    WHERE ${ofNoExtension('pg_event_trigger', 'v.oid')}
  UNION ALL SELECT 'publication ' || p.pubname FROM pg_catalog.pg_publication p WHERE p.pubname <> $1
  UNION ALL SELECT 'subscription ' || s.subname FROM pg_catalog.pg_subscription s, this WHERE s.subdbid = this.oid
  UNION ALL SELECT 'operator ' || o.oprname FROM pg_catalog.pg_operator o, this
    WHERE o.oprowner <> this.datdba AND ${ownSchema('o.oprnamespace')} AND ${ofNoExtension('pg_operator', 'o.oid')}
  UNION ALL SELECT 'operator family ' || f.opfname FROM pg_catalog.pg_opfamily f
    WHERE ${ownSchema('f.opfnamespace')} AND ${ofNoExtension('pg_opfamily', 'f.oid')}
  UNION ALL SELECT 'foreign server ' || s.srvname FROM pg_catalog.pg_foreign_server s
    WHERE ${ofNoExtension('pg_foreign_server', 's.oid')}
  UNION ALL SELECT 'replication slot ' || s.slot_name FROM pg_catalog.pg_replication_slots s
    WHERE NOT s.temporary AND s.slot_name <> $1
  UNION ALL (SELECT 'security labels of ' || l.provider FROM pg_catalog.pg_seclabel l WHERE NOT EXISTS (
      SELECT FROM pg_catalog.pg_depend e WHERE e.classid = l.classoid AND e.objid = l.objoid AND e.deptype = 'e')
    UNION SELECT 'security labels of ' || l.provider FROM pg_catalog.pg_shseclabel l, this
      WHERE l.classoid = 'pg_catalog.pg_authid'::pg_catalog.regclass
        OR (l.classoid = 'pg_catalog.pg_database'::pg_catalog.regclass AND l.objoid = this.oid))
  UNION ALL SELECT DISTINCT 'privileges of ' || r.rolname || ' on parameters' FROM meant r
    JOIN pg_catalog.pg_shdepend p ON p.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass AND p.refobjid = r.oid
    WHERE p.classid = ${parameterPrivileges}`

/** $1: name of a replication, whose role and publication are excluded. */
export const globalsQuestion = `WITH RECURSIVE
  this AS (SELECT d.*, pg_catalog.to_jsonb(d) AS all_columns FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()),
  used(oid) AS (
    SELECT this.datdba FROM this
    UNION SELECT p.refobjid FROM pg_catalog.pg_shdepend p, this
      WHERE p.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass
        AND (p.dbid = this.oid OR (p.classid = 'pg_catalog.pg_database'::pg_catalog.regclass AND p.objid = this.oid))
    UNION SELECT s.setrole FROM pg_catalog.pg_db_role_setting s, this WHERE s.setdatabase = this.oid AND s.setrole <> 0),
  members(oid) AS (SELECT u.oid FROM used u UNION
    SELECT m.member FROM members JOIN pg_catalog.pg_auth_members m ON m.roleid = members.oid),
  reached(oid) AS (SELECT m.oid FROM members m UNION
    SELECT m.roleid FROM reached JOIN pg_catalog.pg_auth_members m ON m.member = reached.oid),
  meant AS (SELECT r.* FROM pg_catalog.pg_authid r
    WHERE r.oid IN (SELECT reached.oid FROM reached) AND r.rolname NOT LIKE 'pg\\_%'
      AND r.oid <> 10 AND r.rolname <> current_user AND r.rolname <> $1),
  owned(sort, namespace, name, owner) AS (${owned})
SELECT pg_catalog.jsonb_build_object(
  'database', (SELECT pg_catalog.jsonb_build_object('name', this.datname, 'oid', this.oid::bigint,
      'owner', pg_catalog.pg_get_userbyid(this.datdba), 'encoding', pg_catalog.pg_encoding_to_char(this.encoding),
      'collate', this.datcollate, 'ctype', this.datctype, 'connectionLimit', this.datconnlimit,
      'localeProvider', COALESCE(this.all_columns ->> 'datlocprovider', 'c')) FROM this),
  'systemIdentifier', (SELECT c.system_identifier::text FROM pg_catalog.pg_control_system() c),
  'roles', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', r.rolname, 'oid', r.oid::bigint,
      'comment', pg_catalog.shobj_description(r.oid, 'pg_authid'), 'canLogin', r.rolcanlogin, 'isSuperuser', r.rolsuper,
      'inherits', r.rolinherit, 'canCreateDatabases', r.rolcreatedb, 'canCreateRoles', r.rolcreaterole,
      'canReplicate', r.rolreplication, 'bypassesRowSecurity', r.rolbypassrls, 'connectionLimit', r.rolconnlimit,
      'validUntil', CASE WHEN r.rolvaliduntil = '-infinity' THEN '-infinity' WHEN r.rolvaliduntil <> 'infinity' THEN
        pg_catalog.to_char(r.rolvaliduntil AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END,
      'verifier', r.rolpassword) ORDER BY r.rolname) FROM meant r),
  'memberships', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('role', g.role, 'member', g.member, 'grantors', '[]'::jsonb,
      'isAdmin', g.is_admin, 'inherits', g.inherits, 'canSet', g.can_set) ORDER BY g.role, g.member)
    FROM (SELECT pg_catalog.pg_get_userbyid(m.roleid) AS role, r.rolname AS member, pg_catalog.bool_or(m.admin_option) AS is_admin,
        pg_catalog.bool_or(COALESCE((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, r.rolinherit)) AS inherits,
        pg_catalog.bool_or(COALESCE((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)) AS can_set
      FROM pg_catalog.pg_auth_members m JOIN meant r ON r.oid = m.member GROUP BY m.roleid, r.rolname) g),
  'settings', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('role', r.rolname,
      'database', CASE WHEN s.setdatabase <> 0 THEN this.datname END, 'text', text) ORDER BY r.rolname, text)
    FROM this, pg_catalog.pg_db_role_setting s LEFT JOIN meant r ON r.oid = s.setrole, pg_catalog.unnest(s.setconfig) text
    WHERE s.setdatabase IN (0, this.oid) AND (r.oid IS NOT NULL OR s.setrole = 0)),
  'grants', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('grantee', g.rolname, 'privilege', x.privilege_type,
      'isGrantable', x.is_grantable) ORDER BY g.rolname, x.privilege_type)
    FROM this, pg_catalog.aclexplode(COALESCE(this.datacl, pg_catalog.acldefault('d', this.datdba))) x
      LEFT JOIN meant g ON g.oid = x.grantee
    WHERE x.grantee <> this.datdba AND (x.grantee = 0 OR g.oid IS NOT NULL)),
  'extensions', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', x.extname, 'schema', s.nspname,
      'hasRows', COALESCE(pg_catalog.cardinality(x.extconfig), 0) > 0) ORDER BY x.oid)
    FROM pg_catalog.pg_extension x JOIN pg_catalog.pg_namespace s ON s.oid = x.extnamespace),
  'owned', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('sort', o.sort, 'schema', COALESCE(s.nspname, ''), 'name', o.name,
      'owner', pg_catalog.pg_get_userbyid(o.owner)) ORDER BY o.sort, s.nspname, o.name)
    FROM owned o LEFT JOIN pg_catalog.pg_namespace s ON s.oid = o.namespace, this WHERE o.owner <> this.datdba),
  'immovable', (SELECT pg_catalog.jsonb_agg(i.name ORDER BY i.name) FROM (${immovable}) i(name)),
  'neighbours', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', d.datname,
      'comment', pg_catalog.shobj_description(d.oid, 'pg_database')) ORDER BY d.datname)
    FROM pg_catalog.pg_database d, this
    WHERE d.oid <> this.oid AND d.datname NOT IN ('postgres', 'template0', 'template1'))) AS answer`

/** Answer of the statement above. Null means an empty list. */
export type GlobalsAnswer = Pick<DatabaseGlobals, 'database' | 'systemIdentifier'> & {
  readonly [List in 'roles' | 'memberships' | 'extensions' | 'owned' | 'immovable' | 'neighbours' | 'grants']:
    | DatabaseGlobals[List]
    | null
} & {
  readonly settings:
    | readonly { readonly role: string | null; readonly database: string | null; readonly text: string }[]
    | null
}
