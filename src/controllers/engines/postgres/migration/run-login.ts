// Login of one run, as which the text of steps connects. Invariant: it is a member only of the owner. Whatever a text
// does to its session (RESET ROLE in dynamic SQL, a trigger, a cast), it never has more rights.
import { createHash } from 'node:crypto'
import type { SessionFacts } from '../session-facts.ts'
import { identifier, literal, type Sql, sql, words } from '../sql-text.ts'
import type { Statement } from './mark-statements.ts'

export interface RunLogin {
  readonly role: string
  readonly database: string
  readonly owner: string
  readonly verifier: string
  /** RFC 3339. No session can start later. */
  readonly validUntil: string
  /** Additional rights in the database. */
  readonly purpose: 'mark' | 'read'
}

/** Returns the name: equal for all runs that exclude each other, so that the next run finds leftovers of a dead one. */
export function runLoginName(place: string): string {
  return `_konverge_run_${createHash('sha256').update(place).digest('hex').slice(0, 32)}`
}

/** One row: `isThere`, and `validUntil` for a login created now. */
export function observeLogin(role: string): Statement {
  const text = `SELECT pg_catalog.to_regrole(pg_catalog.quote_ident($1)) IS NOT NULL AS "isThere",
    pg_catalog.to_char((pg_catalog.now() + '5 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "validUntil"`
  return { text, values: [role] }
}

/** Terminates sessions and waits for their end, for at most 5 s each. */
export function endSessionsOf(role: string): Statement {
  const text = `SELECT pg_catalog.pg_terminate_backend(a.pid, 5000) FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = $1`
  return { text, values: [role] }
}

/** A row for each remaining session. */
export function sessionsOf(role: string): Statement {
  return { text: `SELECT a.pid FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = $1`, values: [role] }
}

/** One transaction. Objects that the login owns become its owner's. */
export function removeLogin(role: string, owner: string): Sql {
  const login = identifier(role)
  return inTurn(sql`REASSIGN OWNED BY ${login} TO ${identifier(owner)}; DROP OWNED BY ${login}; DROP ROLE ${login}`)
}

/** One transaction. */
export function makeLogin(login: RunLogin, facts: SessionFacts): Sql {
  const { owner, database, verifier, validUntil, purpose } = login
  const role = identifier(login.role)
  const inherits = purpose === 'read'
  const attributes = words(
    sql`LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 1`,
    inherits ? sql`INHERIT` : sql`NOINHERIT`,
    sql`VALID UNTIL ${literal(validUntil)} PASSWORD ${literal(verifier)}`,
  )
  return inTurn(sql`${facts.isSuperuser ? discretion : sql``}CREATE ROLE ${role} ${attributes};
    COMMENT ON ROLE ${role} IS 'konverge: the login of one run of a migration';
    ${facts.isSuperuser ? sql`` : sql`${ownMembership(role, facts)};`}
    GRANT CONNECT ON DATABASE ${identifier(database)} TO ${role};
    GRANT ${identifier(owner)} TO ${role}${purpose === 'mark' ? sql`; ${markRights(role)}` : sql``}`)
}

/** Grants read access to every table. Fails if the admin may not grant it. */
export function letReadAll(role: string): Sql {
  return sql`GRANT pg_read_all_data TO ${identifier(role)}`
}

/** Existing sessions stay; new ones are rejected. */
export function closeLogin(role: string): Sql {
  return sql`ALTER ROLE ${identifier(role)} NOLOGIN PASSWORD NULL`
}

/**
 * Serializes the statements, because concurrent grants on the same tables would conflict. READ WRITE, because the
 * database's owner may have set it to read-only.
 */
function inTurn(statements: Sql): Sql {
  return sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('konverge/schema', 0)); ${statements}; COMMIT`
}

/** Keeps verifiers out of the log. */
const discretion = sql`SET LOCAL log_statement TO 'none'; SET LOCAL log_min_duration_statement TO -1;
  SET LOCAL log_min_error_statement TO 'panic'; `

/**
 * Membership, needed to terminate its sessions and to reassign its objects. Since PostgreSQL 16 the creator of a role
 * is not yet a member.
 */
function ownMembership(role: Sql, { majorVersion }: SessionFacts): Sql {
  return majorVersion < 16
    ? sql`GRANT ${role} TO CURRENT_USER`
    : sql`GRANT ${role} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE`
}

function markRights(role: Sql): Sql {
  return sql`GRANT USAGE ON SCHEMA _konverge TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON _konverge.migration_steps, _konverge.migration_lease, _konverge.copy_progress TO ${role}`
}
