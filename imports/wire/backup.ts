// Generated from crds/backup.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How Backup of data.konverge.dev looks on the wire.

/** Backup of a database, or a schedule that creates backups. */
export const Backup: BackupResource = Object.freeze({
  group: 'data.konverge.dev',
  version: 'v1alpha1',
  kind: 'Backup',
  plural: 'backups',
  scope: 'Namespaced',
})

/** The type of the descriptor `Backup`: a Resource<BackupSpec, BackupStatus>. */
export interface BackupResource {
  readonly group: 'data.konverge.dev'
  readonly version: 'v1alpha1'
  readonly kind: 'Backup'
  readonly plural: 'backups'
  readonly scope: 'Namespaced'
  /** Types only; never present at run time. */
  readonly types?: { readonly spec: BackupSpec; readonly status: BackupStatus }
}

/**
 * Desired state of the backup.
 * Rule: target is required for the methods Logical and Physical, and not allowed for Provider.
 * Rule: compress is not allowed for the method Provider.
 * Rule: the method Provider cannot verify backups; set verify.mode to None and remove queries.
 * Rule: schedule cannot be added or removed; create another Backup.
 * Rule: retention requires schedule; delete a one-off Backup when it is no longer needed.
 * Rule: zstd requires the method Physical; the method Logical supports gzip and none.
 * Rule: jobs and excludeTables require the method Logical.
 * Rule: timeZone requires schedule.
 * Rule: immediate requires schedule; a one-off Backup always starts immediately.
 * Rule: options, verify and deadline of a one-off Backup are immutable; create another Backup.
 */
export interface BackupSpec {
  /** Suspends new backups. A running one-off backup is stopped and restarted on resume. Default: false. */
  readonly suspend?: boolean
  /**
   * Database to back up, in the same namespace. Immutable.
   * Rule: databaseRef is immutable; create another Backup.
   * Rule: a Backup uses a Database of its own namespace; remove namespace.
   */
  readonly databaseRef: BackupSpecDatabaseRef
  /**
   * Backup method. Logical dumps the database with pg_dump. Physical copies the files of the whole server with
   * pg_basebackup and requires provider.inCluster. Provider requests a snapshot from the provider of the database and
   * requires provider.rds. Default: Logical. Immutable.
   * Rule: method is immutable; create another Backup.
   * @default "Logical"
   */
  readonly method: 'Logical' | 'Physical' | 'Provider'
  /**
   * Cron expression of five fields: minute, hour, day of the month, month, day of the week, e.g. 30 2 * * *. The
   * operator creates a Backup for each scheduled time. Scheduled times must be at least 5 minutes apart; the operator
   * rejects denser schedules with the condition Stalled, reason ScheduleTooFrequent. The field cannot be added or
   * removed.
   * At most 100 characters. Matches `^[0-9A-Za-z*,/#?-]+( [0-9A-Za-z*,/#?-]+){4}$`.
   */
  readonly schedule?: string
  /**
   * IANA time zone of the schedule, e.g. Europe/Berlin. Default: UTC.
   * At least 1 character. At most 64 characters.
   */
  readonly timeZone?: string
  /** Starts the first backup when the schedule is created instead of at its first scheduled time. Default: false. */
  readonly immediate?: boolean
  /**
   * Deadline for the start of a backup, in seconds after its scheduled time. A backup that misses the deadline is
   * skipped. Range: 60 to 604800. Default: 3600.
   * At least 60. At most 604800. Format int32.
   * @default 3600
   */
  readonly startingDeadlineSeconds: number
  /**
   * Handling of a scheduled time while the previous backup is running. Forbid waits for the previous backup. Replace
   * cancels it if it is not stored yet, and starts the new one. Default: Forbid.
   * @default "Forbid"
   */
  readonly concurrency: 'Forbid' | 'Replace'
  /**
   * Storage location of backups. Required for the methods Logical and Physical. Immutable.
   * Rule: set exactly one of pvc and s3.
   * Rule: target is immutable; create another Backup.
   */
  readonly target?: BackupSpecTarget
  /**
   * Options of the backup method.
   * @default {}
   */
  readonly options: BackupSpecOptions
  /**
   * Retention policy of a schedule. The newest verified backup is always kept. The operator deletes the artifact first,
   * then its Backup. Default: keep all backups.
   */
  readonly retention?: BackupSpecRetention
  /**
   * Verification of a stored backup.
   * @default {}
   */
  readonly verify: BackupSpecVerify
  /**
   * Handling of the artifact when the Backup is deleted. Retain keeps it. Delete removes it before the Backup. The
   * Backups of a schedule inherit the policy. Default: Retain.
   * @default "Retain"
   */
  readonly artifactPolicy: 'Retain' | 'Delete'
  /**
   * Time limit of the backup, and again of its verification, e.g. 1h. Range: 1m to 168h. Default: 1h.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: deadline must be from 1m to 168h.
   * @default "1h"
   */
  readonly deadline: string
}

