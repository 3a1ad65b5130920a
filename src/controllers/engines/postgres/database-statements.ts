// SQL that creates, changes and drops a database, and SQL that changes its contents.
import type { ContentChange, DatabaseChange } from '../change.ts'
import type { DesiredDatabase } from '../engine.ts'
import { createExtension, moveExtension, updateExtension } from './extension-statements.ts'
import { localeOptions } from './locale-options.ts'
import { markOf } from './mark.ts'
import { adoptMarks } from './migration/marker-schema.ts'
import { commaList, identifier, integer, literal, type Sql, sql, words } from './sql-text.ts'

/** Uses template0, because it allows a choice of encoding and locale, and contains no objects of users. */
export function createDatabaseStatement(wish: DesiredDatabase, majorVersion: number): Sql {
  const { name, owner, encoding, connectionLimit } = wish
  return words(
    sql`CREATE DATABASE ${identifier(name)} OWNER ${identifier(owner)} TEMPLATE template0`,
    sql`ENCODING ${literal(encoding ?? 'UTF8')}`,
    ...localeOptions(wish, majorVersion),
    connectionLimit === undefined ? undefined : sql`CONNECTION LIMIT ${integer(connectionLimit)}`,
  )
}

/**
 * Sets the ownership marker only if the database has no comment. A comment belongs to a database of this name that
 * another client has created meanwhile.
 */
export function firstMarkStatement({ name, token }: Pick<DesiredDatabase, 'name' | 'token'>): Sql {
  const block = sql`BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_database d
        WHERE d.datname = ${literal(name)} AND pg_catalog.shobj_description(d.oid, 'pg_database') IS NOT NULL) THEN
      COMMENT ON DATABASE ${identifier(name)} IS ${literal(markOf(token))};
    END IF;
  END`
  return sql`DO ${literal(block)}`
}

/** Clears the template flag first: PostgreSQL drops no template, and the database's owner may have made it one. */
export function dropDatabaseStatements(database: string, force: 'force' | 'wait'): readonly Sql[] {
  const block = sql`BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_database d WHERE d.datname = ${literal(database)} AND d.datistemplate) THEN
      ALTER DATABASE ${identifier(database)} IS_TEMPLATE false;
    END IF;
  END`
  const statement = sql`DROP DATABASE IF EXISTS ${identifier(database)}`
  return [sql`DO ${literal(block)}`, force === 'force' ? sql`${statement} WITH (FORCE)` : statement]
}

export function databaseStatements(change: DatabaseChange): readonly Sql[] {
  const database = identifier(change.database)
  switch (change.kind) {
    case 'setDatabaseOwner':
      return [sql`ALTER DATABASE ${database} OWNER TO ${identifier(change.owner)}`]
    case 'markDatabase':
      return [sql`COMMENT ON DATABASE ${database} IS ${literal(markOf(change.token, change.succession))}`]
    case 'expectDatabase':
      return [expectation(change)]
    case 'limitConnections':
      return [sql`ALTER DATABASE ${database} CONNECTION LIMIT ${integer(change.connectionLimit)}`]
    case 'allowConnections':
      return [sql`ALTER DATABASE ${database} ALLOW_CONNECTIONS ${change.allows ? sql`true` : sql`false`}`]
    case 'resetTemplate':
      return [sql`ALTER DATABASE ${database} IS_TEMPLATE false`]
    case 'hardenDatabase':
      return [sql`REVOKE CONNECT, TEMPORARY ON DATABASE ${database} FROM PUBLIC`]
    case 'renameDatabase':
      return [sql`ALTER DATABASE ${database} RENAME TO ${identifier(change.to)}`]
  }
}

function expectation({ database, oid }: Extract<DatabaseChange, { readonly kind: 'expectDatabase' }>): Sql {
  const message = literal(`another database than before, or none, is called ${JSON.stringify(database)}`)
  const block = sql`BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_database d WHERE d.datname = ${literal(database)} AND d.oid = ${integer(oid)}) THEN
      RAISE EXCEPTION USING ERRCODE = 'invalid_catalog_name', MESSAGE = ${message};
    END IF;
  END`
  return sql`DO ${literal(block)}`
}

export function contentStatements(change: ContentChange): readonly Sql[] {
  switch (change.kind) {
    case 'createExtension':
      return [createExtension(change)]
    case 'updateExtension':
      return [updateExtension(change)]
    case 'moveExtension':
      return [moveExtension(change)]
    case 'dropExtension':
      return [sql`DROP EXTENSION IF EXISTS ${identifier(change.extension)}`]
    case 'fillExtensions':
      return change.extensions.length === 0 ? [] : [fillExtensions(change)]
    case 'createSchema':
      return [sql`CREATE SCHEMA IF NOT EXISTS ${identifier(change.schema)} AUTHORIZATION ${identifier(change.owner)}`]
    case 'setSchemaOwner':
      return [sql`ALTER SCHEMA ${identifier(change.schema)} OWNER TO ${identifier(change.owner)}`]
    case 'dropSchema':
      return [sql`DROP SCHEMA IF EXISTS ${identifier(change.schema)}`]
    case 'hardenSchema':
      return [sql`REVOKE CREATE ON SCHEMA ${identifier(change.schema)} FROM PUBLIC`]
    case 'reassignOwned':
      return [sql`REASSIGN OWNED BY ${identifier(change.role)} TO ${identifier(change.to)}`]
    case 'dropOwned':
      return [sql`DROP OWNED BY ${identifier(change.role)}`]
    case 'adoptMarks':
      return [adoptMarks(change.role)]
  }
}

/**
 * Grants INSERT on the tables that `pg_extension_config_dump` names, UPDATE on such sequences, and USAGE on their
 * schemas. Skips privileges that the role already has, because possibly only another role can grant them.
 */
function fillExtensions({ role, extensions }: Extract<ContentChange, { readonly kind: 'fillExtensions' }>): Sql {
  const extensionRows = sql`FROM (SELECT pg_catalog.unnest(e.extconfig) AS oid FROM pg_catalog.pg_extension e
          WHERE e.extname IN (${commaList(extensions.map(literal))})) x
        JOIN pg_catalog.pg_class c ON c.oid = x.oid`
  const block = sql`DECLARE granted pg_catalog.text; BEGIN
    FOR granted IN
      SELECT DISTINCT pg_catalog.format('USAGE ON SCHEMA %s', n.oid::pg_catalog.regnamespace) ${extensionRows}
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE NOT pg_catalog.has_schema_privilege(${literal(role)}, n.oid, 'USAGE')
      UNION ALL SELECT pg_catalog.format(CASE c.relkind WHEN 'S' THEN 'UPDATE ON SEQUENCE %s' ELSE 'INSERT ON TABLE %s' END,
          c.oid::pg_catalog.regclass) ${extensionRows}
        WHERE NOT pg_catalog.has_table_privilege(${literal(role)}, c.oid, CASE c.relkind WHEN 'S' THEN 'UPDATE' ELSE 'INSERT' END)
    LOOP EXECUTE pg_catalog.format('GRANT %s TO %I', granted, ${literal(role)}); END LOOP;
  END`
  return sql`DO ${literal(block)}`
}
