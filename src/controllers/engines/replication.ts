// How do the rows of a database follow those of another one, until both are the same? By logical replication: the source publishes, a
// slot keeps what is not yet taken, the target is given all rows of the moment at which that begins, and subscribes. Each side is seen, made and removed by itself, so that what is left of one
// can go when the other is dead. Everything is known by its name, which holds the id of the undertaking, so that every call may be
// repeated, and by its mark. Rows travel, and nothing else: no DDL, no sequences, no large objects, nothing unlogged. Every method may
// reject with an EngineError.
import type { Token } from '../../index.ts'
import type { LogPosition } from './log-position.ts'
import type { ServerAccess } from './server-access.ts'

export interface ReplicationEnd {
  readonly database: string
  /** Of the undertaking: 1 to 40 of a-z, 0-9 and _. */
  readonly id: string
  /** Written on what is made. */
  readonly token: Token
}

export interface Publisher {
  /** One statement. */
  observe(): Promise<PublisherFacts>
  /** A login that may read all and replicate, for the target alone. Again: with this verifier instead. */
  admit(verifier: string): Promise<void>
  /** All tables that are there now. Before the slot, which knows no publication that comes later. */
  publish(tables: readonly TableName[]): Promise<void>
  /** A place in the log behind everything that has been committed, also behind what is not on the source's disk yet. */
  milestone(): Promise<LogPosition>
  /** Where all sequences stand, read from themselves: while nobody uses them. Two statements, or more for very many. */
  sequencePositions(): Promise<readonly SequencePosition[]>
  /**
   * The slot, the publication and the login are gone, whether the target lives or not. While a sender does not end, DatabaseInUse.
   */
  remove(): Promise<void>
}

export interface Subscriber {
  /** One statement. */
  observe(): Promise<SubscriberFacts>
  /**
   * Goes on with what comes behind the slot. The tables have to be there, with all rows of the moment at which it begins. A target before PostgreSQL 16 applies rows as
   * its admin, and so runs what owners of tables have written (checks, triggers that always fire) with his rights: only where they are
   * trusted with that server.
   */
  subscribe(source: PublisherAddress): Promise<void>
  /** One that is there, to where the source is found now. */
  redirect(source: PublisherAddress): Promise<void>
  /** To where the source's are, and never back. Those that are not there are left out. */
  raiseSequences(sequences: readonly SequenceState[]): Promise<void>
  /**
   * Exactly there, also back: while nobody uses them on either side. Those that are not there are left out, and all are where the role that
   * makes the target is gone: applications may have gone on with them.
   */
  setSequences(positions: readonly SequencePosition[]): Promise<void>
  /** The subscription is gone, whether the source lives or not: it is not asked. */
  remove(): Promise<void>
}

/** Where the target finds the source, in its own view of the network. */
export interface PublisherAddress {
  readonly host: string
  readonly port: number
  /**
   * The target knows no authority of ours: to check a certificate it goes by those that its own server trusts. `bound` needs none: the
   * password was made for this alone, and by SCRAM's channel binding only the server that has its verifier, and this certificate, can answer.
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
  /** May the admin make slots, and logins that may replicate? */
  readonly canReplicate: boolean
  /** Does he own all tables, and may make publications? */
  readonly canPublish: boolean
  readonly freeSlots: number
  readonly freeSenders: number
  /** But for temporary ones, those of extensions, and the roots of partitions, which hold no rows. */
  readonly tables: readonly SourceTable[]
  readonly sequences: readonly SequenceState[]
  readonly largeObjects: number
  /** Undefined: there is none of that name. `token`: the one in its mark. */
  readonly login: { readonly token: Token | undefined; readonly canLogin: boolean } | undefined
  readonly publication: { readonly token: Token | undefined } | undefined
  readonly slot: ReplicationSlot | undefined
  /** How far it has been written; what has just been committed may come after it. */
  readonly position: LogPosition
}

export interface SourceTable extends TableName {
  readonly isUnlogged: boolean
  /** Can a row be told from others, so that UPDATE and DELETE can be carried? Where not, publishing would break them at the source. */
  readonly hasIdentity: boolean
  readonly isPublished: boolean
}

export interface ReplicationSlot {
  /** Somebody takes from it. */
  readonly isActive: boolean
  /** What comes before it has been taken, and is kept by the target. */
  readonly confirmed: LogPosition | undefined
  /** The source had to throw away what the target has not taken yet. */
  readonly isLost: boolean
}

/** As in DatabaseContents; numbers that may be larger than a number can hold are decimal texts. */
export interface SequenceState extends TableName {
  /** Null: it has given no number yet, or may not be read. */
  readonly lastValue: string | null
  readonly increment: string
  readonly isReadable: boolean
}

/** What the next number follows from, together with how the sequence was made. */
export interface SequencePosition extends TableName {
  readonly value: string
  /** It was given; else it is the next one to be given. */
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
  /** It has no pages: what was deleted counts until the table is truncated. */
  readonly isEmpty: boolean
  /** It is in the subscription. */
  readonly isFollowed: boolean
  /** Role whose code the server would run with the rights of its admin when rows arrive; null: none. Only before PostgreSQL 16. */
  readonly codeOf: string | null
}

export interface ObservedSubscription {
  readonly token: Token | undefined
  readonly isEnabled: boolean
  /** Is its worker running? */
  readonly isRunning: boolean
  /** Attempts to apply that have failed; the target's log says why. A lost connection counts too. */
  readonly failures: number
}
