// SQL that copies the globals of a database to another server.
import { EngineError } from '../../engine-error.ts'
import { type GlobalChange, type GlobalRole, type GlobalSetting, ownedSorts } from '../../globals.ts'
import { privilegesOn } from '../grant-statements.ts'
import { settingText } from '../role-setting.ts'
import { isScramVerifier } from '../scram.ts'
import { identifier, integer, keyword, literal, qualified, type Sql, signature, sql, words } from '../sql-text.ts'
import { ledgerText } from './ledger.ts'

export function globalStatements(change: GlobalChange): readonly Sql[] {
  switch (change.kind) {
    case 'copyRole': {
      const { as, comment } = change
      const name = identifier(change.role)
      const create = words(sql`CREATE ROLE ${name} NOLOGIN`, ...attributes(as))
      return comment === null ? [create] : [create, sql`COMMENT ON ROLE ${name} IS ${literal(comment)}`]
    }
    case 'copySetting':
      return [sql`${whose(change.setting)} SET ${settingText(change.setting.name, change.setting.value)}`]
    case 'resetSettings':
      return [sql`ALTER ROLE ALL RESET ALL`]
    case 'copyDatabaseGrant': {
      const role = change.grantee === null ? sql`PUBLIC` : identifier(change.grantee)
      const grant = sql`GRANT ${keyword(change.privilege, privilegesOn.Database)} ON DATABASE ${identifier(change.database)} TO ${role}`
      return [change.isGrantable ? sql`${grant} WITH GRANT OPTION` : grant]
    }
    case 'noteRoles':
      return [sql`COMMENT ON ROLE ${identifier(change.role)} IS ${literal(ledgerText(change))}`]
    case 'setOwner':
      return [
        sql`ALTER ${keyword(change.sort, ownedSorts)} ${ownedObject(change)} OWNER TO ${identifier(change.owner)}`,
      ]
  }
}

function whose({ role, database }: GlobalSetting): Sql {
  if (role === undefined && database !== undefined) return sql`ALTER DATABASE ${identifier(database)}`
  const alter = role === undefined ? sql`ALTER ROLE ALL` : sql`ALTER ROLE ${identifier(role)}`
  return database === undefined ? alter : sql`${alter} IN DATABASE ${identifier(database)}`
}

function ownedObject({ sort, schema, name }: Extract<GlobalChange, { readonly kind: 'setOwner' }>): Sql {
  if (sort === 'SCHEMA') return identifier(name)
  return sort === 'ROUTINE' ? signature(schema, name) : qualified(schema, name)
}

function attributes(role: GlobalRole): readonly (Sql | undefined)[] {
  return [
    role.isSuperuser ? sql`SUPERUSER` : undefined,
    role.inherits ? undefined : sql`NOINHERIT`,
    role.canCreateDatabases ? sql`CREATEDB` : undefined,
    role.canCreateRoles ? sql`CREATEROLE` : undefined,
    role.canReplicate ? sql`REPLICATION` : undefined,
    role.bypassesRowSecurity ? sql`BYPASSRLS` : undefined,
    role.connectionLimit === -1 ? undefined : sql`CONNECTION LIMIT ${integer(role.connectionLimit)}`,
    role.validUntil === null ? undefined : sql`VALID UNTIL ${literal(role.validUntil)}`,
    role.verifier === null ? undefined : sql`PASSWORD ${literal(stored(role.name, role.verifier))}`,
  ]
}

/**
 * Returns the verifier. Throws StatementFailed for any other text, which a server would take for a clear-text password
 * (I11).
 */
function stored(name: string, verifier: string): string {
  if (isScramVerifier(verifier) || /^md5[0-9a-f]{32}$/.test(verifier)) return verifier
  const message = `the password of role ${JSON.stringify(name)} is kept in a form that nobody here knows; give it a new one`
  throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}
