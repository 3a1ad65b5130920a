// Steps of a migration, as values: SQL, an assertion, or a copy of tables. The caller knows their origin.

export type MigrationStep = SqlStep | CopyStep | AssertStep

interface Step {
  /** Unique in its migration and immutable: it identifies an applied step. */
  readonly name: string
  /** Limit of the whole step. For a copy: of each batch, and of the final comparison. */
  readonly timeoutMs: number
  /** Limit of one statement's wait for a lock. */
  readonly lockTimeoutMs: number
}

export interface SqlStep extends Step {
  readonly kind: 'SQL'
  /** Sent unchanged, in one message. */
  readonly sql: string
  /** False for a statement that cannot run in a transaction, such as CREATE INDEX CONCURRENTLY. Requires `verify`. */
  readonly isTransactional: boolean
  readonly verify?: VerifyQuery | undefined
  /** Rolls back `sql`. */
  readonly down?: string | undefined
}

/** A check that has to hold at this point. Otherwise the migration stops. */
export interface AssertStep extends Step {
  readonly kind: 'Assert'
  readonly verify: VerifyQuery
}

/** Copies rows of tables from the same tables of another database. */
export interface CopyStep extends Step {
  readonly kind: 'Copy'
  readonly mode: CopyMode
  /**
   * For `Logical`: the user confirms that writes to the source have ended. Otherwise replication continues, even while
   * the tables are equal.
   */
  readonly isCutOver?: true
  /** Identity of the source database. The progress of a copy is valid only for this source. */
  readonly source: string
  /** In copy order. Referenced tables come first. */
  readonly tables: readonly TableName[]
  /** Maximum rows in one transaction. */
  readonly batchRows: number
  readonly verify?: VerifyQuery | undefined
  readonly down?: string | undefined
}

/**
 * - `Snapshot`: copies ranges of keys, from a source without writers.
 * - `Logical`: replicates, including later writes, until the user confirms the cutover; then both databases have to be
 * equal.
 */
export type CopyMode = 'Snapshot' | 'Logical'

/** One query. Holds if the first column of its first row equals `expect`. */
export interface VerifyQuery {
  readonly sql: string
  readonly expect: string
}

export interface TableName {
  readonly schema: string
  readonly name: string
}