/**
 * Desired state of the backup.
 * Rule: target is required for the methods Logical and Physical, and not allowed for Provider.
 * Rule: compress is not allowed for the method Provider.
 * Rule: the method Provider cannot verify backups; set verify.mode to None and remove queries.
 * Rule: schedule cannot be added or removed; create another Backup.
 * Rule: retention requires schedule; delete a one-off Backup when it is no longer needed.
 * Rule: zstd requires the method Physical; the method Logical supports gzip and none.
 * Rule: jobs and excludeTables require the method Logical.
 * Rule: timeZone requires schedule.
 * Rule: immediate requires schedule; a one-off Backup always starts immediately.
 * Rule: options, verify and deadline of a one-off Backup are immutable; create another Backup.
 */
export interface BackupSpecInput {
  /** Suspends new backups. A running one-off backup is stopped and restarted on resume. Default: false. */
  readonly suspend?: boolean
  /**
   * Database to back up, in the same namespace. Immutable.
   * Rule: databaseRef is immutable; create another Backup.
   * Rule: a Backup uses a Database of its own namespace; remove namespace.
   */
  readonly databaseRef: BackupSpecDatabaseRef
  /**
   * Backup method. Logical dumps the database with pg_dump. Physical copies the files of the whole server with
   * pg_basebackup and requires provider.inCluster. Provider requests a snapshot from the provider of the database and
   * requires provider.rds. Default: Logical. Immutable.
   * Rule: method is immutable; create another Backup.
   * @default "Logical"
   */
  readonly method?: 'Logical' | 'Physical' | 'Provider'
  /**
   * Cron expression of five fields: minute, hour, day of the month, month, day of the week, e.g. 30 2 * * *. The
   * operator creates a Backup for each scheduled time. Scheduled times must be at least 5 minutes apart; the operator
   * rejects denser schedules with the condition Stalled, reason ScheduleTooFrequent. The field cannot be added or
   * removed.
   * At most 100 characters. Matches `^[0-9A-Za-z*,/#?-]+( [0-9A-Za-z*,/#?-]+){4}$`.
   */
  readonly schedule?: string
  /**
   * IANA time zone of the schedule, e.g. Europe/Berlin. Default: UTC.
   * At least 1 character. At most 64 characters.
   */
  readonly timeZone?: string
  /** Starts the first backup when the schedule is created instead of at its first scheduled time. Default: false. */
  readonly immediate?: boolean
  /**
   * Deadline for the start of a backup, in seconds after its scheduled time. A backup that misses the deadline is
   * skipped. Range: 60 to 604800. Default: 3600.
   * At least 60. At most 604800. Format int32.
   * @default 3600
   */
  readonly startingDeadlineSeconds?: number
  /**
   * Handling of a scheduled time while the previous backup is running. Forbid waits for the previous backup. Replace
   * cancels it if it is not stored yet, and starts the new one. Default: Forbid.
   * @default "Forbid"
   */
  readonly concurrency?: 'Forbid' | 'Replace'
  /**
   * Storage location of backups. Required for the methods Logical and Physical. Immutable.
   * Rule: set exactly one of pvc and s3.
   * Rule: target is immutable; create another Backup.
   */
  readonly target?: BackupSpecTargetInput
  /**
   * Options of the backup method.
   * @default {}
   */
  readonly options?: BackupSpecOptionsInput
  /**
   * Retention policy of a schedule. The newest verified backup is always kept. The operator deletes the artifact first,
   * then its Backup. Default: keep all backups.
   */
  readonly retention?: BackupSpecRetention
  /**
   * Verification of a stored backup.
   * @default {}
   */
  readonly verify?: BackupSpecVerifyInput
  /**
   * Handling of the artifact when the Backup is deleted. Retain keeps it. Delete removes it before the Backup. The
   * Backups of a schedule inherit the policy. Default: Retain.
   * @default "Retain"
   */
  readonly artifactPolicy?: 'Retain' | 'Delete'
  /**
   * Time limit of the backup, and again of its verification, e.g. 1h. Range: 1m to 168h. Default: 1h.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: deadline must be from 1m to 168h.
   * @default "1h"
   */
  readonly deadline?: string
}

