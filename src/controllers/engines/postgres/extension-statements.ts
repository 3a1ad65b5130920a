// SQL that installs and updates extensions. Invariant: the admin runs the script of an untrusted extension only if
// every schema on its search path is safe. A safe schema belongs to the admin or a superuser; no other role may create
// objects in it or owns objects in it. Source: PostgreSQL, "Security Considerations for Extensions", and CREATE
// EXTENSION on `trusted`: a role that may create objects in the database runs a trusted script itself.
import type { ContentChange } from '../change.ts'
import { identifier, literal, type Sql, sql } from './sql-text.ts'

type Of<Kind extends ContentChange['kind']> = Extract<ContentChange, { readonly kind: Kind }>

/** SQLSTATE that only konverge raises: PostgreSQL has no class KV. */
export const unsafeSchemaState = 'KV002'

/** Does nothing if the extension exists. Creates a named schema that does not exist; the admin owns it. */
export function createExtension({ extension, version, schema, isFresh = false }: Of<'createExtension'>): Sql {
  const [name, wanted] = [literal(extension), schema === undefined ? sql`NULL` : literal(schema)]
  return asBlock(sql`
    IF EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname = ${name}) THEN RETURN; END IF;
    SELECT v.trusted, v.relocatable, v.schema::pg_catalog.text AS fixed, v.requires INTO control ${controlFile(name, version)};
    home := COALESCE(control.fixed, ${wanted}, 'public');
    options := ${version === undefined ? sql`''` : sql`pg_catalog.format(' VERSION %L', ${literal(version)}::pg_catalog.text)`};
    ${schema === undefined ? sql`` : makeSchema(identifier(schema))}
    ${searchUnsafe(sql`control.requires`, isFresh)}
    IF control.fixed IS NOT NULL THEN EXECUTE pg_catalog.format('CREATE EXTENSION %I', ${name}) || options;
    ELSIF beside IS NULL THEN EXECUTE pg_catalog.format('CREATE EXTENSION %I SCHEMA %I', ${name}, home) || options;
    ELSE
      EXECUTE pg_catalog.format('CREATE SCHEMA %I', beside);
      EXECUTE pg_catalog.format('CREATE EXTENSION %I SCHEMA %I', ${name}, beside) || options;
      EXECUTE pg_catalog.format('ALTER EXTENSION %I SET SCHEMA %I', ${name}, home);
      EXECUTE pg_catalog.format('DROP SCHEMA %I', beside);
    END IF;`)
}

export function updateExtension({ extension, version }: Of<'updateExtension'>): Sql {
  const [name, to] = [literal(extension), literal(version)]
  return asBlock(sql`
    SELECT v.trusted, v.relocatable, v.schema::pg_catalog.text AS fixed, v.requires INTO control ${controlFile(name, version)};
    SELECT n.nspname INTO home FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
      WHERE e.extname = ${name};
    options := pg_catalog.format('ALTER EXTENSION %I UPDATE TO %L', ${name}, ${to}::pg_catalog.text);
    ${searchUnsafe(sql`control.requires`, false)}
    IF beside IS NULL THEN EXECUTE options;
    ELSE
      EXECUTE pg_catalog.format('CREATE SCHEMA %I', beside);
      EXECUTE pg_catalog.format('ALTER EXTENSION %I SET SCHEMA %I', ${name}, beside);
      EXECUTE options;
      EXECUTE pg_catalog.format('ALTER EXTENSION %I SET SCHEMA %I', ${name}, home);
      EXECUTE pg_catalog.format('DROP SCHEMA %I', beside);
    END IF;`)
}

/** Creates a missing schema. Runs no script of the extension. */
export function moveExtension({ extension, schema }: Of<'moveExtension'>): Sql {
  const move = sql`ALTER EXTENSION ${identifier(extension)} SET SCHEMA ${identifier(schema)}`
  return asBlock(sql`${makeSchema(identifier(schema))} ${move};`)
}

/**
 * Wraps statements in one DO block. `beside`: a schema with a random name that no role can foresee; the script runs in
 * it instead of `home`.
 */
function asBlock(body: Sql): Sql {
  const block = sql`DECLARE
    control pg_catalog.record; home pg_catalog.text; options pg_catalog.text; place pg_catalog.text; beside pg_catalog.text; why pg_catalog.text;
  BEGIN ${body} END`
  return sql`DO ${literal(block)}`
}

function controlFile(name: Sql, version: string | undefined): Sql {
  const of =
    version === undefined
      ? sql`(SELECT a.default_version FROM pg_catalog.pg_available_extensions a WHERE a.name = ${name})`
      : literal(version)
  return sql`FROM pg_catalog.pg_available_extension_versions v WHERE v.name = ${name} AND v.version = ${of}`
}

