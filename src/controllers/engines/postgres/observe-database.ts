// Observation of one database: one statement for its extensions and schemas, and one for privileges. Both answer in
// JSON.
import { EngineError } from '../engine-error.ts'
import type { DefaultGrant, GrantGroup, GrantQuestion, ObservedGrants } from '../grant.ts'
import type { ObservedContents, ObservedExtension, ObservedSchema } from '../observed-server.ts'
import { type JsonQuestion, namesOf } from './observe-server.ts'

export const contentsQuestion: JsonQuestion = {
  text: `pg_catalog.jsonb_build_object(
    'extensions', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', e.extname, 'version', e.extversion,
        'schema', n.nspname, 'isRelocatable', e.extrelocatable) ORDER BY e.extname)
      FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace),
    'schemas', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', n.nspname,
        'owner', pg_catalog.pg_get_userbyid(n.nspowner),
        'publicPrivileges', COALESCE((SELECT pg_catalog.jsonb_agg(DISTINCT x.privilege_type)
          FROM pg_catalog.aclexplode(n.nspacl) x WHERE x.grantee = 0), '[]')) ORDER BY n.nspname)
      FROM pg_catalog.pg_namespace n WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'))`,
  values: [],
}

/** Answer of the statement above. Null means an empty list. */
export interface ContentsAnswer {
  readonly extensions: readonly ObservedExtension[] | null
  readonly schemas: readonly ObservedSchema[] | null
}

export function contentsOf({ extensions, schemas }: ContentsAnswer): ObservedContents {
  return { extensions: extensions ?? [], schemas: schemas ?? [] }
}

export function grantsQuestion({ roles, schemas, creators = [] }: GrantQuestion): JsonQuestion {
  return {
    text: grantsText,
    values: [JSON.stringify(roles), JSON.stringify(schemas), JSON.stringify([...roles, ...creators])],
  }
}

/** For tables, sequences and functions. An extension does not define privileges on schemas. */
const isOfExtension = (catalog: 'pg_class' | 'pg_proc', oid: string) => `EXISTS (SELECT FROM pg_catalog.pg_depend d
          WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype = 'e')`

/**
 * Objects without an ACL belong to their owner alone. The statement reads them only in the requested schemas. It skips
 * the others early, because every database has thousands of system objects. Writing the names of those functions took
 * nearly all of the time. It expands only ACLs of listed objects and ACLs with a requested role, once for each role.
 * `oidvectortypes` and `quote_ident` write a function in the form that a statement needs. Long parts are text:
 * PostgreSQL 18 takes 2 s for 9 MB of `jsonb`. Names are in byte order, because other collations compare long
 * signatures to their ends.
 */