/** Observed state of the backup. The manifest next to the artifact is authoritative. */
export interface BackupStatus {
  /**
   * Generation of the spec that this status describes.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** Value of the annotation konverge.dev/reconcile-now at the last completed reconciliation. */
  readonly lastHandledReconcileAt?: string
  /** Current phase, a summary of the conditions. */
  readonly phase?: 'Pending' | 'Running' | 'Verifying' | 'Completed' | 'Failed' | 'Scheduled' | 'Suspended' | 'Discarded'
  /** Stored artifact. */
  readonly artifact?: BackupStatusArtifact
  /** Database and snapshot that the artifact contains. */
  readonly source?: BackupStatusSource
  /** Folder of the backup in the target. */
  readonly folder?: string
  /**
   * Snapshot request of the method Provider. Stored before the request is sent, and kept after the Database is deleted.
   */
  readonly snapshot?: BackupStatusSnapshot
  /**
   * Start time of the backup.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * Completion time of the backup.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly completedAt?: string
  /**
   * Time of the successful verification.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly verifiedAt?: string
  /** Last handled value of the annotation data.konverge.dev/verify-again. */
  readonly lastHandledVerify?: string
  /**
   * Cause of the failure.
   * At most 32768 characters.
   */
  readonly error?: string
  /**
   * Last scheduled time for which a Backup exists.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastScheduleTime?: string
  /**
   * Next scheduled time.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly nextScheduleTime?: string
  /**
   * Completion time of the last successful backup.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastSuccessTime?: string
  /**
   * Time of the last verification by restore.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastVerifiedTime?: string
  /**
   * Names of running Backups.
   * At most 1000 items. No item twice.
   */
  readonly active?: readonly string[]
  /** Number of Backups of the schedule, by state. */
  readonly counts?: BackupStatusCounts
  /**
   * Operator-internal journal of external resources. Do not edit.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly BackupStatusExternal[]
  /**
   * Conditions of the Backup. Always: Ready, Progressing and Degraded. One-off backups: Completed and Verified.
   * Schedules: Overdue and RetentionApplied. While true: Reconciling and Stalled.
   * One item for each type.
   */
  readonly conditions?: readonly BackupStatusConditions[]
}

/**
 * Database to back up, in the same namespace. Immutable.
 * Rule: databaseRef is immutable; create another Backup.
 * Rule: a Backup uses a Database of its own namespace; remove namespace.
 */
