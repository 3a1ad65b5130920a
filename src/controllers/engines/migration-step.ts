// What is a step of a migration? A piece of SQL, an assertion, or a copy of tables. Values; where they come from is the caller's.

export type MigrationStep = SqlStep | CopyStep | AssertStep

interface Step {
  /** Unique in its migration, and kept for ever: what was applied is known by it. */
  readonly name: string
  /** Of the whole step; of a copy, of each of its batches and of the comparison at its end. */
  readonly timeoutMs: number
  /** How long one statement waits for a lock. */
  readonly lockTimeoutMs: number
}

export interface SqlStep extends Step {
  readonly kind: 'SQL'
  /** Sent as it stands, in one message. */
  readonly sql: string
  /** False for the one statement that no transaction takes, such as CREATE INDEX CONCURRENTLY. Needs `verify`. */
  readonly isTransactional: boolean
  readonly verify?: VerifyQuery | undefined
  /** Takes back what `sql` did. */
  readonly down?: string | undefined
}

/** Holds when it is reached, or the migration ends there. */
export interface AssertStep extends Step {
  readonly kind: 'Assert'
  readonly verify: VerifyQuery
}

/** Rows of tables of the same names in another database. */
export interface CopyStep extends Step {
  readonly kind: 'Copy'
  readonly mode: CopyMode
  /** Of `Logical`: somebody says that nobody writes into the source any more. Else tables follow on, though they are the same at times. */
  readonly isCutOver?: true
  /** Which database the rows come from: how far a copy came says nothing about another one. */
  readonly source: string
  /** In this order; tables that others refer to come first. */
  readonly tables: readonly TableName[]
  /** At most, in one transaction. */
  readonly batchRows: number
  readonly verify?: VerifyQuery | undefined
  readonly down?: string | undefined
}

/**
 * - `Snapshot`: in ranges of keys, from a source where nobody writes any more.
 * - `Logical`: the servers replicate, also what is written meanwhile, until somebody says that it ends; then both sides have to be the same.
 */
export type CopyMode = 'Snapshot' | 'Logical'

/** One query. It holds if the first column of its first row reads so. */
export interface VerifyQuery {
  readonly sql: string
  readonly expect: string
}

export interface TableName {
  readonly schema: string
  readonly name: string
}
