// How do controllers speak to a database server? Through this port. What it reads are single statements, so that a look at a
// resource at rest costs one on the maintenance database and one in the database itself; what it changes is data (change.ts),
// carried out in one transaction. Every method may reject with an EngineError.
import type { Token } from '../../index.ts'
import type { Change } from './change.ts'
import type { GrantQuestion, ObservedGrants } from './grant.ts'
import type { LocaleProvider } from './locale.ts'
import type { ObservedContents, ObservedSession, ServerObservation } from './observed-server.ts'
import type { Caller, ServerAccess } from './server-access.ts'

export interface DatabaseEngine {
  /** The server as one credential sees it, for one resource's turn. Connects only when it is used. */
  server(access: ServerAccess, use: EngineUse): DatabaseServer
  /**
   * For a while of looks and changes in one database after the other: it keeps the session of the database that it is in. There are
   * a few visits at once, and others wait here. Without one, sessions go to whoever comes first. Call what it gives at its end.
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

  /** One transaction, on the maintenance database or in the one named. None if there is no change. */
  change(changes: readonly Change[], at?: { readonly database: string }): Promise<void>
  /**
   * One transaction on the maintenance database, and the end of sessions that hold a lock for which it waits: of any role but
   * administrators (superusers, and others with CREATEROLE than these roles and their members). Rights are taken with it: the role that
   * loses them would else keep them for as long as it, or an accomplice, keeps a transaction open.
   */
  changeDespite(changes: readonly Change[], roles: readonly string[]): Promise<void>
  /** Two statements: CREATE DATABASE, whose owner is set with it, then its mark if it has none. Fails with AlreadyExists. */
  createDatabase(wish: DatabaseWish): Promise<void>
  /** With `force`, sessions are ended first; without, DatabaseInUse while there are any. No failure if it is not there. */
  dropDatabase(database: string, options: { readonly force: boolean }): Promise<void>
  /** Ends sessions of others, and says of how many. */
  terminate(filter: SessionFilter): Promise<number>
  /**
   * Ends matching sessions and waits until they are gone. A change that admits no new ones must come first. Sessions of any role that were
   * starting before and still start after 1 s are ended too, because their role does not show. Rejects with SessionsRemain after 10 to 20 s.
   */
  endSessions(filter: Pick<SessionFilter, 'role' | 'database' | 'lockedOut'>): Promise<void>

  /** Logs in for real on a connection of its own, within 5 s, and says how it went. */
  tryLogin(attempt: LoginAttempt): Promise<LoginVerdict>
  /** One statement with its parameters; rows as the server wrote them. Whoever writes the text answers for it. */
  query(statement: PlainStatement): Promise<readonly Row[]>
  /**
   * One statement that only observes; the JSON in the column `answer` of its one row, parsed in slices. Null without a row or a value.
   * Rejects with StatementFailed for what is no JSON, and for more than `answerLimits`. `about` completes "the server's answer about …".
   */
  queryJson(statement: Omit<PlainStatement, 'isLook'>, about: string): Promise<unknown>
}

/** As much of a server as its replication needs. */
export type StatementServer = Pick<DatabaseServer, 'query' | 'queryJson' | 'change'>

/** What to look for; what is there of it is in the answer. */
export interface ServerQuestion {
  readonly databases?: readonly string[]
  readonly roles?: readonly RoleQuestion[]
}

export interface RoleQuestion {
  readonly name: string
  /** Ask whether this SCRAM verifier is the stored one. It is compared here, and not sent. */
  readonly verifier?: string
}

export interface DatabaseWish {
  readonly name: string
  readonly owner: string
  readonly token: Token
  /** Default: UTF8. */
  readonly encoding?: string
  /** LC_COLLATE and LC_CTYPE, e.g. `C.UTF-8`. Default: as in template0. */
  readonly locale?: string
  /** LC_CTYPE, where it is another one than `locale`. */
  readonly characterType?: string
  /** Default: as in template0. */
  readonly localeProvider?: LocaleProvider | undefined
  readonly connectionLimit?: number
}

/** All that are named have to fit; neither: everybody but ourselves. */
export interface SessionFilter {
  readonly database?: string
  /** Who logged in. */
  readonly role?: string
  /** And the other sessions of this operator, of whichever process: nobody is to be left. */
  readonly ours?: true
  /** Only those that hold a lock for which this operator waits: of these roles, their members, and roles without CREATEROLE. */
  readonly blockedBy?: readonly string[]
  /** Only those of roles with a token that may not connect to their database any more. */
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
  /** Its `valid until` has passed; servers call that a wrong password, so the role is looked at then. */
  | 'Expired'
  /** It may not log in. */
  | 'Disabled'
  /** The server's pg_hba.conf does not let it in, or nobody into this database. */
  | 'Rejected'
  | 'ConnectNotGranted'
  | 'RoleMissing'
  | 'DatabaseMissing'
  /** The password is right, and the connection limit of the role or database is reached. A full server is a failure instead. */
  | 'TooManyConnections'

export interface PlainStatement {
  readonly text: string
  readonly values?: readonly (string | number | boolean | null)[]
  /** Default: the maintenance database. */
  readonly database?: string
  /** It only reads, and leaves nothing in its session, which goes on. Default: the session ends with it. */
  readonly isLook?: true
}

/** Columns by name. */
export type Row = Readonly<Record<string, unknown>>
