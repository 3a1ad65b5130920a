// Generated from crds/backup.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How Backup of data.konverge.dev looks on the wire.

/** A backup of a database, or a schedule of such. */
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
 * What is saved, where to, and how it is proven.
 * Rule: a backup is kept in a target; only the method Provider has none, as the provider of the database keeps what it
 * makes.
 * Rule: compress is of the methods Logical and Physical.
 * Rule: what the method Provider has made is proven by a Database that begins with it; verify.mode is None.
 * Rule: a Backup with a schedule stays one, and one without stays without.
 * Rule: only a Backup with a schedule has retention; delete this one when it is not needed any more.
 * Rule: the method Logical packs by gzip or none; zstd is of the method Physical.
 * Rule: jobs and excludeTables are of the method Logical.
 * Rule: a time zone is of a schedule.
 * Rule: immediate is of a schedule; a Backup without one is always made at once.
 * Rule: options, verify and deadline of a single backup are immutable; make another Backup.
 */
export interface BackupSpec {
  /**
   * Whether no backup is begun while it is true. Of a single backup, the worker that is at it is ended and begun again
   * later.
   */
  readonly suspend?: boolean
  /**
   * The Database that is saved, of the same namespace. Immutable.
   * Rule: databaseRef is immutable; make another Backup.
   * Rule: a Backup is made in the namespace of its Database; leave namespace out.
   */
  readonly databaseRef: BackupSpecDatabaseRef
  /**
   * Logical saves what is in the database by pg_dump. Physical copies the files of its whole server, which has to be
   * one of its own (inCluster), by pg_basebackup. Provider has the provider of the database make a snapshot and keep
   * it, which rds does. Immutable.
   * Rule: method is immutable; make another Backup.
   * @default "Logical"
   */
  readonly method: 'Logical' | 'Physical' | 'Provider'
  /**
   * Cron expression of five fields: minute, hour, day of the month, month, day of the week, e.g. 30 2 * * *. The
   * operator makes a Backup for each scheduled time. Scheduled times are at least 5 minutes apart; the operator rejects
   * denser schedules with the condition Stalled, reason ScheduleTooFrequent.
   * At most 100 characters. Matches `^[0-9A-Za-z*,/#?-]+( [0-9A-Za-z*,/#?-]+){4}$`.
   */
  readonly schedule?: string
  /**
   * IANA time zone of the schedule, e.g. Europe/Berlin. Default: UTC.
   * At least 1 character. At most 64 characters.
   */
  readonly timeZone?: string
  /** Of a schedule, whether the first backup is made as soon as the schedule is, and not at its first slot. */
  readonly immediate?: boolean
  /**
   * How long after its slot a backup may still begin; later ones are left out.
   * At least 60. At most 604800. Format int32.
   * @default 3600
   */
  readonly startingDeadlineSeconds: number
  /**
   * What becomes of a slot while the last backup is still under way. Forbid waits for that one, Replace gives it up.
   * @default "Forbid"
   */
  readonly concurrency: 'Forbid' | 'Replace'
  /**
   * Where backups are kept, but for the method Provider. Immutable.
   * Rule: a target is one of pvc and s3.
   * Rule: target is immutable; make another Backup.
   */
  readonly target?: BackupSpecTarget
  /**
   * How it is saved.
   * @default {}
   */
  readonly options: BackupSpecOptions
  /**
   * Which backups of a schedule stay. The newest verified one always does. Artifacts go first, and then their Backups.
   * Without it all stay.
   */
  readonly retention?: BackupSpecRetention
  /**
   * How a backup is proven.
   * @default {}
   */
  readonly verify: BackupSpecVerify
  /**
   * What becomes of the artifact when the Backup is deleted. Delete removes it first. Of a schedule, what its Backups
   * begin with.
   * @default "Retain"
   */
  readonly artifactPolicy: 'Retain' | 'Delete'
  /**
   * How long making it may take, and how long proving it, such as 1h.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: deadline is from 1m to 168h.
   * @default "1h"
   */
  readonly deadline: string
}

/**
 * What is saved, where to, and how it is proven.
 * Rule: a backup is kept in a target; only the method Provider has none, as the provider of the database keeps what it
 * makes.
 * Rule: compress is of the methods Logical and Physical.
 * Rule: what the method Provider has made is proven by a Database that begins with it; verify.mode is None.
 * Rule: a Backup with a schedule stays one, and one without stays without.
 * Rule: only a Backup with a schedule has retention; delete this one when it is not needed any more.
 * Rule: the method Logical packs by gzip or none; zstd is of the method Physical.
 * Rule: jobs and excludeTables are of the method Logical.
 * Rule: a time zone is of a schedule.
 * Rule: immediate is of a schedule; a Backup without one is always made at once.
 * Rule: options, verify and deadline of a single backup are immutable; make another Backup.
 */
