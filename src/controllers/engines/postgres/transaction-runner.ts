// Runs a list of changes in one transaction: all of them or none. It tries three times at once if other sessions hold a
// lock. If the connection is lost during the COMMIT, the outcome is unknown, and the error says so.
import type { Change } from '../change.ts'
import { EngineError } from '../engine-error.ts'
import type { SlicedWork, SliceRunner } from '../slice-runner.ts'
import { partsOf } from './change-parts.ts'
import { changeStatements } from './change-statements.ts'
import { asEngineError, endsSession } from './failure.ts'
import { subscriptionError } from './replication/subscription-failure.ts'
import type { SessionFacts } from './session-facts.ts'
import type { BoundSession } from './session-runner.ts'
import { literal, type Sql, sql } from './sql-text.ts'

export interface TransactionOptions {
  readonly applicationName: string
  readonly admin: string
  /** For messages: `db.example:5432`. */
  readonly server: string
  readonly slices: SliceRunner
  readonly signal: AbortSignal
  /** Number of attempts while other sessions hold a lock. Default: 3. */
  readonly attempts?: number | undefined
}

const defaultAttempts = 3

export async function runTransaction(
  session: BoundSession,
  changes: readonly Change[],
  options: TransactionOptions,
): Promise<void> {
  // Precedes the transaction, so that a change that SQL cannot express starts nothing. The texts of 100,000 names are
  // built again for sending, and not kept.
  await options.slices.run(checkStatements(changes, session.facts), options.signal)
  for (let attempt = 1; ; attempt += 1) {
    await session.query(beginning(session, changes, options))
    try {
      for (const change of partsOf(changes)) {
        const statements = changeStatements(change, session.facts)
        for (const statement of statements) await session.query(statement).catch(tell(change, options))
      }
    } catch (error) {
      if (
        !(error instanceof EngineError) ||
        error.code !== 'Contention' ||
        attempt >= (options.attempts ?? defaultAttempts)
      )
        throw error
      await session.query('ROLLBACK')
      continue
    }
    return commit(session, options)
  }
}

/** Throws StatementFailed for a change that SQL cannot express. */
export function* checkStatements(changes: readonly Change[], facts: SessionFacts): SlicedWork<void> {
  for (const change of partsOf(changes)) {
    changeStatements(change, facts)
    yield
  }
}

async function commit(session: BoundSession, { server, admin }: TransactionOptions): Promise<void> {
  try {
    await session.query('COMMIT')
  } catch (error) {
    throw endsSession(error)
      ? outcomeUnknown('a transaction was being committed', server)
      : asEngineError(error, { attempt: `commit on ${server}`, admin })
  }
}

export function outcomeUnknown(when: string, server: string): EngineError {
  const message = `the connection to ${server} was lost while ${when}; whether it was done is looked at next`
  return new EngineError({ code: 'OutcomeUnknown', message, remedy: 'retry' })
}

/** A server can log all statements, and always logs those that fail. A superuser can keep verifiers out of the log. */
function beginning({ facts }: BoundSession, changes: readonly Change[], { applicationName }: TransactionOptions): Sql {
  // READ WRITE, because the owner of the database may have set it to read-only.
  const begin = sql`BEGIN READ WRITE; SET LOCAL application_name TO ${literal(applicationName)}`
  return facts.isSuperuser && changes.some(hasSecret) ? sql`${begin}; ${discretion}` : begin
}

function hasSecret(change: Change): boolean {
  if (change.kind === 'expectRole') return 'verifier' in change.is
  if ('attributes' in change) return change.attributes.verifier !== undefined
  return ['createReplicator', 'createSubscription', 'redirectSubscription', 'copyRole'].includes(change.kind)
}

/** The last two hide running statements from roles that may read the sessions or statements of others. */
const discretion = sql`SET LOCAL log_statement TO 'none'; SET LOCAL log_min_duration_statement TO -1;
  SET LOCAL log_min_error_statement TO 'panic'; SET LOCAL track_activities TO off; SET LOCAL pg_stat_statements.track TO 'none'`

function tell(change: Change, { server, admin }: TransactionOptions): (error: unknown) => never {
  return (error) => {
    const role = 'role' in change ? change.role : undefined
    if (change.kind === 'createSubscription') throw subscriptionError(error, { subscriber: server, admin })
    throw asEngineError(error, { attempt: `${phraseOf(change)} on ${server}`, admin, role })
  }
}

/** `create role "shop"` */
export function phraseOf(change: Change): string {
  const verb = change.kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${verb} ${JSON.stringify(subjectOf(change))}`
}

function subjectOf(change: Change): string {
  if ('extension' in change) return change.extension
  if ('role' in change) return change.role
  if ('publication' in change) return change.publication
  if ('subscription' in change) return change.subscription
  return 'database' in change ? change.database : change.schema
}