/** Creates the schema if it is missing. All roles may use its objects, as in `public`. */
function makeSchema(schema: Sql): Sql {
  const name = literal(schema)
  return sql`IF pg_catalog.to_regnamespace(${name}) IS NULL THEN
      CREATE SCHEMA ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC;
    END IF;`
}

/**
 * Raises `unsafeSchemaState` if the script may not run. With `isFresh`, only the admin has used the database, so that
 * only the objects in the schemas count. A missing extension or version is not an error here; its own statement fails
 * later.
 */
function searchUnsafe(requires: Sql, isFresh: boolean): Sql {
  return sql`
    IF control.trusted IS FALSE THEN
      FOR place IN SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
          WHERE e.extname = ANY (${requires}) AND n.nspname <> home UNION ALL SELECT home LOOP
        why := ${unsafe(sql`place`, isFresh)};
        CONTINUE WHEN why IS NULL;
        IF place = home AND control.relocatable AND control.fixed IS NULL AND NOT EXISTS (SELECT FROM pg_catalog.pg_extension e
            JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = ANY (${requires}) AND n.nspname = home) THEN
          beside := '_konverge_' || pg_catalog.md5(pg_catalog.random()::pg_catalog.text || pg_catalog.clock_timestamp()::pg_catalog.text);
        ELSE
          RAISE EXCEPTION USING ERRCODE = ${literal(unsafeSchemaState)}, MESSAGE = pg_catalog.format(
            'schema %s %s, and a script that PostgreSQL does not call trusted would find its objects with the rights of %s; '
            || 'set spec.extensions[].schema, also of what it requires, to a schema that does not exist: the operator makes it', place, why, CURRENT_USER);
        END IF;
      END LOOP;
    END IF;`
}

/** Reason why the script must not use a schema. Null: the schema is safe, or does not exist. */
function unsafe(place: Sql, isFresh: boolean): Sql {
  const rights = sql`
    WHEN NOT ${isSafe(sql`n.nspowner`)} THEN 'belongs to ' || pg_catalog.pg_get_userbyid(n.nspowner)
    WHEN EXISTS (SELECT FROM pg_catalog.aclexplode(n.nspacl) x WHERE x.privilege_type = 'CREATE' AND NOT ${isSafe(sql`x.grantee`)})
      THEN 'lets ' || (SELECT pg_catalog.string_agg(COALESCE(g.rolname, 'everybody'), ', ' ORDER BY g.rolname)
        FROM pg_catalog.aclexplode(n.nspacl) x LEFT JOIN pg_catalog.pg_roles g ON g.oid = x.grantee
        WHERE x.privilege_type = 'CREATE' AND NOT ${isSafe(sql`x.grantee`)}) || ' create'`
  return sql`(SELECT CASE ${isFresh ? sql`` : rights}
      WHEN o.owner IS NOT NULL THEN 'has objects of ' || pg_catalog.pg_get_userbyid(o.owner) END
    FROM pg_catalog.pg_namespace n LEFT JOIN LATERAL (SELECT t.owner FROM (
        SELECT p.proowner AS owner FROM pg_catalog.pg_proc p WHERE p.pronamespace = n.oid
        UNION SELECT p.oprowner FROM pg_catalog.pg_operator p WHERE p.oprnamespace = n.oid
        UNION SELECT y.typowner FROM pg_catalog.pg_type y WHERE y.typnamespace = n.oid
        UNION SELECT c.relowner FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid
        UNION SELECT l.collowner FROM pg_catalog.pg_collation l WHERE l.collnamespace = n.oid
        UNION SELECT v.conowner FROM pg_catalog.pg_conversion v WHERE v.connamespace = n.oid
        UNION SELECT s.cfgowner FROM pg_catalog.pg_ts_config s WHERE s.cfgnamespace = n.oid
        UNION SELECT s.dictowner FROM pg_catalog.pg_ts_dict s WHERE s.dictnamespace = n.oid
        UNION SELECT f.opcowner FROM pg_catalog.pg_opclass f WHERE f.opcnamespace = n.oid
        UNION SELECT f.opfowner FROM pg_catalog.pg_opfamily f WHERE f.opfnamespace = n.oid) t
      WHERE NOT ${isSafe(sql`t.owner`)} LIMIT 1) o ON true
    WHERE n.nspname = ${place})`
}

/** True for the admin and for superusers: neither needs a script to gain rights. */
function isSafe(role: Sql): Sql {
  return sql`EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = ${role} AND (r.rolsuper OR r.rolname = CURRENT_USER))`
}
