// SQL that changes a role: a list of statements for each change, by the server's version and the admin's rights.
import type { RoleAttributes, RoleChange, RoleIdentity } from '../change.ts'
import { EngineError } from '../engine-error.ts'
import { markOf } from './mark.ts'
import { settingName, settingText } from './role-setting.ts'
import { isScramVerifier } from './scram.ts'
import type { SessionFacts } from './session-facts.ts'
import { identifier, integer, literal, type Sql, sql, words } from './sql-text.ts'

export function roleStatements(change: RoleChange, facts: SessionFacts): readonly Sql[] {
  const role = identifier(change.role)
  switch (change.kind) {
    case 'createRole':
      return [
        words(sql`CREATE ROLE ${role}`, ...attributeWords(change.attributes)),
        markStatement(change),
        ...joinStatements(role, facts),
      ]
    case 'alterRole': {
      const attributes = attributeWords(change.attributes)
      return attributes.length === 0 ? [] : [words(sql`ALTER ROLE ${role}`, ...attributes)]
    }
    case 'renameRole':
      return [sql`ALTER ROLE ${role} RENAME TO ${identifier(change.to)}`]
    case 'markRole':
      return [markStatement(change)]
    case 'joinRole':
      return joinStatements(role, facts)
    case 'grantMembership':
      return [words(sql`GRANT ${role} TO ${identifier(change.member)}`, membershipOptions(change, facts))]
    case 'revokeMembership':
      return revokeMembership(change, facts)
    case 'setRoleSetting':
      return [settingStatement(change, role)]
    case 'resetRoleSetting':
      return [sql`${alterIn(role, change.database)} RESET ${settingName(change.name)}`]
    case 'expectRole':
      return [expectation(change.role, change.is)]
    case 'dropRole':
      return [sql`DROP ROLE IF EXISTS ${role}`]
  }
}

/**
 * Runs as the role, which may change its own settings. It gets no setting that only a superuser may set. The role
 * cannot store a setting with a dot that no module has claimed. For such a setting, the role tries SET LOCAL, and the
 * admin stores it. Sent as one text.
 */
function settingStatement(
  { name, value, database }: Extract<RoleChange, { readonly kind: 'setRoleSetting' }>,
  role: Sql,
): Sql {
  const [become, leave] = [sql`SET LOCAL ROLE ${role}`, sql`SET LOCAL ROLE NONE`]
  const text = settingText(name, value)
  const set = sql`${alterIn(role, database)} SET ${text}`
  return name.includes('.') ? sql`${become}; SET LOCAL ${text}; ${leave}; ${set}` : sql`${become}; ${set}; ${leave}`
}

/** Locks the row until the transaction ends, so that a client that drops the role waits. */
function expectation(role: string, is: RoleIdentity): Sql {
  const message = literal(`another role than before, or none, is called ${JSON.stringify(role)}`)
  const identity =
    'oid' in is
      ? sql`r.oid = ${integer(is.oid)} AND r.rolcanlogin = ${is.canLogin ? sql`true` : sql`false`}`
      : sql`r.rolpassword = ${literal(verifierOf(is.verifier))}`
  const block = sql`BEGIN
    PERFORM FROM pg_catalog.pg_authid r WHERE r.rolname = ${literal(role)} AND ${identity} FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'undefined_object', MESSAGE = ${message};
    END IF;
  END`
  return sql`DO ${literal(block)}`
}

function markStatement({ role, token }: Extract<RoleChange, { readonly kind: 'createRole' | 'markRole' }>): Sql {
  return sql`COMMENT ON ROLE ${identifier(role)} IS ${literal(markOf(token))}`
}

/**
 * A superuser needs no membership. Since PostgreSQL 16, the creator of a role may grant it, but is not yet a member.
 */
function joinStatements(role: Sql, { isSuperuser, majorVersion }: SessionFacts): readonly Sql[] {
  if (isSuperuser) return []
  return [
    majorVersion < 16
      ? sql`GRANT ${role} TO CURRENT_USER`
      : sql`GRANT ${role} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE`,
  ]
}

function attributeWords(attributes: RoleAttributes): readonly Sql[] {
  const { canLogin, inherits, canCreateDatabases, canCreateRoles, canReplicate } = attributes
  const { connectionLimit, validUntil, verifier } = attributes
  const flag = (value: boolean | undefined, yes: Sql, no: Sql): readonly Sql[] =>
    value === undefined ? [] : [value ? yes : no]
  return [
    ...flag(canLogin, sql`LOGIN`, sql`NOLOGIN`),
    ...flag(inherits, sql`INHERIT`, sql`NOINHERIT`),
    ...flag(canCreateDatabases, sql`CREATEDB`, sql`NOCREATEDB`),
    ...flag(canCreateRoles, sql`CREATEROLE`, sql`NOCREATEROLE`),
    ...flag(canReplicate, sql`REPLICATION`, sql`NOREPLICATION`),
    ...(connectionLimit === undefined ? [] : [sql`CONNECTION LIMIT ${integer(connectionLimit)}`]),
    ...(validUntil === undefined ? [] : [sql`VALID UNTIL ${literal(validUntil ?? 'infinity')}`]),
    ...(verifier === undefined ? [] : [passwordWords(verifier)]),
    ...(attributes.isSuperuser === undefined ? [] : [sql`NOSUPERUSER`]),
    ...(attributes.bypassesRowSecurity === undefined ? [] : [sql`NOBYPASSRLS`]),
  ]
}

function passwordWords(verifier: string | null): Sql {
  return verifier === null ? sql`PASSWORD NULL` : sql`PASSWORD ${literal(verifierOf(verifier))}`
}

/** Returns the verifier. Throws for any other text, which the server would receive as a clear-text password (I11). */
function verifierOf(text: string): string {
  if (isScramVerifier(text)) return text
  const message = 'what was to be stored as a password is no SCRAM verifier, and was not sent'
  throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}

function membershipOptions(
  { isAdmin, inherits, canSet }: Extract<RoleChange, { readonly kind: 'grantMembership' }>,
  { majorVersion }: SessionFacts,
): Sql | undefined {
  if (majorVersion < 16) return isAdmin === true ? sql`WITH ADMIN OPTION` : undefined
  const options = [...option(sql`ADMIN`, isAdmin), ...option(sql`INHERIT`, inherits), ...option(sql`SET`, canSet)]
  const [first, ...rest] = options
  return first === undefined ? undefined : rest.reduce((all, next) => sql`${all}, ${next}`, sql`WITH ${first}`)
}

function option(name: Sql, value: boolean | undefined): readonly Sql[] {
  return value === undefined ? [] : [value ? sql`${name} TRUE` : sql`${name} FALSE`]
}

function revokeMembership(
  { role, member, grantors = [] }: Extract<RoleChange, { readonly kind: 'revokeMembership' }>,
  { majorVersion }: SessionFacts,
): readonly Sql[] {
  const statement = sql`REVOKE ${identifier(role)} FROM ${identifier(member)}`
  if (majorVersion < 16 || grantors.length === 0) return [statement]
  return grantors.map((grantor) => sql`${statement} GRANTED BY ${identifier(grantor)}`)
}

function alterIn(role: Sql, database: string | undefined): Sql {
  return database === undefined ? sql`ALTER ROLE ${role}` : sql`ALTER ROLE ${role} IN DATABASE ${identifier(database)}`
}
