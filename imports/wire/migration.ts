// Generated from crds/migration.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How Migration of data.konverge.dev looks on the wire.

/** Steps that change a database, in their order, each of them once. */
export const Migration: MigrationResource = Object.freeze({
  group: 'data.konverge.dev',
  version: 'v1alpha1',
  kind: 'Migration',
  plural: 'migrations',
  scope: 'Namespaced',
})

/** The type of the descriptor `Migration`: a Resource<MigrationSpec, MigrationStatus>. */
export interface MigrationResource {
  readonly group: 'data.konverge.dev'
  readonly version: 'v1alpha1'
  readonly kind: 'Migration'
  readonly plural: 'migrations'
  readonly scope: 'Namespaced'
  /** Types only; never present at run time. */
  readonly types?: { readonly spec: MigrationSpec; readonly status: MigrationStatus }
}

/**
 * What is to be changed, and how carefully.
 * Rule: concurrencyKey is immutable, as a worker may hold it.
 */
export interface MigrationSpec {
  /**
   * Whether nothing goes on: while true no step is begun, and one that is under way is taken back and begun again
   * later. The annotation konverge.dev/paused leaves a worker that is at it to its work.
   */
  readonly suspend?: boolean
  /**
   * The Database that is changed. Immutable.
   * Rule: databaseRef is immutable; create a new Migration.
   * Rule: a Migration is made in the namespace of its Database, and so are those that it copies from; leave namespace
   * out.
   */
  readonly databaseRef: MigrationSpecDatabaseRef
  /**
   * What is done, in this order. Add steps at the end; those that were applied stay as they are.
   * At least 1 item. At most 100 items. One item for each name.
   * Rule: a step stays once it is there; add one that takes back what it did.
   */
  readonly steps: readonly MigrationSpecSteps[]
  /**
   * What is done with the steps before any of them runs. Their text is always read by PostgreSQL's own grammar.
   * @default {}
   */
  readonly schemaValidation: MigrationSpecSchemaValidation
  /**
   * Whether steps run at once, or wait until the annotation data.konverge.dev/approve holds status.planHash.
   * @default "Auto"
   */
  readonly approval: 'Auto' | 'Manual'
  /**
   * A backup of the whole database before the first of its steps, kept as spec.snapshotTarget of the Database says.
   * Each list of steps has its own, and it stays.
   */
  readonly preBackup?: MigrationSpecPreBackup
  /**
   * What becomes of what was applied when a step fails. Stop leaves it; RunDown takes back what this very list of steps
   * has applied, backwards, as far as steps say how.
   * @default "Stop"
   */
  readonly onFailure: 'Stop' | 'RunDown'
  /**
   * Whether steps of SQL whose verify query holds before the first step has changed anything are taken as applied.
   * @default false
   */
  readonly baseline: boolean
  /**
   * Any text; whenever it changes, what failed is tried again.
   * At most 256 characters.
   */
  readonly retry?: string
  /**
   * Migrations of one database that have the same run one after the other. Without it all of them. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly concurrencyKey?: string
}

/**
 * What is to be changed, and how carefully.
 * Rule: concurrencyKey is immutable, as a worker may hold it.
 */
export interface MigrationSpecInput {
  /**
   * Whether nothing goes on: while true no step is begun, and one that is under way is taken back and begun again
   * later. The annotation konverge.dev/paused leaves a worker that is at it to its work.
   */
  readonly suspend?: boolean
  /**
   * The Database that is changed. Immutable.
   * Rule: databaseRef is immutable; create a new Migration.
   * Rule: a Migration is made in the namespace of its Database, and so are those that it copies from; leave namespace
   * out.
   */
  readonly databaseRef: MigrationSpecDatabaseRef
  /**
   * What is done, in this order. Add steps at the end; those that were applied stay as they are.
   * At least 1 item. At most 100 items. One item for each name.
   * Rule: a step stays once it is there; add one that takes back what it did.
   */
  readonly steps: readonly MigrationSpecStepsInput[]
  /**
   * What is done with the steps before any of them runs. Their text is always read by PostgreSQL's own grammar.
   * @default {}
   */
  readonly schemaValidation?: MigrationSpecSchemaValidationInput
  /**
   * Whether steps run at once, or wait until the annotation data.konverge.dev/approve holds status.planHash.
   * @default "Auto"
   */
  readonly approval?: 'Auto' | 'Manual'
  /**
   * A backup of the whole database before the first of its steps, kept as spec.snapshotTarget of the Database says.
   * Each list of steps has its own, and it stays.
   */
  readonly preBackup?: MigrationSpecPreBackupInput
  /**
   * What becomes of what was applied when a step fails. Stop leaves it; RunDown takes back what this very list of steps
   * has applied, backwards, as far as steps say how.
   * @default "Stop"
   */
  readonly onFailure?: 'Stop' | 'RunDown'
  /**
   * Whether steps of SQL whose verify query holds before the first step has changed anything are taken as applied.
   * @default false
   */
  readonly baseline?: boolean
  /**
   * Any text; whenever it changes, what failed is tried again.
   * At most 256 characters.
   */
  readonly retry?: string
  /**
   * Migrations of one database that have the same run one after the other. Without it all of them. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly concurrencyKey?: string
}

/** How far it came, as the marks in the database say. */
export interface MigrationStatus {
  /**
   * The generation of the spec that this status is about.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** The newest konverge.dev/reconcile-now annotation whose turn has ended. */
  readonly lastHandledReconcileAt?: string
  /** What is being done, in one word. */
  readonly phase?: 'Pending' | 'Validating' | 'AwaitingApproval' | 'Running' | 'Verifying' | 'Completed' | 'Failed' | 'Parting' | 'Parted'
  /** What an approval is given for: a digest of all steps. */
  readonly planHash?: string
  /** How many of its steps are applied: 3/7. */
  readonly progress?: string
  /** The step that is being done, or that failed. */
  readonly currentStep?: string
  /**
   * When the last step was applied.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly appliedAt?: string
  /** Who holds the lock that it waits for. */
  readonly lockHolder?: string
  /**
   * Review of the steps that exceeded its limit of memory or time. The operator repeats it for other steps, or when the
   * annotation konverge.dev/reconcile-now has a new value.
   */
  readonly rejectedReview?: MigrationStatusRejectedReview
  /**
   * Each of its steps, and those that are none of them any more and follow their source still.
   * At most 200 items. One item for each name.
   */
  readonly steps?: readonly MigrationStatusSteps[]
  /**
   * What is there of it outside the cluster. The operator's own record, which it needs to go on after a crash.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly MigrationStatusExternal[]
  /**
   * Ready, Progressing and Degraded always, with SchemaValidated, DataCopied and Completed as far as they are known;
   * Reconciling and Stalled while they are true.
   * One item for each type.
   */
  readonly conditions?: readonly MigrationStatusConditions[]
}

/**
 * The Database that is changed. Immutable.
 * Rule: databaseRef is immutable; create a new Migration.
 * Rule: a Migration is made in the namespace of its Database, and so are those that it copies from; leave namespace
 * out.
 */
export interface MigrationSpecDatabaseRef {
  /**
   * The name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Refused, as a Migration is made in the namespace of its Database.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/**
 * Rule: a step of type SQL has exactly one of sql and configMapKeyRef.
 * Rule: only a step of type SQL has sql or configMapKeyRef.
 * Rule: give copy with type Copy, and with no other.
 * Rule: a step of type Assert has verify, and nothing to take back.
 * Rule: only a step of type SQL runs outside a transaction.
 * Rule: a step outside a transaction needs verify, because only that tells whether an interrupted attempt was done.
 */
export interface MigrationSpecSteps {
  /**
   * What it is known by, for ever.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly name: string
  /**
   * SQL runs a text. Copy brings the rows of tables from another database. Assert asks its verify query when it is
   * reached, and the migration ends there if it does not hold.
   * @default "SQL"
   */
  readonly type: 'SQL' | 'Copy' | 'Assert'
  /**
   * Statements of PostgreSQL, without BEGIN and COMMIT: they and the mark that they were applied are one transaction.
   * At least 1 character. At most 65536 characters.
   */
  readonly sql?: string
  /**
   * Key of a ConfigMap of the same namespace that holds a longer text. All texts of a Migration have 1,000,000 bytes at
   * most.
   */
  readonly configMapKeyRef?: MigrationSpecStepsConfigMapKeyRef
  /**
   * False for the one statement that no transaction takes, such as CREATE INDEX CONCURRENTLY; what an interrupted
   * attempt leaves is removed before the next one.
   * @default true
   */
  readonly transaction: boolean
  /**
   * How long it may take, such as 5m; of a copy, each batch and the comparison at the end.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: timeout is from 1s to 168h.
   * @default "5m"
   */
  readonly timeout: string
  /**
   * How long a statement of it waits for a lock, and all who come after it wait with it.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: lockTimeout is from 10ms to 1h.
   * @default "5s"
   */
  readonly lockTimeout: string
  /** A query that tells whether the step is in effect. */
  readonly verify?: MigrationSpecStepsVerify
  /**
   * Statements that take back what it did, for onFailure: RunDown.
   * At least 1 character. At most 65536 characters.
   */
  readonly down?: string
  /** What is copied, for type Copy. */
  readonly copy?: MigrationSpecStepsCopy
}

/**
 * Key of a ConfigMap of the same namespace that holds a longer text. All texts of a Migration have 1,000,000 bytes at
 * most.
 */
export interface MigrationSpecStepsConfigMapKeyRef {
  /**
   * The ConfigMap's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   */
  readonly key: string
  /**
   * Of the text, so that what runs is what was meant.
   * Matches `^[0-9a-f]{64}$`.
   */
  readonly sha256: string
}

/** A query that tells whether the step is in effect. */
export interface MigrationSpecStepsVerify {
  /**
   * One query, whose first row counts.
   * At least 1 character. At most 16384 characters.
   */
  readonly sql: string
  /**
   * Text of the first column if the step is in effect. Quote a number: "1".
   * At most 256 characters.
   * @default "1"
   */
  readonly expect: string
}

/** What is copied, for type Copy. */
export interface MigrationSpecStepsCopy {
  /**
   * The Database whose rows are copied.
   * Rule: a Migration is made in the namespace of its Database, and so are those that it copies from; leave namespace
   * out.
   */
  readonly from: MigrationSpecStepsCopyFrom
  /**
   * Tables by name, or by schema and name; without a schema that is public. Each needs a primary key or a unique one
   * without nulls. Those that others refer to come first.
   * At least 1 item. At most 256 items. No item twice.
   */
  readonly tables: readonly string[]
  /**
   * Snapshot reads ranges of keys, while nobody writes into the source. Logical lets the servers replicate until the
   * annotation data.konverge.dev/cutover names the step, after writers have stopped; it needs a target of PostgreSQL 16
   * or newer, and empty tables.
   * @default "Snapshot"
   */
  readonly mode: 'Snapshot' | 'Logical'
  /**
   * The most rows in one transaction, with mode Snapshot; fewer where they are wide.
   * At least 1. At most 100000. Format int32.
   * @default 5000
   */
  readonly batchRows: number
}

/**
 * The Database whose rows are copied.
 * Rule: a Migration is made in the namespace of its Database, and so are those that it copies from; leave namespace
 * out.
 */
export interface MigrationSpecStepsCopyFrom {
  /**
   * The name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Refused, as a Migration is made in the namespace of its Database.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/** What is done with the steps before any of them runs. Their text is always read by PostgreSQL's own grammar. */
export interface MigrationSpecSchemaValidation {
  /**
   * Rollback carries the steps out in one transaction that is taken back, up to the first that no transaction takes; it
   * holds their locks for that time.
   * @default "None"
   */
  readonly dryRun: 'None' | 'Rollback'
  /**
   * Whether every step needs a verify query.
   * @default false
   */
  readonly requireVerify: boolean
}

/**
 * A backup of the whole database before the first of its steps, kept as spec.snapshotTarget of the Database says. Each
 * list of steps has its own, and it stays.
 */
export interface MigrationSpecPreBackup {
  /**
   * Whether no step is begun without it.
   * @default true
   */
  readonly required: boolean
  /**
   * Whether it has to be restored and found equal, and not only stored.
   * @default true
   */
  readonly verified: boolean
}

/**
 * Rule: a step of type SQL has exactly one of sql and configMapKeyRef.
 * Rule: only a step of type SQL has sql or configMapKeyRef.
 * Rule: give copy with type Copy, and with no other.
 * Rule: a step of type Assert has verify, and nothing to take back.
 * Rule: only a step of type SQL runs outside a transaction.
 * Rule: a step outside a transaction needs verify, because only that tells whether an interrupted attempt was done.
 */
export interface MigrationSpecStepsInput {
  /**
   * What it is known by, for ever.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly name: string
  /**
   * SQL runs a text. Copy brings the rows of tables from another database. Assert asks its verify query when it is
   * reached, and the migration ends there if it does not hold.
   * @default "SQL"
   */
  readonly type?: 'SQL' | 'Copy' | 'Assert'
  /**
   * Statements of PostgreSQL, without BEGIN and COMMIT: they and the mark that they were applied are one transaction.
   * At least 1 character. At most 65536 characters.
   */
  readonly sql?: string
  /**
   * Key of a ConfigMap of the same namespace that holds a longer text. All texts of a Migration have 1,000,000 bytes at
   * most.
   */
  readonly configMapKeyRef?: MigrationSpecStepsConfigMapKeyRef
  /**
   * False for the one statement that no transaction takes, such as CREATE INDEX CONCURRENTLY; what an interrupted
   * attempt leaves is removed before the next one.
   * @default true
   */
  readonly transaction?: boolean
  /**
   * How long it may take, such as 5m; of a copy, each batch and the comparison at the end.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: timeout is from 1s to 168h.
   * @default "5m"
   */
  readonly timeout?: string
  /**
   * How long a statement of it waits for a lock, and all who come after it wait with it.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: lockTimeout is from 10ms to 1h.
   * @default "5s"
   */
  readonly lockTimeout?: string
  /** A query that tells whether the step is in effect. */
  readonly verify?: MigrationSpecStepsVerifyInput
  /**
   * Statements that take back what it did, for onFailure: RunDown.
   * At least 1 character. At most 65536 characters.
   */
  readonly down?: string
  /** What is copied, for type Copy. */
  readonly copy?: MigrationSpecStepsCopyInput
}

/** A query that tells whether the step is in effect. */
export interface MigrationSpecStepsVerifyInput {
  /**
   * One query, whose first row counts.
   * At least 1 character. At most 16384 characters.
   */
  readonly sql: string
  /**
   * Text of the first column if the step is in effect. Quote a number: "1".
   * At most 256 characters.
   * @default "1"
   */
  readonly expect?: string
}

/** What is copied, for type Copy. */
export interface MigrationSpecStepsCopyInput {
  /**
   * The Database whose rows are copied.
   * Rule: a Migration is made in the namespace of its Database, and so are those that it copies from; leave namespace
   * out.
   */
  readonly from: MigrationSpecStepsCopyFrom
  /**
   * Tables by name, or by schema and name; without a schema that is public. Each needs a primary key or a unique one
   * without nulls. Those that others refer to come first.
   * At least 1 item. At most 256 items. No item twice.
   */
  readonly tables: readonly string[]
  /**
   * Snapshot reads ranges of keys, while nobody writes into the source. Logical lets the servers replicate until the
   * annotation data.konverge.dev/cutover names the step, after writers have stopped; it needs a target of PostgreSQL 16
   * or newer, and empty tables.
   * @default "Snapshot"
   */
  readonly mode?: 'Snapshot' | 'Logical'
  /**
   * The most rows in one transaction, with mode Snapshot; fewer where they are wide.
   * At least 1. At most 100000. Format int32.
   * @default 5000
   */
  readonly batchRows?: number
}

/** What is done with the steps before any of them runs. Their text is always read by PostgreSQL's own grammar. */
export interface MigrationSpecSchemaValidationInput {
  /**
   * Rollback carries the steps out in one transaction that is taken back, up to the first that no transaction takes; it
   * holds their locks for that time.
   * @default "None"
   */
  readonly dryRun?: 'None' | 'Rollback'
  /**
   * Whether every step needs a verify query.
   * @default false
   */
  readonly requireVerify?: boolean
}

/**
 * A backup of the whole database before the first of its steps, kept as spec.snapshotTarget of the Database says. Each
 * list of steps has its own, and it stays.
 */
export interface MigrationSpecPreBackupInput {
  /**
   * Whether no step is begun without it.
   * @default true
   */
  readonly required?: boolean
  /**
   * Whether it has to be restored and found equal, and not only stored.
   * @default true
   */
  readonly verified?: boolean
}

/**
 * Review of the steps that exceeded its limit of memory or time. The operator repeats it for other steps, or when the
 * annotation konverge.dev/reconcile-now has a new value.
 */
export interface MigrationStatusRejectedReview {
  /**
   * Digest of the steps that were reviewed.
   * At most 64 characters.
   */
  readonly digest: string
  /**
   * Reason of the condition SchemaValidated.
   * At most 64 characters.
   */
  readonly reason: string
  /**
   * Message of the condition SchemaValidated.
   * At most 32768 characters.
   */
  readonly message: string
}

export interface MigrationStatusSteps {
  /** The name of the step. */
  readonly name: string
  /** How far it is. */
  readonly state: 'Pending' | 'Running' | 'Applied' | 'Adopted' | 'Undone' | 'Failed' | 'UndoFailed'
  /** Of the text that was applied. */
  readonly checksum?: string
  /**
   * How often it was begun.
   * Format int32.
   */
  readonly attempts?: number
  /**
   * When it was last begun.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * When it ended.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly finishedAt?: string
  /**
   * How many rows it has copied.
   * Format int64.
   */
  readonly rowsCopied?: number
  /** The Database that it follows by replication, as namespace/name, while parts of that are there. */
  readonly source?: string
  /** What the parts of that replication are called on both servers. */
  readonly replication?: string
  /** What PostgreSQL calls the failure. */
  readonly sqlState?: string
  /**
   * What it says about it.
   * At most 32768 characters.
   */
  readonly message?: string
}

export interface MigrationStatusExternal {
  /**
   * Which of the parts it is.
   * At least 1 character. At most 63 characters.
   */
  readonly name: string
  /** How far it is. */
  readonly phase: 'Pending' | 'Available' | 'Deleting'
  /**
   * The name it has outside, chosen before it is made.
   * At least 1 character. At most 253 characters.
   */
  readonly externalName: string
  /** Who made it. */
  readonly token: MigrationStatusExternalToken
  /**
   * When its making was last asked for.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly requestedAt: string
  /** What the provider calls it for ever, once known. */
  readonly providerID?: string
  /**
   * The generation whose changes were last carried out.
   * Format int64.
   */
  readonly appliedGeneration?: number
}

/** Who made it. */
export interface MigrationStatusExternalToken {
  /** The resource's uid. */
  readonly uid: string
  /**
   * The generation that first asked for it.
   * Format int64.
   */
  readonly generation: number
}

export interface MigrationStatusConditions {
  /**
   * What the condition is about.
   * At least 1 character. At most 316 characters.
   */
  readonly type: string
  /** Whether it holds. */
  readonly status: 'True' | 'False' | 'Unknown'
  /**
   * The generation that it was judged by.
   * At least 0. Format int64.
   */
  readonly observedGeneration?: number
  /**
   * When the status last changed.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastTransitionTime: string
  /**
   * One word for programs.
   * At least 1 character. At most 1024 characters.
   */
  readonly reason: string
  /**
   * A sentence for people.
   * At most 32768 characters.
   */
  readonly message: string
}
