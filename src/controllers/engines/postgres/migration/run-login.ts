// As whom does the text of a step speak to the server? As a login of its run alone: a member of the owner, and of nobody else. Whatever a
// text makes of its session (RESET ROLE in a text that a block builds, a trigger, a cast), it is never more than that.
import { createHash } from 'node:crypto'
import type { SessionFacts } from '../session-facts.ts'
import { identifier, literal, type Sql, sql, words } from '../sql-text.ts'
import type { Statement } from './mark-statements.ts'

export interface RunLogin {
  readonly role: string
  readonly database: string
  readonly owner: string
  readonly verifier: string
  /** RFC 3339; nobody begins a session with it later. */
  readonly validUntil: string
  /** What else it may do in the database. */
  readonly purpose: 'mark' | 'read'
}

/** The same for all runs of which only one is under way at a time, so that the next finds what a dead one left. */
export function runLoginName(place: string): string {
  return `_konverge_run_${createHash('sha256').update(place).digest('hex').slice(0, 32)}`
}

/** One row: is it there, and until when is a login good that is made now? */
export function lookAtLogin(role: string): Statement {
  const text = `SELECT pg_catalog.to_regrole(pg_catalog.quote_ident($1)) IS NOT NULL AS "isThere",
    pg_catalog.to_char((pg_catalog.now() + '5 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "validUntil"`
  return { text, values: [role] }
}

/** Waits until they are gone, for a while. */
export function endSessionsOf(role: string): Statement {
  const text = `SELECT pg_catalog.pg_terminate_backend(a.pid, 5000) FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = $1`
  return { text, values: [role] }
}

/** A row for each that is there all the same. */
export function sessionsOf(role: string): Statement {
  return { text: `SELECT a.pid FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = $1`, values: [role] }
}

/** As one transaction. What it has made as itself becomes its owner's, as it was made for. */
export function removeLogin(role: string, owner: string): Sql {
  const login = identifier(role)
  return inTurn(sql`REASSIGN OWNED BY ${login} TO ${identifier(owner)}; DROP OWNED BY ${login}; DROP ROLE ${login}`)
}

/** As one transaction. */
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

/** Every table of the database; only who may give that away can. */
export function letReadAll(role: string): Sql {
  return sql`GRANT pg_read_all_data TO ${identifier(role)}`
}

/** Whoever is in stays; nobody else gets in. */
export function closeLogin(role: string): Sql {
  return sql`ALTER ROLE ${identifier(role)} NOLOGIN PASSWORD NULL`
}

/** Two that grant rights on the same tables at once would be in each other's way. The owner of a database may have made it read only. */
function inTurn(statements: Sql): Sql {
  return sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('konverge/schema', 0)); ${statements}; COMMIT`
}

/** Verifiers are nothing for logs. */
const discretion = sql`SET LOCAL log_statement TO 'none'; SET LOCAL log_min_duration_statement TO -1;
  SET LOCAL log_min_error_statement TO 'panic'; `

/** To end its sessions, and to take over what it made. Since PostgreSQL 16 whoever makes a role is no member yet. */
function ownMembership(role: Sql, { majorVersion }: SessionFacts): Sql {
  return majorVersion < 16
    ? sql`GRANT ${role} TO CURRENT_USER`
    : sql`GRANT ${role} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE`
}

function markRights(role: Sql): Sql {
  return sql`GRANT USAGE ON SCHEMA _konverge TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON _konverge.migration_steps, _konverge.migration_lease, _konverge.copy_progress TO ${role}`
}