export interface BackupSpecInput {
  /**
   * Whether no backup is begun while it is true. Of a single backup, the worker that is at it is ended and begun again
   * later.
   */
  readonly suspend?: boolean
  /**
   * The Database that is saved, of the same namespace. Immutable.
   * Rule: databaseRef is immutable; make another Backup.
   * Rule: a Backup is made in the namespace of its Database; leave namespace out.
   */
  readonly databaseRef: BackupSpecDatabaseRef
  /**
   * Logical saves what is in the database by pg_dump. Physical copies the files of its whole server, which has to be
   * one of its own (inCluster), by pg_basebackup. Provider has the provider of the database make a snapshot and keep
   * it, which rds does. Immutable.
   * Rule: method is immutable; make another Backup.
   * @default "Logical"
   */
  readonly method?: 'Logical' | 'Physical' | 'Provider'
  /**
   * Cron expression of five fields: minute, hour, day of the month, month, day of the week, e.g. 30 2 * * *. The
   * operator makes a Backup for each scheduled time. Scheduled times are at least 5 minutes apart; the operator rejects
   * denser schedules with the condition Stalled, reason ScheduleTooFrequent.
   * At most 100 characters. Matches `^[0-9A-Za-z*,/#?-]+( [0-9A-Za-z*,/#?-]+){4}$`.
   */
  readonly schedule?: string
  /**
   * IANA time zone of the schedule, e.g. Europe/Berlin. Default: UTC.
   * At least 1 character. At most 64 characters.
   */
  readonly timeZone?: string
  /** Of a schedule, whether the first backup is made as soon as the schedule is, and not at its first slot. */
  readonly immediate?: boolean
  /**
   * How long after its slot a backup may still begin; later ones are left out.
   * At least 60. At most 604800. Format int32.
   * @default 3600
   */
  readonly startingDeadlineSeconds?: number
  /**
   * What becomes of a slot while the last backup is still under way. Forbid waits for that one, Replace gives it up.
   * @default "Forbid"
   */
  readonly concurrency?: 'Forbid' | 'Replace'
  /**
   * Where backups are kept, but for the method Provider. Immutable.
   * Rule: a target is one of pvc and s3.
   * Rule: target is immutable; make another Backup.
   */
  readonly target?: BackupSpecTargetInput
  /**
   * How it is saved.
   * @default {}
   */
  readonly options?: BackupSpecOptionsInput
  /**
   * Which backups of a schedule stay. The newest verified one always does. Artifacts go first, and then their Backups.
   * Without it all stay.
   */
  readonly retention?: BackupSpecRetention
  /**
   * How a backup is proven.
   * @default {}
   */
  readonly verify?: BackupSpecVerifyInput
  /**
   * What becomes of the artifact when the Backup is deleted. Delete removes it first. Of a schedule, what its Backups
   * begin with.
   * @default "Retain"
   */
  readonly artifactPolicy?: 'Retain' | 'Delete'
  /**
   * How long making it may take, and how long proving it, such as 1h.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: deadline is from 1m to 168h.
   * @default "1h"
   */
  readonly deadline?: string
}

