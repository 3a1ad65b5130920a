// Port from controllers to a database server. An observation is one statement on the maintenance database, and one in
// the database itself, so that an idle resource costs two. A change is data (change.ts) and runs in one transaction.
// Every method may reject with an EngineError.
import type { Token } from '../../index.ts'
import type { Change } from './change.ts'
import type { GrantQuestion, ObservedGrants } from './grant.ts'
import type { LocaleProvider } from './locale.ts'
import type { ObservedContents, ObservedSession, ServerObservation } from './observed-server.ts'
import type { Caller, ServerAccess } from './server-access.ts'

export interface DatabaseEngine {
  /** The server as seen with one credential, for one reconciliation of a resource. Connects on first use. */
  server(access: ServerAccess, use: EngineUse): DatabaseServer
  /**
   * Reserves a session for observations and changes in several databases in turn; the session stays in its current
   * database. The number of concurrent visits is limited, and further calls wait here. Without a visit, sessions are
   * assigned in order of arrival. Call the returned function at the end.
   */
  visit(access: ServerAccess, use: EngineUse): Promise<() => void>
}

export interface EngineUse {
  readonly caller: Caller
  readonly signal: AbortSignal
}

export interface DatabaseServer {
  /** One statement on the maintenance database. */
  observe(question: ServerQuestion): Promise<ServerObservation>
  /** One statement in the database: extensions and schemas. */
  observeContents(database: string): Promise<ObservedContents>
  /** One statement in the database: privileges. */
  observeGrants(database: string, question: GrantQuestion): Promise<ObservedGrants>
  sessions(filter: SessionFilter): Promise<readonly ObservedSession[]>

  /** One transaction, on the maintenance database or in the named one. No statement if `changes` is empty. */
  change(changes: readonly Change[], at?: { readonly database: string }): Promise<void>
  /**
   * One transaction on the maintenance database. Terminates sessions that hold a lock for which the transaction waits.
   * Sessions of administrators stay: superusers, and roles with CREATEROLE other than `roles` and their members. For
   * revoking privileges: otherwise the role could keep them as long as it, or an accomplice, keeps a transaction open.
   */
  changeDespite(changes: readonly Change[], roles: readonly string[]): Promise<void>
  /**
   * Two statements: CREATE DATABASE with its owner, then the ownership marker if it has none. Fails with AlreadyExists.
   */
  createDatabase(wish: DesiredDatabase): Promise<void>
  /**
   * With `force`, terminates sessions first. Without it, fails with DatabaseInUse while sessions exist. Succeeds if the
   * database does not exist.
   */
  dropDatabase(database: string, options: { readonly force: boolean }): Promise<void>
  /** Terminates matching sessions of other clients and returns their number. */
  terminate(filter: SessionFilter): Promise<number>
  /**
   * Terminates matching sessions and waits until they have ended. First apply a change that prevents new sessions. Also
   * terminates sessions that were starting before and are still starting after 1 s, because their role is not visible
   * yet. Rejects with SessionsRemain after 10 to 20 s.
   */
  endSessions(filter: Pick<SessionFilter, 'role' | 'database' | 'lockedOut'>): Promise<void>

  /** Logs in on a separate connection, within 5 s, and returns the outcome. */
  tryLogin(attempt: LoginAttempt): Promise<LoginVerdict>
  /**
   * One statement with its parameters. Rows are as the server returned them. The caller is responsible for the text.
   */
  query(statement: PlainStatement): Promise<readonly Row[]>
  /**
   * One read-only statement. Returns the JSON in the column `answer` of its only row, parsed in slices, or null without
   * a row or value. Rejects with StatementFailed for invalid JSON and for an answer above `answerLimits`. `about`
   * completes "the server's answer about …".
   */
  queryJson(statement: Omit<PlainStatement, 'isLook'>, about: string): Promise<unknown>
}

/** The part of a server that replication needs. */
export type StatementServer = Pick<DatabaseServer, 'query' | 'queryJson' | 'change'>

/** Objects to observe. The answer contains those that exist. */
export interface ServerQuestion {
  readonly databases?: readonly string[]
  readonly roles?: readonly RoleQuestion[]
}

export interface RoleQuestion {
  readonly name: string
  /** Compares this SCRAM verifier with the stored one. The operator compares; the verifier is not sent. */
  readonly verifier?: string
}

export interface DesiredDatabase {
  readonly name: string
  readonly owner: string
  readonly token: Token
  /** Default: UTF8. */
  readonly encoding?: string
  /** LC_COLLATE and LC_CTYPE, e.g. `C.UTF-8`. Default: as in template0. */
  readonly locale?: string
  /** LC_CTYPE, where it differs from `locale`. */
  readonly characterType?: string
  /** Default: as in template0. */
  readonly localeProvider?: LocaleProvider | undefined
  readonly connectionLimit?: number
}

/** Sessions that match all given fields. Default: all sessions of other clients. */
export interface SessionFilter {
  readonly database?: string
  /** Role that logged in. */
  readonly role?: string
  /** Includes the other sessions of this operator, from any of its processes. */
  readonly ours?: true
  /**
   * Only sessions that hold a lock for which this operator waits. Their roles are among these, are members of these, or
   * lack CREATEROLE.
   */
  readonly blockedBy?: readonly string[]
  /** Only sessions of marked roles that may no longer connect to their database. */
  readonly lockedOut?: true
}

export interface LoginAttempt {
  readonly username: string
  readonly password: string
  readonly database: string
}

export type LoginVerdict =
  | 'Verified'
  | 'WrongPassword'
  /**
   * The password has expired (`VALID UNTIL`). Servers report it as a wrong password, so the role is observed to tell
   * them apart.
   */
  | 'Expired'
  /** The role is NOLOGIN. */
  | 'Disabled'
  /** The server's pg_hba.conf rejects the connection, or the database does not allow connections. */
  | 'Rejected'
  | 'ConnectNotGranted'
  | 'RoleMissing'
  | 'DatabaseMissing'
  /**
   * The password is right, but the role or the database has reached its connection limit. A full server is a failure
   * instead.
   */
  | 'TooManyConnections'

export interface PlainStatement {
  readonly text: string
  readonly values?: readonly (string | number | boolean | null)[]
  /** Default: the maintenance database. */
  readonly database?: string
  /**
   * The statement only reads and does not change its session, which is kept. Default: the session is closed afterwards.
   */
  readonly isLook?: true
}

/** Columns by name. */
export type Row = Readonly<Record<string, unknown>>
