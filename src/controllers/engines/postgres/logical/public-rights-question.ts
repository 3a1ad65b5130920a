// Statement that reads the privileges of PUBLIC in a database, as differences from PostgreSQL's defaults. It reads only
// catalogs and calls no code of other roles.
import { ofNoExtension, ownSchema } from './contents-questions.ts'

/** Sorted privileges of PUBLIC in an ACL. */
const held = (acl: string) => `COALESCE((SELECT pg_catalog.array_agg(DISTINCT e.privilege_type COLLATE "C")
  FROM pg_catalog.aclexplode(${acl}) e WHERE e.grantee = 0), '{}')`

/** Argument types by name, in order, so that another server resolves the same function. */
const argumentTypes = `(SELECT COALESCE(pg_catalog.json_agg(pg_catalog.json_build_object('schema', tn.nspname,
    'name', COALESCE(te.typname, t.typname), 'isArray', te.oid IS NOT NULL) ORDER BY a.place), '[]')
  FROM pg_catalog.unnest(p.proargtypes) WITH ORDINALITY a (type, place)
  JOIN pg_catalog.pg_type t ON t.oid = a.type
  LEFT JOIN pg_catalog.pg_type te ON te.typarray = t.oid
  JOIN pg_catalog.pg_namespace tn ON tn.oid = COALESCE(te.typnamespace, t.typnamespace))`

/** In 14 the bootstrap superuser owns schema `public`, and the restoring role could not change it. */
const schemas = `SELECT 1 AS turn, 'Schema' AS sort, ''::name AS schema, s.nspname AS name, NULL::json AS types, NULL::name AS col,
    COALESCE(s.nspacl, pg_catalog.acldefault('n', s.nspowner)) AS acl,
    (CASE s.nspname WHEN 'public' THEN '{USAGE}' ELSE '{}' END)::text[] AS usual
  FROM pg_catalog.pg_namespace s WHERE ${ownSchema('s.oid')} AND ${ofNoExtension('pg_namespace', 's.oid')}
    AND (s.nspname <> 'public' OR pg_catalog.current_setting('server_version_num')::int >= 150000)`

const fromTables = `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace`
const ofTables = `c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relpersistence <> 't' AND ${ownSchema('c.relnamespace')}
    AND ${ofNoExtension('pg_class', 'c.oid')}`

const tables = `SELECT 2, CASE c.relkind WHEN 'S' THEN 'Sequence' ELSE 'Table' END, s.nspname, c.relname, NULL, NULL, c.relacl, '{}'
  ${fromTables} WHERE ${ofTables}`

const columns = `SELECT 3, 'Column', s.nspname, c.relname, NULL, o.attname, o.attacl, '{}'
  ${fromTables} JOIN pg_catalog.pg_attribute o ON o.attrelid = c.oid AND NOT o.attisdropped WHERE ${ofTables}`

const functions = `SELECT 4, 'Function', s.nspname, p.proname, ${argumentTypes}, NULL, p.proacl, '{EXECUTE}'
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace s ON s.oid = p.pronamespace
  WHERE p.proacl IS NOT NULL AND ${ownSchema('p.pronamespace')} AND ${ofNoExtension('pg_proc', 'p.oid')}`

const types = `SELECT 5, 'Type', s.nspname, t.typname, NULL, NULL, t.typacl, '{USAGE}'
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace s ON s.oid = t.typnamespace
  WHERE (t.typtype IN ('b', 'e', 'd', 'r') OR EXISTS (SELECT FROM pg_catalog.pg_class c
      WHERE c.oid = t.typrelid AND c.relkind = 'c'))
    AND ${ownSchema('t.typnamespace')} AND ${ofNoExtension('pg_type', 't.oid')}`

/** Per-schema defaults are added to the global ones and cannot revoke them. */
const defaults = `SELECT
    CASE a.defaclobjtype WHEN 'r' THEN 'Table' WHEN 'S' THEN 'Sequence' WHEN 'f' THEN 'Function' WHEN 'T' THEN 'Type'
      WHEN 'n' THEN 'Schema' END AS sort,
    COALESCE(s.nspname, '') AS schema, ${held('a.defaclacl')} AS privileges,
    (CASE WHEN a.defaclnamespace <> 0 THEN '{}' WHEN a.defaclobjtype = 'f' THEN '{EXECUTE}'
      WHEN a.defaclobjtype = 'T' THEN '{USAGE}' ELSE '{}' END)::text[] AS usual
  FROM pg_catalog.pg_default_acl a LEFT JOIN pg_catalog.pg_namespace s ON s.oid = a.defaclnamespace
  WHERE a.defaclobjtype IN ('r', 'S', 'f', 'T', 'n')
    AND a.defaclrole = (SELECT d.datdba FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
    AND (a.defaclnamespace = 0 OR ${ownSchema('a.defaclnamespace')})`

export const publicRightsQuestion = `SELECT pg_catalog.json_strip_nulls(pg_catalog.json_build_object(
  'objects', COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object('on', o.sort, 'schema', o.schema, 'name', o.name,
      'arguments', o.types, 'column', o.col, 'privileges', o.privileges)
      ORDER BY o.turn, o.sort, o.schema COLLATE "C", o.name COLLATE "C", o.types::text COLLATE "C", o.col COLLATE "C")
    FROM (SELECT r.*, ${held('r.acl')} AS privileges
      FROM (${schemas} UNION ALL ${tables} UNION ALL ${columns} UNION ALL ${functions} UNION ALL ${types}) r
      WHERE r.acl IS NOT NULL) o
    WHERE o.privileges <> o.usual), '[]'),
  'defaults', COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object('on', o.sort, 'schema', o.schema,
      'privileges', o.privileges) ORDER BY o.sort, o.schema COLLATE "C")
    FROM (${defaults}) o WHERE o.privileges <> o.usual), '[]'))) AS answer`
