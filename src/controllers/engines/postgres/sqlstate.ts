// Maps failures of a server, or of the connection to it, to an error code and a remedy. Messages contain the SQLSTATE
// and the server's message. They contain its detail, which may show rows, only where it counts objects or sessions
// (I11). Source: PostgreSQL, "Error Codes"; Node.js, "Common system errors" and OpenSSL's verification codes.
import { EngineError, type EngineErrorCode } from '../engine-error.ts'
import { unsafeSchemaState } from './extension-statements.ts'
import { missingGrant } from './missing-grant.ts'
import { answerTooLong } from './server-messages.ts'

/** Relevant parts of a thrown error. */
export interface Failure {
  /** SQLSTATE, errno, or code of OpenSSL. */
  readonly code: string | undefined
  readonly message: string
  readonly detail: string | undefined
  readonly constraint: string | undefined
  /** The server reported it, not the network or the client. */
  readonly isFromServer: boolean
}

export interface FailureContext {
  /** Completes "could not …". */
  readonly attempt: string
  /** Admin whose rights were not enough. `role` is the role that the statement changes, if any. */
  readonly admin: string
  readonly role?: string | undefined
}

interface Rule {
  /** Prefixes of matching codes. */
  readonly codes: readonly string[]
  /** Matches the message, if set. */
  readonly text?: RegExp
  readonly code: EngineErrorCode
  readonly remedy: 'retry' | 'stop'
  readonly retryAfterMs?: number
  /** Adds the server's detail to the message. */
  readonly tellsDetail?: true
}

const minute = 60_000

/** The first matching rule applies. */
const serverRules: readonly Rule[] = [
  { codes: ['57P', '08', '25006'], code: 'ServerUnreachable', remedy: 'retry' },
  { codes: ['53300'], code: 'TooManyConnections', remedy: 'retry', retryAfterMs: 15_000 },
  { codes: ['28P01', '28000'], code: 'AdminAuthFailed', remedy: 'stop', retryAfterMs: 5 * minute },
  { codes: ['42501'], code: 'InsufficientPrivilege', remedy: 'stop', retryAfterMs: 10 * minute },
  { codes: ['42P04', '42710', '42P06', '42P07'], code: 'AlreadyExists', remedy: 'retry' },
  { codes: ['3D000', '42704', '42P01', '3F000', '42883'], code: 'NotFound', remedy: 'retry' },
  // Closed for a restore, or by hand. The Database, or the administrator who closed it, opens it again.
  { codes: ['55000'], text: /is not currently accepting connections/, code: 'DatabaseInUse', remedy: 'retry' },
  { codes: ['55006'], code: 'DatabaseInUse', remedy: 'retry', retryAfterMs: 10_000, tellsDetail: true },
  { codes: ['2BP01'], code: 'DependentObjects', remedy: 'retry', retryAfterMs: 10_000, tellsDetail: true },
  { codes: ['40001', '40P01', '55P03'], code: 'Contention', remedy: 'retry' },
  { codes: ['XX000'], text: /^tuple concurrently /, code: 'Contention', remedy: 'retry' },
  { codes: [unsafeSchemaState], code: 'UnsafeSchema', remedy: 'stop', retryAfterMs: 10 * minute },
  { codes: ['53100'], code: 'StorageFull', remedy: 'stop', retryAfterMs: 5 * minute },
  { codes: ['57014', '25P', '53', '54', '58', 'XX'], code: 'StatementFailed', remedy: 'retry' },
  { codes: [''], code: 'StatementFailed', remedy: 'stop', retryAfterMs: 10 * minute },
]

/** Two clients create the same role or database: the second waits for the first and then violates this index. */
const uniqueNames = ['pg_authid_rolname_index', 'pg_database_datname_index']

const untrusted =
  /CERT|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|HOSTNAME_MISMATCH|ERR_SSL|ERR_TLS|EPROTO|INVALID_CA|PATH_LENGTH/
const refusesTls = /does not support SSL connections|establishing an SSL connection/

export function engineErrorOf(failure: Failure, context: FailureContext): EngineError {
  return failure.isFromServer ? serverError(failure, context) : connectionError(failure, context)
}

function serverError(failure: Failure, { attempt, admin, role }: FailureContext): EngineError {
  const { code: sqlState = '', message, detail } = failure
  const rule = ruleOf(failure)
  const told = rule.tellsDetail === true && detail !== undefined ? ` (${detail.replaceAll('\n', '; ')})` : ''
  const missing = rule.code === 'InsufficientPrivilege' ? missingGrant({ message, admin, role }) : undefined
  const advice = missing === undefined ? '' : `; ${missing}`
  return new EngineError({
    code: rule.code,
    message: `could not ${attempt}: ${sqlState} ${message}${told}${advice}`,
    remedy: rule.remedy,
    retryAfterMs: rule.retryAfterMs,
    sqlState,
  })
}

function ruleOf({ code = '', message, constraint = '' }: Failure): Rule {
  if (code === '23505' && constraint.startsWith('pg_')) {
    return { codes: [], code: uniqueNames.includes(constraint) ? 'AlreadyExists' : 'Contention', remedy: 'retry' }
  }
  const rule = serverRules.find(
    ({ codes, text }) => codes.some((prefix) => code.startsWith(prefix)) && (text?.test(message) ?? true),
  )
  // The last rule matches everything.
  return rule ?? { codes: [], code: 'StatementFailed', remedy: 'stop' }
}

function connectionError({ code = '', message }: Failure, { attempt }: FailureContext): EngineError {
  if (code === answerTooLong) {
    const advice = 'the operator manages no database with so many objects; drop some'
    return new EngineError({
      code: 'StatementFailed',
      message: `could not ${attempt}: ${message}; ${advice}`,
      remedy: 'stop',
      retryAfterMs: 5 * minute,
    })
  }
  const said = code === '' || message.includes(code) ? message : `${code} ${message}`
  if (untrusted.test(code) || refusesTls.test(message)) {
    const trouble = refusesTls.test(message) ? 'the server does not offer TLS' : said
    return new EngineError({
      code: 'TLSVerifyFailed',
      message: `could not ${attempt}: ${trouble}`,
      remedy: 'stop',
      retryAfterMs: 5 * minute,
    })
  }
  // Only two SASL errors get here: an empty password, and a server that does not know the password.
  if (message.startsWith('SASL: ')) {
    const retryAfterMs = 5 * minute
    return new EngineError({
      code: 'AdminAuthFailed',
      message: `could not ${attempt}: ${message}`,
      remedy: 'stop',
      retryAfterMs,
    })
  }
  return new EngineError({ code: 'ServerUnreachable', message: `could not ${attempt}: ${said}`, remedy: 'retry' })
}

/**
 * Returns true if the failure means that the server is unreachable. Other failures must not open a breaker: a server
 * that is full, rejects a role or is read-only does answer.
 */
export function speaksOfServer({ code, sqlState = '' }: EngineError): boolean {
  // The owner of a database can set it to read-only, and must not thereby block others from the server.
  return (code === 'ServerUnreachable' && sqlState !== '25006') || code === 'OutcomeUnknown'
}