export interface BackupSpecDatabaseRef {
  /**
   * Name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Not allowed: a Backup uses a Database of its own namespace.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/**
 * Storage location of backups. Required for the methods Logical and Physical. Immutable.
 * Rule: set exactly one of pvc and s3.
 * Rule: target is immutable; create another Backup.
 */
export interface BackupSpecTarget {
  /** Volume in the same namespace. */
  readonly pvc?: BackupSpecTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: BackupSpecTargetS3
}

/** Volume in the same namespace. */
export interface BackupSpecTargetPvc {
  /**
   * Name of the PersistentVolumeClaim.
   * At least 1 character. At most 253 characters.
   */
  readonly claimName: string
  /**
   * Folder in the volume. Default: its root.
   * At least 1 character. At most 200 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`.
   */
  readonly path?: string
}

/** Bucket of Amazon S3 or of an S3-compatible store. */
export interface BackupSpecTargetS3 {
  /**
   * Name of the bucket.
   * At least 3 characters. At most 63 characters. Matches `^[a-z0-9][a-z0-9.-]*[a-z0-9]$`.
   */
  readonly bucket: string
  /**
   * Prefix of every key, without leading or trailing slash.
   * At least 1 character. At most 200 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`.
   */
  readonly prefix?: string
  /**
   * Region of the bucket. Default: us-east-1.
   * At least 1 character. At most 64 characters.
   * @default "us-east-1"
   */
  readonly region: string
  /**
   * URL of an S3-compatible store, e.g. https://minio.example.com. Default: the endpoint of Amazon S3.
   * At most 253 characters. Matches `^https?://[^/?#@\s]+/?$`.
   */
  readonly endpoint?: string
  /**
   * Puts the bucket name in the path of the URL instead of the host name. Most stores other than Amazon S3 need it.
   * Default: false.
   */
  readonly forcePathStyle?: boolean
  /**
   * Secret with the keys accessKeyId, secretAccessKey and optionally sessionToken. It must have the label
   * data.konverge.dev/usable-by-backup. Default: the AWS identity of the worker pod or its node.
   */
  readonly credentialsSecretRef?: BackupSpecTargetS3CredentialsSecretRef
  /** Server-side encryption of the stored objects. Default: the setting of the bucket. */
  readonly encryption?: BackupSpecTargetS3Encryption
  /**
   * Object Lock retention of stored objects in days, in mode GOVERNANCE. Range: 1 to 3650. The lock also binds the
   * operator. The bucket must have Object Lock enabled.
   * At least 1. At most 3650. Format int32.
   */
  readonly objectLockDays?: number
}

/**
 * Secret with the keys accessKeyId, secretAccessKey and optionally sessionToken. It must have the label
 * data.konverge.dev/usable-by-backup. Default: the AWS identity of the worker pod or its node.
 */
export interface BackupSpecTargetS3CredentialsSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/** Server-side encryption of the stored objects. Default: the setting of the bucket. */
export interface BackupSpecTargetS3Encryption {
  /** Encryption algorithm: AES256 (SSE-S3) or aws:kms (SSE-KMS). */
  readonly algorithm: 'AES256' | 'aws:kms'
  /**
   * KMS key for the algorithm aws:kms. Default: the AWS managed key.
   * At least 1 character. At most 253 characters.
   */
  readonly keyId?: string
}

/** Options of the backup method. */
export interface BackupSpecOptions {
  /**
   * Compression of the artifact.
   * Rule: level must be 1 to 9 for gzip and 1 to 19 for zstd, and is not allowed for none.
   */
  readonly compress?: BackupSpecOptionsCompress
  /**
   * Number of parallel jobs when the backup is restored, for verification or to a Database. Each job is one session on
   * the server. Range: 1 to 16. Default: 1. Method Logical only.
   * At least 1. At most 16. Format int32.
   */
  readonly jobs?: number
  /**
   * Tables whose rows are excluded, as schema.table, e.g. public.cache. The backup still contains their definitions.
   * List each partition by its own name. Method Logical only.
   * At most 100 items. No item twice.
   */
  readonly excludeTables?: readonly string[]
}

/**
 * Compression of the artifact.
 * Rule: level must be 1 to 9 for gzip and 1 to 19 for zstd, and is not allowed for none.
 */
export interface BackupSpecOptionsCompress {
  /**
   * Compression method: gzip, zstd (method Physical only) or none. Default: gzip.
   * @default "gzip"
   */
  readonly method: 'gzip' | 'zstd' | 'none'
  /**
   * Compression level: gzip 1 to 9 (default 1), zstd 1 to 19 (default: the default of zstd).
   * At least 1. At most 19. Format int32.
   */
  readonly level?: number
}

/**
 * Retention policy of a schedule. The newest verified backup is always kept. The operator deletes the artifact first,
 * then its Backup. Default: keep all backups.
 */
export interface BackupSpecRetention {
  /**
   * Number of newest backups to keep. Range: 1 to 1000.
   * At least 1. At most 1000. Format int32.
   */
  readonly keepLast: number
  /**
   * Number of days for which the newest backup of the day is kept. Days without a backup do not count. Range: 0 to
   * 1000. Default: 0.
   * At least 0. At most 1000. Format int32.
   */
  readonly keepDaily?: number
  /**
   * Number of weeks for which the newest backup of the week is kept. Range: 0 to 1000. Default: 0.
   * At least 0. At most 1000. Format int32.
   */
  readonly keepWeekly?: number
  /**
   * Number of months for which the newest backup of the month is kept. Range: 0 to 1000. Default: 0.
   * At least 0. At most 1000. Format int32.
   */
  readonly keepMonthly?: number
  /**
   * Maximum age of daily, weekly and monthly backups, relative to the newest backup, e.g. 720h. Default: unlimited.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   */
  readonly maxAge?: string
}

/** Verification of a stored backup. */
export interface BackupSpecVerify {
  /**
   * Verification mode. Restore restores the backup to a temporary database or server; with method Logical it compares
   * all rows. Checksum reads the artifact and compares its checksum. None skips verification. Default: Restore; None
   * for the method Provider.
   */
  readonly mode?: 'Restore' | 'Checksum' | 'None'
  /**
   * Verify every Nth scheduled backup by restoring it; verify the others by checksum. Range: 1 to 1000. Default: 7.
   * Schedules with mode Restore only.
   * At least 1. At most 1000. Format int32.
   * @default 7
   */
  readonly every: number
  /**
   * Queries on the restored database. They run as the owner of the database.
   * At most 16 items.
   */
  readonly queries?: readonly BackupSpecVerifyQueries[]
}

export interface BackupSpecVerifyQueries {
  /**
   * SQL query. The first column of its first row is compared with expect.
   * At least 1 character. At most 4096 characters.
   */
  readonly sql: string
  /**
   * Expected text of that column.
   * At most 256 characters.
   */
  readonly expect: string
}

/**
 * Storage location of backups. Required for the methods Logical and Physical. Immutable.
 * Rule: set exactly one of pvc and s3.
 * Rule: target is immutable; create another Backup.
 */
export interface BackupSpecTargetInput {
  /** Volume in the same namespace. */
  readonly pvc?: BackupSpecTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: BackupSpecTargetS3Input
}

/** Bucket of Amazon S3 or of an S3-compatible store. */
export interface BackupSpecTargetS3Input {
  /**
   * Name of the bucket.
   * At least 3 characters. At most 63 characters. Matches `^[a-z0-9][a-z0-9.-]*[a-z0-9]$`.
   */
  readonly bucket: string
  /**
   * Prefix of every key, without leading or trailing slash.
   * At least 1 character. At most 200 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`.
   */
  readonly prefix?: string
  /**
   * Region of the bucket. Default: us-east-1.
   * At least 1 character. At most 64 characters.
   * @default "us-east-1"
   */
  readonly region?: string
  /**
   * URL of an S3-compatible store, e.g. https://minio.example.com. Default: the endpoint of Amazon S3.
   * At most 253 characters. Matches `^https?://[^/?#@\s]+/?$`.
   */
  readonly endpoint?: string
  /**
   * Puts the bucket name in the path of the URL instead of the host name. Most stores other than Amazon S3 need it.
   * Default: false.
   */
  readonly forcePathStyle?: boolean
  /**
   * Secret with the keys accessKeyId, secretAccessKey and optionally sessionToken. It must have the label
   * data.konverge.dev/usable-by-backup. Default: the AWS identity of the worker pod or its node.
   */
  readonly credentialsSecretRef?: BackupSpecTargetS3CredentialsSecretRef
  /** Server-side encryption of the stored objects. Default: the setting of the bucket. */
  readonly encryption?: BackupSpecTargetS3Encryption
  /**
   * Object Lock retention of stored objects in days, in mode GOVERNANCE. Range: 1 to 3650. The lock also binds the
   * operator. The bucket must have Object Lock enabled.
   * At least 1. At most 3650. Format int32.
   */
  readonly objectLockDays?: number
}

/** Options of the backup method. */
export interface BackupSpecOptionsInput {
  /**
   * Compression of the artifact.
   * Rule: level must be 1 to 9 for gzip and 1 to 19 for zstd, and is not allowed for none.
   */
  readonly compress?: BackupSpecOptionsCompressInput
  /**
   * Number of parallel jobs when the backup is restored, for verification or to a Database. Each job is one session on
   * the server. Range: 1 to 16. Default: 1. Method Logical only.
   * At least 1. At most 16. Format int32.
   */
  readonly jobs?: number
  /**
   * Tables whose rows are excluded, as schema.table, e.g. public.cache. The backup still contains their definitions.
   * List each partition by its own name. Method Logical only.
   * At most 100 items. No item twice.
   */
  readonly excludeTables?: readonly string[]
}

/**
 * Compression of the artifact.
 * Rule: level must be 1 to 9 for gzip and 1 to 19 for zstd, and is not allowed for none.
 */
export interface BackupSpecOptionsCompressInput {
  /**
   * Compression method: gzip, zstd (method Physical only) or none. Default: gzip.
   * @default "gzip"
   */
  readonly method?: 'gzip' | 'zstd' | 'none'
  /**
   * Compression level: gzip 1 to 9 (default 1), zstd 1 to 19 (default: the default of zstd).
   * At least 1. At most 19. Format int32.
   */
  readonly level?: number
}

/** Verification of a stored backup. */
export interface BackupSpecVerifyInput {
  /**
   * Verification mode. Restore restores the backup to a temporary database or server; with method Logical it compares
   * all rows. Checksum reads the artifact and compares its checksum. None skips verification. Default: Restore; None
   * for the method Provider.
   */
  readonly mode?: 'Restore' | 'Checksum' | 'None'
  /**
   * Verify every Nth scheduled backup by restoring it; verify the others by checksum. Range: 1 to 1000. Default: 7.
   * Schedules with mode Restore only.
   * At least 1. At most 1000. Format int32.
   * @default 7
   */
  readonly every?: number
  /**
   * Queries on the restored database. They run as the owner of the database.
   * At most 16 items.
   */
  readonly queries?: readonly BackupSpecVerifyQueries[]
}

/** Stored artifact. */
export interface BackupStatusArtifact {
  /** URI of the folder with the artifact and its manifest. Method Provider: ARN of the snapshot. */
  readonly uri: string
  /**
   * Size of the artifact in bytes. Method Provider: size of the volume in bytes.
   * Format int64.
   */
  readonly bytes: number
  /** SHA-256 checksum of the artifact. */
  readonly sha256?: string
  /** SHA-256 checksum of the manifest. */
  readonly manifestSha256?: string
  /** Format of the artifact, e.g. pg_dump/custom. */
  readonly format: string
  /** Version of the program that wrote the artifact. */
  readonly toolVersion?: string
}

/** Database and snapshot that the artifact contains. */
export interface BackupStatusSource {
  /** UID of the Database. */
  readonly databaseUID: string
  /** System identifier of the server. */
  readonly systemIdentifier: string
  /** PostgreSQL version of the server. */
  readonly serverVersion: string
  /** WAL position (LSN) of the snapshot. Methods Logical and Physical. */
  readonly snapshotLSN?: string
  /**
   * Time of the snapshot. Method Provider.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly snapshotTime?: string
  /**
   * Number of tables in the snapshot.
   * Format int64.
   */
  readonly tables?: number
  /**
   * Number of rows in the snapshot.
   * Format int64.
   */
  readonly rows?: number
}

/**
 * Snapshot request of the method Provider. Stored before the request is sent, and kept after the Database is deleted.
 */
export interface BackupStatusSnapshot {
  /** Identifier of the database instance. */
  readonly instance: string
  /** Region of the instance. */
  readonly region: string
  /** Name of the Secret with the provider credentials. Absent if the operator uses its own identity. */
  readonly credentialsSecret?: string
  /** Database, as namespace/name. */
  readonly database: string
  /** UID of the Database. */
  readonly databaseUID: string
  /** Name of the database on the server. */
  readonly databaseName: string
  /** System identifier of the server. */
  readonly systemIdentifier: string
}

/** Number of Backups of the schedule, by state. */
export interface BackupStatusCounts {
  /**
   * Completed Backups that are kept.
   * Format int32.
   */
  readonly kept: number
  /**
   * Failed Backups.
   * Format int32.
   */
  readonly failed: number
  /**
   * Backups that are being deleted.
   * Format int32.
   */
  readonly going: number
}

export interface BackupStatusExternal {
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
  readonly token: BackupStatusExternalToken
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
export interface BackupStatusExternalToken {
  /** UID of the owning object. */
  readonly uid: string
  /**
   * Generation of the owning object that first requested the resource.
   * Format int64.
   */
  readonly generation: number
}

export interface BackupStatusConditions {
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
