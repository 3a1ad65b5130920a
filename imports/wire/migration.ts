// Generated from crds/migration.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How Migration of data.konverge.dev looks on the wire.

/** Ordered steps that migrate a database. Each step is applied once. */
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
 * Desired state of the migration.
 * Rule: concurrencyKey is immutable: a worker may hold its lock.
 */
export interface MigrationSpec {
  /**
   * Suspends the migration. A running step is rolled back and retried on resume. To pause the operator without stopping
   * a running worker, use the annotation konverge.dev/paused. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Database to migrate, in the same namespace. Immutable.
   * Rule: databaseRef is immutable; create another Migration.
   * Rule: a Migration uses Databases of its own namespace; remove namespace.
   */
  readonly databaseRef: MigrationSpecDatabaseRef
  /**
   * Steps of the migration, in execution order. Append new steps. An applied step cannot be changed, moved or removed.
   * At least 1 item. At most 100 items. One item for each name.
   * Rule: a step cannot be removed; append a step that reverts its changes.
   */
  readonly steps: readonly MigrationSpecSteps[]
  /**
   * Validation of all steps before the first one runs. The SQL statements are always parsed with the PostgreSQL
   * grammar.
   * @default {}
   */
  readonly schemaValidation: MigrationSpecSchemaValidation
  /**
   * Approval of the steps. Auto runs them immediately. Manual waits until the annotation data.konverge.dev/approve
   * holds status.planHash. Default: Auto.
   * @default "Auto"
   */
  readonly approval: 'Auto' | 'Manual'
  /**
   * Backup of the database before the first step. It is stored in spec.snapshotTarget of the Database and kept. Each
   * change of the steps creates another backup. Default: no backup.
   */
  readonly preBackup?: MigrationSpecPreBackup
  /**
   * Handling of applied steps when a step fails. Stop keeps them. RunDown reverts the steps that the current list of
   * steps has applied, last first. It stops at the first step without down. Default: Stop.
   * @default "Stop"
   */
  readonly onFailure: 'Stop' | 'RunDown'
  /**
   * Adopts leading SQL steps whose verify query already holds, and does not run them. Adoption ends when the first step
   * is applied. Default: false.
   * @default false
   */
  readonly baseline: boolean
  /**
   * Retry token. A new value retries a failed step.
   * At most 256 characters.
   */
  readonly retry?: string
  /**
   * Lock key. Migrations of one Database with the same key run one at a time. Default: database. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly concurrencyKey?: string
}

/**
 * Desired state of the migration.
 * Rule: concurrencyKey is immutable: a worker may hold its lock.
 */
export interface MigrationSpecInput {
  /**
   * Suspends the migration. A running step is rolled back and retried on resume. To pause the operator without stopping
   * a running worker, use the annotation konverge.dev/paused. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Database to migrate, in the same namespace. Immutable.
   * Rule: databaseRef is immutable; create another Migration.
   * Rule: a Migration uses Databases of its own namespace; remove namespace.
   */
  readonly databaseRef: MigrationSpecDatabaseRef
  /**
   * Steps of the migration, in execution order. Append new steps. An applied step cannot be changed, moved or removed.
   * At least 1 item. At most 100 items. One item for each name.
   * Rule: a step cannot be removed; append a step that reverts its changes.
   */
  readonly steps: readonly MigrationSpecStepsInput[]
  /**
   * Validation of all steps before the first one runs. The SQL statements are always parsed with the PostgreSQL
   * grammar.
   * @default {}
   */
  readonly schemaValidation?: MigrationSpecSchemaValidationInput
  /**
   * Approval of the steps. Auto runs them immediately. Manual waits until the annotation data.konverge.dev/approve
   * holds status.planHash. Default: Auto.
   * @default "Auto"
   */
  readonly approval?: 'Auto' | 'Manual'
  /**
   * Backup of the database before the first step. It is stored in spec.snapshotTarget of the Database and kept. Each
   * change of the steps creates another backup. Default: no backup.
   */
  readonly preBackup?: MigrationSpecPreBackupInput
  /**
   * Handling of applied steps when a step fails. Stop keeps them. RunDown reverts the steps that the current list of
   * steps has applied, last first. It stops at the first step without down. Default: Stop.
   * @default "Stop"
   */
  readonly onFailure?: 'Stop' | 'RunDown'
  /**
   * Adopts leading SQL steps whose verify query already holds, and does not run them. Adoption ends when the first step
   * is applied. Default: false.
   * @default false
   */
  readonly baseline?: boolean
  /**
   * Retry token. A new value retries a failed step.
   * At most 256 characters.
   */
  readonly retry?: string
  /**
   * Lock key. Migrations of one Database with the same key run one at a time. Default: database. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly concurrencyKey?: string
}

/** Observed state of the migration. The applied markers in the database are authoritative. */
export interface MigrationStatus {
  /**
   * Generation of the spec that this status describes.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** Value of the annotation konverge.dev/reconcile-now at the last completed reconciliation. */
  readonly lastHandledReconcileAt?: string
  /** Current phase, a summary of the conditions. */
  readonly phase?: 'Pending' | 'Validating' | 'AwaitingApproval' | 'Running' | 'Verifying' | 'Completed' | 'Failed' | 'Parting' | 'Parted'
  /** Digest of all steps. The annotation data.konverge.dev/approve must hold this value. */
  readonly planHash?: string
  /** Number of applied steps and of all steps, e.g. 3/7. */
  readonly progress?: string
  /** Name of the running or failed step. */
  readonly currentStep?: string
  /**
   * Time at which the last step was applied.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly appliedAt?: string
  /** Holder of the lock that the migration waits for. */
  readonly lockHolder?: string
  /**
   * Review of the steps that exceeded its limit of memory or time. The operator repeats it for other steps, or when the
   * annotation konverge.dev/reconcile-now has a new value.
   */
  readonly rejectedReview?: MigrationStatusRejectedReview
  /**
   * State of each step, and of removed steps whose replication still exists.
   * At most 200 items. One item for each name.
   */
  readonly steps?: readonly MigrationStatusSteps[]
  /**
   * Operator-internal journal of external resources. Do not edit.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly MigrationStatusExternal[]
  /**
   * Conditions of the Migration. Always: Ready, Progressing and Degraded. If known: SchemaValidated, DataCopied and
   * Completed. While true: Reconciling and Stalled.
   * One item for each type.
   */
  readonly conditions?: readonly MigrationStatusConditions[]
}

/**
 * Database to migrate, in the same namespace. Immutable.
 * Rule: databaseRef is immutable; create another Migration.
 * Rule: a Migration uses Databases of its own namespace; remove namespace.
 */
export interface MigrationSpecDatabaseRef {
  /**
   * Name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Not allowed: a Migration uses Databases of its own namespace.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/**
 * Rule: set exactly one of sql and configMapKeyRef for type SQL.
 * Rule: sql and configMapKeyRef require type SQL.
 * Rule: copy is required for type Copy, and not allowed for other types.
 * Rule: verify is required for type Assert, and down is not allowed.
 * Rule: transaction: false requires type SQL.
 * Rule: verify is required with transaction: false, to detect whether an interrupted attempt completed.
 */
export interface MigrationSpecSteps {
  /**
   * Unique, immutable name of the step.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly name: string
  /**
   * Type of the step. SQL runs statements. Copy copies rows of tables from another database. Assert runs the verify
   * query and fails the migration if the result differs from expect. Default: SQL.
   * @default "SQL"
   */
  readonly type: 'SQL' | 'Copy' | 'Assert'
  /**
   * SQL statements without BEGIN and COMMIT. The statements and the applied marker of the step are committed in one
   * transaction.
   * At least 1 character. At most 65536 characters.
   */
  readonly sql?: string
  /**
   * ConfigMap key with longer SQL statements, in the same namespace. All steps of a Migration together have at most
   * 1,000,000 bytes.
   */
  readonly configMapKeyRef?: MigrationSpecStepsConfigMapKeyRef
  /**
   * Runs the step in a transaction. Use false for one statement that PostgreSQL does not run in a transaction block,
   * e.g. CREATE INDEX CONCURRENTLY. The remains of an interrupted attempt are removed before the next one. Default:
   * true.
   * @default true
   */
  readonly transaction: boolean
  /**
   * Time limit of the step. For type Copy, it limits each batch and the final comparison. Range: 1s to 168h. Default:
   * 5m.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: timeout must be from 1s to 168h.
   * @default "5m"
   */
  readonly timeout: string
  /**
   * Time limit for each wait for a lock (lock_timeout). Other sessions queue behind a statement that waits for a lock.
   * Range: 10ms to 1h. Default: 5s.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: lockTimeout must be from 10ms to 1h.
   * @default "5s"
   */
  readonly lockTimeout: string
  /** Query that checks whether the step is in effect. */
  readonly verify?: MigrationSpecStepsVerify
  /**
   * SQL statements that revert the step. Used by onFailure: RunDown.
   * At least 1 character. At most 65536 characters.
   */
  readonly down?: string
  /** Source and tables of a step with type Copy. */
  readonly copy?: MigrationSpecStepsCopy
}

/**
 * ConfigMap key with longer SQL statements, in the same namespace. All steps of a Migration together have at most
 * 1,000,000 bytes.
 */
export interface MigrationSpecStepsConfigMapKeyRef {
  /**
   * Name of the ConfigMap.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the ConfigMap.
   * At least 1 character. At most 253 characters.
   */
  readonly key: string
  /**
   * SHA-256 checksum of the SQL text, in hexadecimal. The operator rejects other content.
   * Matches `^[0-9a-f]{64}$`.
   */
  readonly sha256: string
}

/** Query that checks whether the step is in effect. */
export interface MigrationSpecStepsVerify {
  /**
   * SQL query. The first column of its first row is compared with expect.
   * At least 1 character. At most 16384 characters.
   */
  readonly sql: string
  /**
   * Text of the first column if the step is in effect. Quote a number: "1". Default: "1".
   * At most 256 characters.
   * @default "1"
   */
  readonly expect: string
}

/** Source and tables of a step with type Copy. */
export interface MigrationSpecStepsCopy {
  /**
   * Source Database, in the same namespace.
   * Rule: a Migration uses Databases of its own namespace; remove namespace.
   */
  readonly from: MigrationSpecStepsCopyFrom
  /**
   * Tables to copy, as table or schema.table. Default schema: public. Each table needs a primary key, or a unique key
   * whose columns are not null. List referenced tables before the tables that refer to them.
   * At least 1 item. At most 256 items. No item twice.
   */
  readonly tables: readonly string[]
  /**
   * Copy mode. Snapshot copies ranges of keys while no application writes to the source. Logical replicates until the
   * annotation data.konverge.dev/cutover names the step; stop all writers before the cutover. Logical needs PostgreSQL
   * 16 or newer as the target, and empty tables. Default: Snapshot.
   * @default "Snapshot"
   */
  readonly mode: 'Snapshot' | 'Logical'
  /**
   * Maximum number of rows in one transaction. Batches of wide rows are smaller. Range: 1 to 100000. Default: 5000.
   * Mode Snapshot only.
   * At least 1. At most 100000. Format int32.
   * @default 5000
   */
  readonly batchRows: number
}

/**
 * Source Database, in the same namespace.
 * Rule: a Migration uses Databases of its own namespace; remove namespace.
 */
export interface MigrationSpecStepsCopyFrom {
  /**
   * Name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Not allowed: a Migration uses Databases of its own namespace.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/**
 * Validation of all steps before the first one runs. The SQL statements are always parsed with the PostgreSQL grammar.
 */
export interface MigrationSpecSchemaValidation {
  /**
   * Dry run of the steps. None skips it. Rollback runs the steps in one transaction and rolls it back; it holds their
   * locks meanwhile. The dry run ends before the first step that cannot run in that transaction. Default: None.
   * @default "None"
   */
  readonly dryRun: 'None' | 'Rollback'
  /**
   * Requires a verify query for every step. Default: false.
   * @default false
   */
  readonly requireVerify: boolean
}

/**
 * Backup of the database before the first step. It is stored in spec.snapshotTarget of the Database and kept. Each
 * change of the steps creates another backup. Default: no backup.
 */
export interface MigrationSpecPreBackup {
  /**
   * Requires the backup before the first step. With false, no backup is created. Default: true.
   * @default true
   */
  readonly required: boolean
  /**
   * Requires verification of the backup by restore. Default: true.
   * @default true
   */
  readonly verified: boolean
}

/**
 * Rule: set exactly one of sql and configMapKeyRef for type SQL.
 * Rule: sql and configMapKeyRef require type SQL.
 * Rule: copy is required for type Copy, and not allowed for other types.
 * Rule: verify is required for type Assert, and down is not allowed.
 * Rule: transaction: false requires type SQL.
 * Rule: verify is required with transaction: false, to detect whether an interrupted attempt completed.
 */
export interface MigrationSpecStepsInput {
  /**
   * Unique, immutable name of the step.
   * At least 1 character. At most 63 characters. Matches `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`.
   */
  readonly name: string
  /**
   * Type of the step. SQL runs statements. Copy copies rows of tables from another database. Assert runs the verify
   * query and fails the migration if the result differs from expect. Default: SQL.
   * @default "SQL"
   */
  readonly type?: 'SQL' | 'Copy' | 'Assert'
  /**
   * SQL statements without BEGIN and COMMIT. The statements and the applied marker of the step are committed in one
   * transaction.
   * At least 1 character. At most 65536 characters.
   */
  readonly sql?: string
  /**
   * ConfigMap key with longer SQL statements, in the same namespace. All steps of a Migration together have at most
   * 1,000,000 bytes.
   */
  readonly configMapKeyRef?: MigrationSpecStepsConfigMapKeyRef
  /**
   * Runs the step in a transaction. Use false for one statement that PostgreSQL does not run in a transaction block,
   * e.g. CREATE INDEX CONCURRENTLY. The remains of an interrupted attempt are removed before the next one. Default:
   * true.
   * @default true
   */
  readonly transaction?: boolean
  /**
   * Time limit of the step. For type Copy, it limits each batch and the final comparison. Range: 1s to 168h. Default:
   * 5m.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: timeout must be from 1s to 168h.
   * @default "5m"
   */
  readonly timeout?: string
  /**
   * Time limit for each wait for a lock (lock_timeout). Other sessions queue behind a statement that waits for a lock.
   * Range: 10ms to 1h. Default: 5s.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: lockTimeout must be from 10ms to 1h.
   * @default "5s"
   */
  readonly lockTimeout?: string
  /** Query that checks whether the step is in effect. */
  readonly verify?: MigrationSpecStepsVerifyInput
  /**
   * SQL statements that revert the step. Used by onFailure: RunDown.
   * At least 1 character. At most 65536 characters.
   */
  readonly down?: string
  /** Source and tables of a step with type Copy. */
  readonly copy?: MigrationSpecStepsCopyInput
}

/** Query that checks whether the step is in effect. */
export interface MigrationSpecStepsVerifyInput {
  /**
   * SQL query. The first column of its first row is compared with expect.
   * At least 1 character. At most 16384 characters.
   */
  readonly sql: string
  /**
   * Text of the first column if the step is in effect. Quote a number: "1". Default: "1".
   * At most 256 characters.
   * @default "1"
   */
  readonly expect?: string
}

/** Source and tables of a step with type Copy. */
export interface MigrationSpecStepsCopyInput {
  /**
   * Source Database, in the same namespace.
   * Rule: a Migration uses Databases of its own namespace; remove namespace.
   */
  readonly from: MigrationSpecStepsCopyFrom
  /**
   * Tables to copy, as table or schema.table. Default schema: public. Each table needs a primary key, or a unique key
   * whose columns are not null. List referenced tables before the tables that refer to them.
   * At least 1 item. At most 256 items. No item twice.
   */
  readonly tables: readonly string[]
  /**
   * Copy mode. Snapshot copies ranges of keys while no application writes to the source. Logical replicates until the
   * annotation data.konverge.dev/cutover names the step; stop all writers before the cutover. Logical needs PostgreSQL
   * 16 or newer as the target, and empty tables. Default: Snapshot.
   * @default "Snapshot"
   */
  readonly mode?: 'Snapshot' | 'Logical'
  /**
   * Maximum number of rows in one transaction. Batches of wide rows are smaller. Range: 1 to 100000. Default: 5000.
   * Mode Snapshot only.
   * At least 1. At most 100000. Format int32.
   * @default 5000
   */
  readonly batchRows?: number
}

/**
 * Validation of all steps before the first one runs. The SQL statements are always parsed with the PostgreSQL grammar.
 */
export interface MigrationSpecSchemaValidationInput {
  /**
   * Dry run of the steps. None skips it. Rollback runs the steps in one transaction and rolls it back; it holds their
   * locks meanwhile. The dry run ends before the first step that cannot run in that transaction. Default: None.
   * @default "None"
   */
  readonly dryRun?: 'None' | 'Rollback'
  /**
   * Requires a verify query for every step. Default: false.
   * @default false
   */
  readonly requireVerify?: boolean
}

/**
 * Backup of the database before the first step. It is stored in spec.snapshotTarget of the Database and kept. Each
 * change of the steps creates another backup. Default: no backup.
 */
export interface MigrationSpecPreBackupInput {
  /**
   * Requires the backup before the first step. With false, no backup is created. Default: true.
   * @default true
   */
  readonly required?: boolean
  /**
   * Requires verification of the backup by restore. Default: true.
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
   * Digest of the reviewed steps.
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
  /** Name of the step. */
  readonly name: string
  /** State of the step. */
  readonly state: 'Pending' | 'Running' | 'Applied' | 'Adopted' | 'Undone' | 'Failed' | 'UndoFailed'
  /** Checksum of the applied step. */
  readonly checksum?: string
  /**
   * Number of attempts.
   * Format int32.
   */
  readonly attempts?: number
  /**
   * Start time of the last attempt.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * End time of the last attempt.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly finishedAt?: string
  /**
   * Number of copied rows.
   * Format int64.
   */
  readonly rowsCopied?: number
  /** Database that the step replicates from, as namespace/name, while replication objects exist. */
  readonly source?: string
  /** Name of the replication objects on both servers. */
  readonly replication?: string
  /** SQLSTATE code of the failure. */
  readonly sqlState?: string
  /**
   * Error message of the failure.
   * At most 32768 characters.
   */
  readonly message?: string
}

export interface MigrationStatusExternal {
  /**
   * Name of the external resource, unique in this list.
   * At least 1 character. At most 63 characters.
   */
  readonly name: string
  /** Phase of the resource. Pending: requested. Available: observed. Deleting: removal requested. */
  readonly phase: 'Pending' | 'Available' | 'Deleting'
  /**
   * Name of the resource at its provider. Chosen before creation and never changed.
   * At least 1 character. At most 253 characters.
   */
  readonly externalName: string
  /** Ownership token that identifies the creator of the resource. */
  readonly token: MigrationStatusExternalToken
  /**
   * Time of the last creation request.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly requestedAt: string
  /** Permanent identifier at the provider, once known, e.g. an ARN. */
  readonly providerID?: string
  /**
   * Generation whose changes were last applied to the resource.
   * Format int64.
   */
  readonly appliedGeneration?: number
}

/** Ownership token that identifies the creator of the resource. */
export interface MigrationStatusExternalToken {
  /** UID of the owning object. */
  readonly uid: string
  /**
   * Generation of the owning object that first requested the resource.
   * Format int64.
   */
  readonly generation: number
}

export interface MigrationStatusConditions {
  /**
   * Type of the condition.
   * At least 1 character. At most 316 characters.
   */
  readonly type: string
  /** Status of the condition: True, False or Unknown. */
  readonly status: 'True' | 'False' | 'Unknown'
  /**
   * Generation of the spec that the condition was evaluated for.
   * At least 0. Format int64.
   */
  readonly observedGeneration?: number
  /**
   * Time of the last change of status.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastTransitionTime: string
  /**
   * Machine-readable reason in CamelCase.
   * At least 1 character. At most 1024 characters.
   */
  readonly reason: string
  /**
   * Human-readable details.
   * At most 32768 characters.
   */
  readonly message: string
}