const grantsText = `(
  WITH asked AS (SELECT r.oid, r.rolname FROM pg_catalog.pg_roles r WHERE r.rolname = ANY (${namesOf('$1')})),
  listed AS (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = ANY (${namesOf('$2')})),
  things(kind, schema, parent, name, owner, acl, is_listed, is_of_extension) AS (
    SELECT 'Database', '', '', d.datname::text, d.datdba, d.datacl, true, false
      FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
    UNION ALL SELECT 'Schema', '', '', n.nspname, n.nspowner, n.nspacl, n.oid IN (SELECT l.oid FROM listed l), false
      FROM pg_catalog.pg_namespace n
      WHERE n.nspacl IS NOT NULL OR n.oid IN (SELECT l.oid FROM listed l)
    UNION ALL SELECT CASE c.relkind WHEN 'S' THEN 'Sequence' ELSE 'Table' END, n.nspname, '', c.relname, c.relowner, c.relacl,
        c.relnamespace IN (SELECT l.oid FROM listed l), ${isOfExtension('pg_class', 'c.oid')}
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        AND (c.relacl IS NOT NULL OR c.relnamespace IN (SELECT l.oid FROM listed l))
    UNION ALL SELECT 'Function', n.nspname, '',
        pg_catalog.quote_ident(p.proname) || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')', p.proowner, p.proacl,
        p.pronamespace IN (SELECT l.oid FROM listed l), ${isOfExtension('pg_proc', 'p.oid')}
      FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE p.proacl IS NOT NULL OR p.pronamespace IN (SELECT l.oid FROM listed l)
    UNION ALL SELECT 'Column', n.nspname, c.relname, t.attname, c.relowner, t.attacl, false, false
      FROM pg_catalog.pg_attribute t JOIN pg_catalog.pg_class c ON c.oid = t.attrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE t.attacl IS NOT NULL AND NOT t.attisdropped),
  of_interest AS MATERIALIZED (SELECT t.* FROM things t WHERE t.is_listed OR EXISTS (
      SELECT FROM pg_catalog.aclexplode(t.acl) e WHERE e.grantee IN (SELECT a.oid FROM asked a))),
  held AS (
    SELECT a.rolname AS role, t.kind, t.schema, t.parent, t.name, t.owner = a.oid AS is_owner,
        COALESCE(x.privileges, '[]') AS privileges, COALESCE(x.grantable, '[]') AS grantable,
        COALESCE(x.passed_on, '[]') AS passed_on, t.is_of_extension
      FROM asked a CROSS JOIN of_interest t LEFT JOIN LATERAL (
        SELECT pg_catalog.jsonb_agg(DISTINCT e.privilege_type) AS privileges,
            pg_catalog.jsonb_agg(DISTINCT e.privilege_type) FILTER (WHERE e.is_grantable) AS grantable,
            pg_catalog.jsonb_agg(DISTINCT pg_catalog.jsonb_build_object('grantor', pg_catalog.pg_get_userbyid(e.grantor),
              'privilege', e.privilege_type)) FILTER (WHERE e.grantor <> t.owner) AS passed_on
          FROM pg_catalog.aclexplode(t.acl) e WHERE e.grantee = a.oid) x ON true
      WHERE (t.is_listed AND NOT t.is_of_extension) OR (x.privileges IS NOT NULL AND t.owner <> a.oid))
  SELECT pg_catalog.json_build_object(
    'majorVersion', pg_catalog.current_setting('server_version_num')::int / 10000,
    'roles', (SELECT pg_catalog.jsonb_agg(r.rolname) FROM pg_catalog.pg_roles r WHERE r.rolname = ANY (${namesOf('$3')})),
    'schemas', (SELECT pg_catalog.jsonb_agg(n.nspname) FROM pg_catalog.pg_namespace n WHERE n.nspname = ANY (${namesOf('$2')})),
    'groups', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('role', g.role, 'on', g.kind, 'schema', g.schema,
        'table', g.parent, 'names', g.names, 'privileges', g.privileges, 'grantable', g.grantable, 'passedOn', g.passed_on,
        'isOwner', g.is_owner, 'isOfExtension', g.is_of_extension))
      FROM (SELECT h.role, h.kind, h.schema, h.parent, h.is_owner, h.is_of_extension, h.privileges, h.grantable, h.passed_on,
          pg_catalog.json_agg(h.name ORDER BY h.name COLLATE pg_catalog."C") AS names
        FROM held h
        GROUP BY h.role, h.kind, h.schema, h.parent, h.is_owner, h.is_of_extension, h.privileges, h.grantable, h.passed_on
        ORDER BY h.role, h.kind, h.schema, h.parent, h.privileges) g),
    'defaults', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('role', f.role, 'creator', f.creator,
        'schema', f.schema, 'on', f.kind, 'privileges', f.privileges))
      FROM (SELECT a.rolname AS role, pg_catalog.pg_get_userbyid(d.defaclrole) AS creator, COALESCE(n.nspname, '') AS schema,
          CASE d.defaclobjtype WHEN 'r' THEN 'Table' WHEN 'S' THEN 'Sequence' WHEN 'f' THEN 'Function'
            WHEN 'T' THEN 'Type' ELSE 'Schema' END AS kind,
          pg_catalog.jsonb_agg(DISTINCT e.privilege_type) AS privileges
        FROM pg_catalog.pg_default_acl d LEFT JOIN pg_catalog.pg_namespace n ON n.oid = d.defaclnamespace,
          pg_catalog.aclexplode(d.defaclacl) e JOIN asked a ON a.oid = e.grantee
        WHERE d.defaclrole <> e.grantee AND d.defaclobjtype IN ('r', 'S', 'f', 'T', 'n')
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4) f)))`

/** Answer of the statement above. Null means an empty list. */
export interface GrantsAnswer {
  readonly majorVersion: number
  readonly roles: readonly string[] | null
  readonly schemas: readonly string[] | null
  readonly groups: readonly GrantGroup[] | null
  readonly defaults: readonly DefaultGrant[] | null
}

/** An object has at most eight privileges, and a role holds few of them from grantors other than the owner. */
const grantLimits = { privileges: 64, passedOn: 10_000 } as const

/** Throws StatementFailed for more privileges than a PostgreSQL server lists. */
export function grantsOf({ majorVersion, roles, schemas, groups, defaults }: GrantsAnswer): ObservedGrants {
  const lists = [
    ...(groups ?? []).flatMap((group) => [group.privileges, group.grantable]),
    ...(defaults ?? []).map(({ privileges }) => privileges),
  ]
  const passedOn = (groups ?? []).reduce((sum, group) => sum + (group.passedOn?.length ?? 0), 0)
  if (lists.some(({ length }) => length > grantLimits.privileges))
    throw excess('privileges of one object', grantLimits.privileges)
  if (passedOn > grantLimits.passedOn) throw excess('privileges that others have passed on', grantLimits.passedOn)
  return {
    majorVersion,
    roles: roles ?? [],
    schemas: schemas ?? [],
    groups: groups ?? [],
    defaults: defaults ?? [],
  }
}

function excess(what: string, limit: number): EngineError {
  const message = `the server's answer about a role has more than ${limit} ${what}; REVOKE or RESET those that no DatabaseUser asks for`
  return new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}