/** How far it is. The truth is the manifest beside the artifact. */
export interface BackupStatus {
  /**
   * The generation of the spec that this status is about.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** The newest konverge.dev/reconcile-now annotation whose turn has ended. */
  readonly lastHandledReconcileAt?: string
  /** What is being done, in one word. */
  readonly phase?: 'Pending' | 'Running' | 'Verifying' | 'Completed' | 'Failed' | 'Scheduled' | 'Suspended' | 'Discarded'
  /** What was stored. */
  readonly artifact?: BackupStatusArtifact
  /** What was saved, and which moment of it. */
  readonly source?: BackupStatusSource
  /** Where in the target it is, or is to be. */
  readonly folder?: string
  /**
   * Of Provider, what is saved and how the provider is asked; kept before it is asked, and when the Database is gone.
   */
  readonly snapshot?: BackupStatusSnapshot
  /**
   * When its making began.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * When it was complete.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly completedAt?: string
  /**
   * When it was found to be what was saved.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly verifiedAt?: string
  /** The newest data.konverge.dev/verify-again annotation that has been answered. */
  readonly lastHandledVerify?: string
  /**
   * Why it failed.
   * At most 32768 characters.
   */
  readonly error?: string
  /**
   * The newest slot that has a Backup.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastScheduleTime?: string
  /**
   * The next slot.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly nextScheduleTime?: string
  /**
   * When the newest backup was complete.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastSuccessTime?: string
  /**
   * When a backup was last proven by restoring it.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastVerifiedTime?: string
  /**
   * Backups under way.
   * At most 1000 items. No item twice.
   */
  readonly active?: readonly string[]
  /** How many Backups there are of the schedule. */
  readonly counts?: BackupStatusCounts
  /**
   * What is there of it outside the cluster. The operator's own record, which it needs to go on after a crash.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly BackupStatusExternal[]
  /**
   * Ready, Progressing and Degraded always; Completed and Verified of one backup; Overdue and RetentionApplied of a
   * schedule; Reconciling and Stalled while they are true.
   * One item for each type.
   */
  readonly conditions?: readonly BackupStatusConditions[]
}

/**
 * The Database that is saved, of the same namespace. Immutable.
 * Rule: databaseRef is immutable; make another Backup.
 * Rule: a Backup is made in the namespace of its Database; leave namespace out.
 */
