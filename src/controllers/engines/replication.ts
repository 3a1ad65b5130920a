// Port for logical replication of a database until both databases are equal. The source publishes, a slot retains WAL,
// the target receives all rows of the slot's snapshot and subscribes. Each side is observed, created and removed
// independently, so that one side can be removed while the other is dead. Names contain the operation's id, and objects
// have an ownership marker; every call is idempotent. Only rows are replicated: no DDL, sequences, large objects or
// unlogged tables. Every method may reject with an EngineError.
import type { Token } from '../../index.ts'
import type { LogPosition } from './log-position.ts'
import type { ServerAccess } from './server-access.ts'

export interface ReplicationEnd {
  readonly database: string
  /** Id of the operation: 1 to 40 of a-z, 0-9 and _. */
  readonly id: string
  /** Ownership token written on created objects. */
  readonly token: Token
}

export interface Publisher {
  /** One statement. */
  observe(): Promise<PublisherFacts>
  /**
   * Creates a login for the target, with REPLICATION and read access to all tables. Called again, sets this verifier.
   */
  admit(verifier: string): Promise<void>
  /** Publishes these tables. Call before the slot exists: a slot cannot decode with a later publication. */
  publish(tables: readonly TableName[]): Promise<void>
  /**
   * Returns a log position after all committed transactions, including those that the source has not flushed to disk.
   */
  milestone(): Promise<LogPosition>
  /**
   * Returns the positions of all sequences, read from the sequences, while no client uses them. Takes two statements,
   * or more for very many sequences.
   */
  sequencePositions(): Promise<readonly SequencePosition[]>
  /**
   * Removes slot, publication and login, independent of the target. Fails with DatabaseInUse while a WAL sender has not
   * stopped.
   */
  remove(): Promise<void>
}

export interface Subscriber {
  /** One statement. */
  observe(): Promise<SubscriberFacts>
  /**
   * Subscribes from the slot's position. The tables must exist with all rows of the slot's snapshot.
   *
   * Warning: a target before PostgreSQL 16 applies rows as its admin. Code of table owners (checks, ALWAYS triggers)
   * then runs with the admin's rights. Use it only if the owners are trusted with that server.
   */
  subscribe(source: PublisherAddress): Promise<void>
  /** Changes the connection of an existing subscription to the source's current address. */
  redirect(source: PublisherAddress): Promise<void>
  /** Raises sequences to the source's values, never lowers them. Skips missing sequences. */
  raiseSequences(sequences: readonly SequenceState[]): Promise<void>
  /**
   * Sets sequences to exactly these positions, also to lower ones, while no client uses them on either server. Skips
   * missing sequences. Skips all sequences if the target's creating role no longer exists, because applications may
   * already use them.
   */
  setSequences(positions: readonly SequencePosition[]): Promise<void>
  /** Drops the subscription without contacting the source. */
  remove(): Promise<void>
}

/** Address of the source, as seen from the target. */
export interface PublisherAddress {
  readonly host: string
  readonly port: number
  /**
   * TLS mode. The target cannot use the operator's CA, so certificates are checked against the CAs that the target
   * server trusts. `bound` needs no CA: the password is unique to this replication, and SCRAM channel binding
   * authenticates the server by its verifier and certificate.
   */
  readonly tls: ServerAccess['tls'] | 'bound'
  readonly password: string
}

export interface TableName {
  readonly schema: string
  readonly name: string
}

export interface PublisherFacts {
  readonly admin: string
  readonly isReadOnly: boolean
  readonly walLevel: string
  /** The admin may create slots, and logins with REPLICATION. */
  readonly canReplicate: boolean
  /** The admin owns all tables and may create publications. */
  readonly canPublish: boolean
  readonly freeSlots: number
  readonly freeSenders: number
  /** Excludes temporary tables, members of extensions, and partitioned tables, which have no rows themselves. */
  readonly tables: readonly SourceTable[]
  readonly sequences: readonly SequenceState[]
  readonly largeObjects: number
  /** Undefined: does not exist. `token`: the one in its ownership marker. */
  readonly login: { readonly token: Token | undefined; readonly canLogin: boolean } | undefined
  readonly publication: { readonly token: Token | undefined } | undefined
  readonly slot: ReplicationSlot | undefined
  /** Written position. Transactions that have just committed may be after it. */
  readonly position: LogPosition
}

export interface SourceTable extends TableName {
  readonly isUnlogged: boolean
  /**
   * The table has a replica identity, which UPDATE and DELETE need. Publishing a table without one would make them fail
   * at the source.
   */
  readonly hasIdentity: boolean
  readonly isPublished: boolean
}

export interface ReplicationSlot {
  /** A WAL sender uses the slot. */
  readonly isActive: boolean
  /** The target has confirmed everything before this position. */
  readonly confirmed: LogPosition | undefined
  /** The source has removed WAL that the target still needs. */
  readonly isLost: boolean
}

/** As in DatabaseContents. Numbers that can exceed the range of a JavaScript number are decimal strings. */
export interface SequenceState extends TableName {
  /** Null: no value returned yet, or not readable. */
  readonly lastValue: string | null
  readonly increment: string
  readonly isReadable: boolean
}

/** Position from which the next value follows, given the sequence's definition. */
export interface SequencePosition extends TableName {
  readonly value: string
  /** True: `value` was returned already (`is_called`). False: `value` is the next one. */
  readonly isGiven: boolean
}

export interface SubscriberFacts {
  readonly admin: string
  readonly isReadOnly: boolean
  readonly canSubscribe: boolean
  readonly freeWorkers: number
  readonly tables: readonly TargetTable[]
  readonly sequences: readonly SequenceState[]
  readonly subscription: ObservedSubscription | undefined
}

export interface TargetTable extends TableName {
  /** The table has no pages. Deleted rows count until TRUNCATE. */
  readonly isEmpty: boolean
  /** The table is part of the subscription. */
  readonly isFollowed: boolean
  /**
   * Role whose code the server would run with the admin's rights when rows arrive. Null: none. Only before PostgreSQL
   * 16.
   */
  readonly codeOf: string | null
}

export interface ObservedSubscription {
  readonly token: Token | undefined
  readonly isEnabled: boolean
  /** The apply worker is running. */
  readonly isRunning: boolean
  /** Number of failed applies, including lost connections. The target's log has the reason. */
  readonly failures: number
}