export interface BackupSpecDatabaseRef {
  /**
   * The name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Refused, as a Backup is made in the namespace of its Database.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/**
 * Where backups are kept, but for the method Provider. Immutable.
 * Rule: a target is one of pvc and s3.
 * Rule: target is immutable; make another Backup.
 */
export interface BackupSpecTarget {
  /** A volume of the same namespace. */
  readonly pvc?: BackupSpecTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: BackupSpecTargetS3
}

/** A volume of the same namespace. */
export interface BackupSpecTargetPvc {
  /**
   * The PersistentVolumeClaim.
   * At least 1 character. At most 253 characters.
   */
  readonly claimName: string
  /**
   * A folder in it.
   * At least 1 character. At most 200 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`.
   */
  readonly path?: string
}

/** A bucket of S3, or of a store that speaks like it. */
export interface BackupSpecTargetS3 {
  /**
   * The bucket.
   * At least 3 characters. At most 63 characters. Matches `^[a-z0-9][a-z0-9.-]*[a-z0-9]$`.
   */
  readonly bucket: string
  /**
   * In front of every key, without slashes at its ends.
   * At least 1 character. At most 200 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`.
   */
  readonly prefix?: string
  /**
   * The region of the bucket.
   * At least 1 character. At most 64 characters.
   * @default "us-east-1"
   */
  readonly region: string
  /**
   * Where another store than Amazon's is.
   * At most 253 characters. Matches `^https?://[^/?#@\s]+/?$`.
   */
  readonly endpoint?: string
  /** Whether the bucket is in the path and not in the host name, as most stores but Amazon want it. */
  readonly forcePathStyle?: boolean
  /**
   * A Secret with accessKeyId, secretAccessKey and perhaps sessionToken, and the label
   * data.konverge.dev/usable-by-backup. Without it what the worker's node or pod has by itself.
   */
  readonly credentialsSecretRef?: BackupSpecTargetS3CredentialsSecretRef
  /** How the store encrypts. */
  readonly encryption?: BackupSpecTargetS3Encryption
  /**
   * For how many days what is stored is locked (mode GOVERNANCE), also against the operator. The bucket has to allow
   * it.
   * At least 1. At most 3650. Format int32.
   */
  readonly objectLockDays?: number
}

/**
 * A Secret with accessKeyId, secretAccessKey and perhaps sessionToken, and the label
 * data.konverge.dev/usable-by-backup. Without it what the worker's node or pod has by itself.
 */
export interface BackupSpecTargetS3CredentialsSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/** How the store encrypts. */
export interface BackupSpecTargetS3Encryption {
  /** The algorithm. */
  readonly algorithm: 'AES256' | 'aws:kms'
  /**
   * The key of aws:kms.
   * At least 1 character. At most 253 characters.
   */
  readonly keyId?: string
}

/** How it is saved. */
export interface BackupSpecOptions {
  /**
   * How the artifact is packed.
   * Rule: gzip has the levels 1 to 9, zstd 1 to 19, and none has none.
   */
  readonly compress?: BackupSpecOptionsCompress
  /**
   * Of Logical, how many parts of it are restored at once, when it is proven and when a Database is restored from it.
   * Each is a session of the server.
   * At least 1. At most 16. Format int32.
   */
  readonly jobs?: number
  /**
   * Of Logical, tables whose rows are left out, such as public.cache; the tables themselves are saved. A partition is
   * named by itself.
   * At most 100 items. No item twice.
   */
  readonly excludeTables?: readonly string[]
}

/**
 * How the artifact is packed.
 * Rule: gzip has the levels 1 to 9, zstd 1 to 19, and none has none.
 */
export interface BackupSpecOptionsCompress {
  /**
   * How. Logical knows gzip and none, Physical zstd too.
   * @default "gzip"
   */
  readonly method: 'gzip' | 'zstd' | 'none'
  /**
   * How much. Without it gzip packs at level 1, which takes half of the time of its own choice, and zstd by its own
   * choice.
   * At least 1. At most 19. Format int32.
   */
  readonly level?: number
}

/**
 * Which backups of a schedule stay. The newest verified one always does. Artifacts go first, and then their Backups.
 * Without it all stay.
 */
export interface BackupSpecRetention {
  /**
   * How many of the newest.
   * At least 1. At most 1000. Format int32.
   */
  readonly keepLast: number
  /**
   * Of how many days that have one, the newest each.
   * At least 0. At most 1000. Format int32.
   */
  readonly keepDaily?: number
  /**
   * Of how many weeks.
   * At least 0. At most 1000. Format int32.
   */
  readonly keepWeekly?: number
  /**
   * Of how many months.
   * At least 0. At most 1000. Format int32.
   */
  readonly keepMonthly?: number
  /**
   * How much older than the newest those of days, weeks and months may get, such as 720h.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   */
  readonly maxAge?: string
}

/** How a backup is proven. */
export interface BackupSpecVerify {
  /**
   * Restore restores it into a database of its own on the same server, compares the two, and removes it again. Checksum
   * reads it once more. None believes it. Without it Restore, and None for the method Provider.
   */
  readonly mode?: 'Restore' | 'Checksum' | 'None'
  /**
   * Of a schedule with Restore, each how many-th backup is restored; those between are read once more.
   * At least 1. At most 1000. Format int32.
   * @default 7
   */
  readonly every: number
  /**
   * What is asked of the restored database, as its owner.
   * At most 16 items.
   */
  readonly queries?: readonly BackupSpecVerifyQueries[]
}

export interface BackupSpecVerifyQueries {
  /**
   * One query, whose first column counts.
   * At least 1 character. At most 4096 characters.
   */
  readonly sql: string
  /**
   * How it reads if it holds.
   * At most 256 characters.
   */
  readonly expect: string
}

/**
 * Where backups are kept, but for the method Provider. Immutable.
 * Rule: a target is one of pvc and s3.
 * Rule: target is immutable; make another Backup.
 */
export interface BackupSpecTargetInput {
  /** A volume of the same namespace. */
  readonly pvc?: BackupSpecTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: BackupSpecTargetS3Input
}

/** A bucket of S3, or of a store that speaks like it. */
export interface BackupSpecTargetS3Input {
  /**
   * The bucket.
   * At least 3 characters. At most 63 characters. Matches `^[a-z0-9][a-z0-9.-]*[a-z0-9]$`.
   */
  readonly bucket: string
  /**
   * In front of every key, without slashes at its ends.
   * At least 1 character. At most 200 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`.
   */
  readonly prefix?: string
  /**
   * The region of the bucket.
   * At least 1 character. At most 64 characters.
   * @default "us-east-1"
   */
  readonly region?: string
  /**
   * Where another store than Amazon's is.
   * At most 253 characters. Matches `^https?://[^/?#@\s]+/?$`.
   */
  readonly endpoint?: string
  /** Whether the bucket is in the path and not in the host name, as most stores but Amazon want it. */
  readonly forcePathStyle?: boolean
  /**
   * A Secret with accessKeyId, secretAccessKey and perhaps sessionToken, and the label
   * data.konverge.dev/usable-by-backup. Without it what the worker's node or pod has by itself.
   */
  readonly credentialsSecretRef?: BackupSpecTargetS3CredentialsSecretRef
  /** How the store encrypts. */
  readonly encryption?: BackupSpecTargetS3Encryption
  /**
   * For how many days what is stored is locked (mode GOVERNANCE), also against the operator. The bucket has to allow
   * it.
   * At least 1. At most 3650. Format int32.
   */
  readonly objectLockDays?: number
}

/** How it is saved. */
export interface BackupSpecOptionsInput {
  /**
   * How the artifact is packed.
   * Rule: gzip has the levels 1 to 9, zstd 1 to 19, and none has none.
   */
  readonly compress?: BackupSpecOptionsCompressInput
  /**
   * Of Logical, how many parts of it are restored at once, when it is proven and when a Database is restored from it.
   * Each is a session of the server.
   * At least 1. At most 16. Format int32.
   */
  readonly jobs?: number
  /**
   * Of Logical, tables whose rows are left out, such as public.cache; the tables themselves are saved. A partition is
   * named by itself.
   * At most 100 items. No item twice.
   */
  readonly excludeTables?: readonly string[]
}

/**
 * How the artifact is packed.
 * Rule: gzip has the levels 1 to 9, zstd 1 to 19, and none has none.
 */
export interface BackupSpecOptionsCompressInput {
  /**
   * How. Logical knows gzip and none, Physical zstd too.
   * @default "gzip"
   */
  readonly method?: 'gzip' | 'zstd' | 'none'
  /**
   * How much. Without it gzip packs at level 1, which takes half of the time of its own choice, and zstd by its own
   * choice.
   * At least 1. At most 19. Format int32.
   */
  readonly level?: number
}

/** How a backup is proven. */
export interface BackupSpecVerifyInput {
  /**
   * Restore restores it into a database of its own on the same server, compares the two, and removes it again. Checksum
   * reads it once more. None believes it. Without it Restore, and None for the method Provider.
   */
  readonly mode?: 'Restore' | 'Checksum' | 'None'
  /**
   * Of a schedule with Restore, each how many-th backup is restored; those between are read once more.
   * At least 1. At most 1000. Format int32.
   * @default 7
   */
  readonly every?: number
  /**
   * What is asked of the restored database, as its owner.
   * At most 16 items.
   */
  readonly queries?: readonly BackupSpecVerifyQueries[]
}

/** What was stored. */
export interface BackupStatusArtifact {
  /** The folder of artifact and manifest; of Provider, what the snapshot is called for ever. */
  readonly uri: string
  /**
   * The size of the artifact; of Provider, of the volume that was saved.
   * Format int64.
   */
  readonly bytes: number
  /** Of the artifact. */
  readonly sha256?: string
  /** Of the manifest. */
  readonly manifestSha256?: string
  /** How it is written. */
  readonly format: string
  /** Of the tool that wrote it. */
  readonly toolVersion?: string
}

/** What was saved, and which moment of it. */
export interface BackupStatusSource {
  /** Of the Database. */
  readonly databaseUID: string
  /** Of the server. */
  readonly systemIdentifier: string
  /** Of the server. */
  readonly serverVersion: string
  /** The moment, but for Provider. */
  readonly snapshotLSN?: string
  /**
   * Of Provider, the moment.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly snapshotTime?: string
  /**
   * How many there were.
   * Format int64.
   */
  readonly tables?: number
  /**
   * How many they had.
   * Format int64.
   */
  readonly rows?: number
}

/** Of Provider, what is saved and how the provider is asked; kept before it is asked, and when the Database is gone. */
export interface BackupStatusSnapshot {
  /** The instance that is saved. */
  readonly instance: string
  /** Where it is. */
  readonly region: string
  /** The Secret of the credentials for the provider; absent where the operator has its own. */
  readonly credentialsSecret?: string
  /** The Database, as namespace/name. */
  readonly database: string
  /** Of the Database. */
  readonly databaseUID: string
  /** What the database is called on the server. */
  readonly databaseName: string
  /** Of the server. */
  readonly systemIdentifier: string
}

/** How many Backups there are of the schedule. */
export interface BackupStatusCounts {
  /**
   * Complete ones that stay.
   * Format int32.
   */
  readonly kept: number
  /**
   * Failed ones.
   * Format int32.
   */
  readonly failed: number
  /**
   * Those that are being removed.
   * Format int32.
   */
  readonly going: number
}

export interface BackupStatusExternal {
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
  readonly token: BackupStatusExternalToken
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
export interface BackupStatusExternalToken {
  /** The resource's uid. */
  readonly uid: string
  /**
   * The generation that first asked for it.
   * Format int64.
   */
  readonly generation: number
}

export interface BackupStatusConditions {
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
