// Generated from crds/database.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How Database of data.konverge.dev looks on the wire.

/** PostgreSQL database with its owner role, extensions and schemas. */
export const Database: DatabaseResource = Object.freeze({
  group: 'data.konverge.dev',
  version: 'v1alpha1',
  kind: 'Database',
  plural: 'databases',
  scope: 'Namespaced',
})

/** The type of the descriptor `Database`: a Resource<DatabaseSpec, DatabaseStatus>. */
export interface DatabaseResource {
  readonly group: 'data.konverge.dev'
  readonly version: 'v1alpha1'
  readonly kind: 'Database'
  readonly plural: 'databases'
  readonly scope: 'Namespaced'
  /** Types only; never present at run time. */
  readonly types?: { readonly spec: DatabaseSpec; readonly status: DatabaseStatus }
}

/**
 * Desired state of the database.
 * Rule: databaseName is immutable; create another Database and copy the data.
 * Rule: encoding is immutable; create another Database and copy the data.
 * Rule: locale is immutable; create another Database and copy the data.
 * Rule: version is not allowed with provider.server; status.serverVersion shows it.
 * Rule: provider.inCluster and provider.rds require version.
 * Rule: version is immutable with provider.rds; create another Database and copy the data.
 * Rule: a version change requires spec.upgrade; docs/upgrades.md describes it.
 * Rule: only provider.inCluster supports upgrade.
 * Rule: upgrade requires snapshotTarget for the backup before the upgrade; set it, or set upgrade.snapshot to Skip.
 * Rule: bootstrap is immutable; use spec.restore to restore a backup later.
 * Rule: deletionPolicy Snapshot requires snapshotTarget for the final backup.
 */
export interface DatabaseSpec {
  /**
   * Suspends reconciliation. The operator changes nothing, and a deletion waits. The database keeps serving. The
   * annotation konverge.dev/paused does the same without a spec change. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Name of the database on the server. Default: metadata.name with '_' for '-'. The owner of the database is the role
   * `<databaseName>_owner`, which cannot log in. Immutable.
   * At least 1 character. At most 57 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: name is reserved: do not use postgres, template0, template1, public, rdsadmin or a name that starts with pg_.
   */
  readonly databaseName?: string
  /**
   * Major version of PostgreSQL. The value is a string: write "18" in quotes. Required with provider.inCluster and
   * provider.rds. Not allowed with provider.server, because the server determines it. With provider.inCluster and
   * upgrade the value can increase; the operator then moves the database to a new server.
   * At most 2 characters.
   */
  readonly version?: '14' | '15' | '16' | '17' | '18'
  /**
   * Upgrade to a newer major version. It requires provider.inCluster. The operator sets wal_level to logical, which
   * restarts the server once.
   */
  readonly upgrade?: DatabaseSpecUpgrade
  /**
   * Provider of the server. Exactly one provider is required. Immutable.
   * Rule: set exactly one of inCluster, server and rds.
   * Rule: provider is immutable; create another Database and copy the data.
   */
  readonly provider: DatabaseSpecProvider
  /** Initial content of the database. Default: empty. Immutable. */
  readonly bootstrap?: DatabaseSpecBootstrap
  /**
   * In-place restore. The operator restores and verifies a backup beside the database, then replaces the database. Each
   * requestID runs once.
   * Rule: from cannot change for the same requestID, because each request runs once; set another requestID.
   * Rule: previousOf must name an earlier request.
   */
  readonly restore?: DatabaseSpecRestore
  /**
   * Handling of an existing database that the operator did not create. Never leaves it unchanged and reports NotOwned.
   * Adopt takes it over. Default: Never.
   * @default "Never"
   */
  readonly adoptionPolicy: 'Never' | 'Adopt'
  /**
   * Handling of the data when the Database is deleted. Retain keeps it. Delete drops it after all DatabaseUsers are
   * gone. Snapshot first takes a final backup and verifies it by restore; provider.rds takes a final snapshot instead.
   * Default: Retain.
   * @default "Retain"
   */
  readonly deletionPolicy: 'Retain' | 'Delete' | 'Snapshot'
  /**
   * Storage location of backups that the operator takes for upgrades, Migrations and deletion.
   * Rule: set exactly one of pvc and s3.
   */
  readonly snapshotTarget?: DatabaseSpecSnapshotTarget
  /**
   * Handling of changes made on the server outside of this resource. Correct reverts them. Report shows them in the
   * conditions and leaves them. Default: Correct.
   * @default "Correct"
   */
  readonly driftPolicy: 'Correct' | 'Report'
  /**
   * Recreates a missing database as an empty one. With false, the operator only reports the missing database. Default:
   * false.
   * @default false
   */
  readonly recreateIfMissing: boolean
  /**
   * Character encoding, e.g. LATIN1. Default: UTF8. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[A-Za-z0-9_-]+$`.
   */
  readonly encoding?: string
  /**
   * Locale for collation and character classification, e.g. C.UTF-8. Default: the locale of the server. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[A-Za-z0-9_.@-]+$`.
   */
  readonly locale?: string
  /**
   * Maximum number of concurrent sessions. The value -1 means no limit. Default: -1.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit: number
  /**
   * Extensions to install. An extension that is removed from the list stays installed, because data may depend on it.
   * At most 64 items. One item for each name.
   */
  readonly extensions?: readonly DatabaseSpecExtensions[]
  /**
   * Schemas to create, owned by the database owner. A schema that is removed from the list stays, because it may
   * contain data.
   * At most 64 items. One item for each name.
   */
  readonly schemas?: readonly DatabaseSpecSchemas[]
  /**
   * Other namespaces whose DatabaseUsers can access the database. Default: only the Database's namespace.
   * Rule: set exactly one of names and selector.
   */
  readonly allowedNamespaces?: DatabaseSpecAllowedNamespaces
}

/**
 * Desired state of the database.
 * Rule: databaseName is immutable; create another Database and copy the data.
 * Rule: encoding is immutable; create another Database and copy the data.
 * Rule: locale is immutable; create another Database and copy the data.
 * Rule: version is not allowed with provider.server; status.serverVersion shows it.
 * Rule: provider.inCluster and provider.rds require version.
 * Rule: version is immutable with provider.rds; create another Database and copy the data.
 * Rule: a version change requires spec.upgrade; docs/upgrades.md describes it.
 * Rule: only provider.inCluster supports upgrade.
 * Rule: upgrade requires snapshotTarget for the backup before the upgrade; set it, or set upgrade.snapshot to Skip.
 * Rule: bootstrap is immutable; use spec.restore to restore a backup later.
 * Rule: deletionPolicy Snapshot requires snapshotTarget for the final backup.
 */
export interface DatabaseSpecInput {
  /**
   * Suspends reconciliation. The operator changes nothing, and a deletion waits. The database keeps serving. The
   * annotation konverge.dev/paused does the same without a spec change. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Name of the database on the server. Default: metadata.name with '_' for '-'. The owner of the database is the role
   * `<databaseName>_owner`, which cannot log in. Immutable.
   * At least 1 character. At most 57 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: name is reserved: do not use postgres, template0, template1, public, rdsadmin or a name that starts with pg_.
   */
  readonly databaseName?: string
  /**
   * Major version of PostgreSQL. The value is a string: write "18" in quotes. Required with provider.inCluster and
   * provider.rds. Not allowed with provider.server, because the server determines it. With provider.inCluster and
   * upgrade the value can increase; the operator then moves the database to a new server.
   * At most 2 characters.
   */
  readonly version?: '14' | '15' | '16' | '17' | '18'
  /**
   * Upgrade to a newer major version. It requires provider.inCluster. The operator sets wal_level to logical, which
   * restarts the server once.
   */
  readonly upgrade?: DatabaseSpecUpgradeInput
  /**
   * Provider of the server. Exactly one provider is required. Immutable.
   * Rule: set exactly one of inCluster, server and rds.
   * Rule: provider is immutable; create another Database and copy the data.
   */
  readonly provider: DatabaseSpecProviderInput
  /** Initial content of the database. Default: empty. Immutable. */
  readonly bootstrap?: DatabaseSpecBootstrapInput
  /**
   * In-place restore. The operator restores and verifies a backup beside the database, then replaces the database. Each
   * requestID runs once.
   * Rule: from cannot change for the same requestID, because each request runs once; set another requestID.
   * Rule: previousOf must name an earlier request.
   */
  readonly restore?: DatabaseSpecRestoreInput
  /**
   * Handling of an existing database that the operator did not create. Never leaves it unchanged and reports NotOwned.
   * Adopt takes it over. Default: Never.
   * @default "Never"
   */
  readonly adoptionPolicy?: 'Never' | 'Adopt'
  /**
   * Handling of the data when the Database is deleted. Retain keeps it. Delete drops it after all DatabaseUsers are
   * gone. Snapshot first takes a final backup and verifies it by restore; provider.rds takes a final snapshot instead.
   * Default: Retain.
   * @default "Retain"
   */
  readonly deletionPolicy?: 'Retain' | 'Delete' | 'Snapshot'
  /**
   * Storage location of backups that the operator takes for upgrades, Migrations and deletion.
   * Rule: set exactly one of pvc and s3.
   */
  readonly snapshotTarget?: DatabaseSpecSnapshotTargetInput
  /**
   * Handling of changes made on the server outside of this resource. Correct reverts them. Report shows them in the
   * conditions and leaves them. Default: Correct.
   * @default "Correct"
   */
  readonly driftPolicy?: 'Correct' | 'Report'
  /**
   * Recreates a missing database as an empty one. With false, the operator only reports the missing database. Default:
   * false.
   * @default false
   */
  readonly recreateIfMissing?: boolean
  /**
   * Character encoding, e.g. LATIN1. Default: UTF8. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[A-Za-z0-9_-]+$`.
   */
  readonly encoding?: string
  /**
   * Locale for collation and character classification, e.g. C.UTF-8. Default: the locale of the server. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[A-Za-z0-9_.@-]+$`.
   */
  readonly locale?: string
  /**
   * Maximum number of concurrent sessions. The value -1 means no limit. Default: -1.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit?: number
  /**
   * Extensions to install. An extension that is removed from the list stays installed, because data may depend on it.
   * At most 64 items. One item for each name.
   */
  readonly extensions?: readonly DatabaseSpecExtensions[]
  /**
   * Schemas to create, owned by the database owner. A schema that is removed from the list stays, because it may
   * contain data.
   * At most 64 items. One item for each name.
   */
  readonly schemas?: readonly DatabaseSpecSchemas[]
  /**
   * Other namespaces whose DatabaseUsers can access the database. Default: only the Database's namespace.
   * Rule: set exactly one of names and selector.
   */
  readonly allowedNamespaces?: DatabaseSpecAllowedNamespaces
}

/** Observed state of the database. */
export interface DatabaseStatus {
  /**
   * Generation of the spec that this status describes.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** Value of the annotation konverge.dev/reconcile-now at the last completed reconciliation. */
  readonly lastHandledReconcileAt?: string
  /** Current phase, a summary of the conditions. */
  readonly phase?: 'Pending' | 'Provisioning' | 'Configuring' | 'Restoring' | 'Ready' | 'Upgrading' | 'Deleting' | 'Failed'
  /** Name of the database on the server. */
  readonly databaseName?: string
  /** Provider of the server. */
  readonly provider?: 'InCluster' | 'Server' | 'RDS'
  /** Permanent identifier at the provider, e.g. an ARN or pg://<system identifier>/<oid>. */
  readonly providerID?: string
  /** Creation of the server or the database. */
  readonly provisioning?: DatabaseStatusProvisioning
  /** PostgreSQL version that the server reports. */
  readonly serverVersion?: string
  /** Server that serves applications. Provider inCluster only. */
  readonly server?: DatabaseStatusServer
  /** Server before the last upgrade, while its volume is kept. */
  readonly previous?: DatabaseStatusPrevious
  /**
   * State of the last upgrade. In the states Running, AwaitingCutover and Compensating, the operator holds back
   * DatabaseUsers, Migrations, Backups and restores.
   */
  readonly upgrade?: DatabaseStatusUpgrade
  /** Identity of the database. It differs from any other database at the same address and name. */
  readonly identity?: DatabaseStatusIdentity
  /** Endpoint of the server. */
  readonly endpoint?: DatabaseStatusEndpoint
  /** Secret with the operator's administrative connection to the server. */
  readonly binding?: DatabaseStatusBinding
  /** Last observed state of the database. */
  readonly observed?: DatabaseStatusObserved
  /** Last correction of a change that was made outside of this resource. */
  readonly lastDriftCorrection?: DatabaseStatusLastDriftCorrection
  /**
   * True while allowedNamespaces admits other namespaces. It remains true after that while roles without a DatabaseUser
   * may connect.
   */
  readonly shared?: boolean
  /** State of the last restore, and databases kept by earlier restores. */
  readonly restore?: DatabaseStatusRestore
  /**
   * Operator-internal journal of external resources. Do not edit.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly DatabaseStatusExternal[]
  /**
   * Operator-internal journal of multi-step operations. Do not edit.
   * At most 8 items. One item for each name.
   */
  readonly sagas?: readonly DatabaseStatusSagas[]
  /**
   * Conditions of the Database. Always: Ready, Progressing and Degraded. If known: Provisioned, Connected, Configured,
   * Drifted and BackedUp. Upgraded after an upgrade, Restored after a restore. While true: DeletionBlocked, Reconciling
   * and Stalled.
   * One item for each type.
   */
  readonly conditions?: readonly DatabaseStatusConditions[]
}

/**
 * Upgrade to a newer major version. It requires provider.inCluster. The operator sets wal_level to logical, which
 * restarts the server once.
 */
export interface DatabaseSpecUpgrade {
  /**
   * Approval of the cutover to the new server. Automatic cuts over when the new server has caught up. Manual waits for
   * the annotation data.konverge.dev/cutover with the new version, e.g. 18. With retry, the annotation must also
   * contain its value, e.g. 18-b. Default: Manual.
   * @default "Manual"
   */
  readonly cutover: 'Manual' | 'Automatic'
  /**
   * Backup before the upgrade. Take stores a backup in snapshotTarget and verifies it. Skip makes no backup. Default:
   * Take.
   * @default "Take"
   */
  readonly snapshot: 'Take' | 'Skip'
  /**
   * Copy method. Replication copies rows while applications write; they wait for seconds during the cutover. Dump
   * copies rows while applications wait, for at most maxWait. Only Dump supports tables without a primary key or
   * replica identity, unlogged tables and large objects. Default: Replication.
   * @default "Replication"
   */
  readonly method: 'Replication' | 'Dump'
  /**
   * Queries that must hold on the new server before the cutover. They run as the database owner, with an empty
   * search_path: qualify names with their schema.
   * At most 16 items.
   */
  readonly verifyQueries?: readonly DatabaseSpecUpgradeVerifyQueries[]
  /**
   * Maximum time for which applications wait during the cutover. It includes the copy of the last rows (Dump: all rows)
   * and the comparison of both servers. The operator rolls back a cutover that exceeds it. Range: 10s to 24h. Default:
   * 15m.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: maxWait must be from 10s to 24h.
   * @default "15m"
   */
  readonly maxWait: string
  /**
   * Time for which the volume of the old server is kept after the cutover. The old server is stopped. The value 0s
   * removes the volume immediately. Default: 24h.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly keepPrevious: string
  /**
   * Retry token. A new value retries an upgrade that was rolled back or is stuck.
   * At most 63 characters. Matches `^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`.
   */
  readonly retry?: string
}

export interface DatabaseSpecUpgradeVerifyQueries {
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
 * Provider of the server. Exactly one provider is required. Immutable.
 * Rule: set exactly one of inCluster, server and rds.
 * Rule: provider is immutable; create another Database and copy the data.
 */
export interface DatabaseSpecProvider {
  /** Dedicated server in the cluster: one pod with a volume, without a standby. */
  readonly inCluster?: DatabaseSpecProviderInCluster
  /** Existing server that the operator does not manage. */
  readonly server?: DatabaseSpecProviderServer
  /**
   * Dedicated instance of Amazon RDS for PostgreSQL.
   * Rule: subnetGroupName is immutable; create another Database and copy the data.
   * Rule: instanceIdentifier is immutable; create another Database and copy the data.
   * Rule: caSecretRef is required with sslMode verify-ca and verify-full; store AWS's global-bundle.pem in a Secret, or
   * set sslMode to require.
   */
  readonly rds?: DatabaseSpecProviderRds
}

/** Dedicated server in the cluster: one pod with a volume, without a standby. */
export interface DatabaseSpecProviderInCluster {
  /**
   * Container image, compatible with the Debian variant of Docker's official postgres image. It runs as user 999 with a
   * read-only root file system. It can write to /data, /var/run/postgresql, /tmp and /dev/shm. Default:
   * postgres:<version>.
   * At least 1 character. At most 1024 characters.
   */
  readonly image?: string
  /**
   * Storage of the server.
   * Rule: storageClassName is immutable: volumes cannot change their class; create another Database and copy the data.
   * @default {}
   */
  readonly storage: DatabaseSpecProviderInClusterStorage
  /** Compute resources of the container. */
  readonly resources?: DatabaseSpecProviderInClusterResources
  /**
   * Server parameters by lower-case name, as in postgresql.conf, e.g. {shared_buffers: 256MB, max_connections: 200}. A
   * change restarts the server.
   * At most 50 keys.
   * Rule: a parameter name has lower-case letters, digits and '_', and one dot if it belongs to an extension.
   * Rule: the operator sets the paths of server files; remove this parameter.
   * Rule: the operator sets the listen addresses; remove this parameter.
   * Rule: the operator sets encryption and authentication; remove this parameter.
   * Rule: the operator sets archiving, recovery and replication; remove this parameter and use a Backup.
   * Rule: the operator sends the server log to the container log; remove this parameter.
   * Rule: include directives are not allowed; set the parameters directly.
   */
  readonly parameters?: Readonly<Record<string, number | string>>
}

/**
 * Storage of the server.
 * Rule: storageClassName is immutable: volumes cannot change their class; create another Database and copy the data.
 */
export interface DatabaseSpecProviderInClusterStorage {
  /**
   * Size of the volume, e.g. 10Gi. It can only increase, and only if the StorageClass allows expansion. Default: 1Gi.
   * At least 1 character. At most 32 characters.
   * Rule: size must be a quantity greater than zero, e.g. 10Gi.
   * Rule: size cannot decrease: volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size: string
  /**
   * StorageClass of the volume. Default: the cluster's default class. The empty string selects an existing volume.
   * Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
}

/** Compute resources of the container. */
export interface DatabaseSpecProviderInClusterResources {
  /**
   * Maximum compute resources, as quantities by resource name, e.g. cpu and memory.
   * At most 16 keys.
   */
  readonly limits?: Readonly<Record<string, number | string>>
  /**
   * Requested compute resources, as quantities by resource name, e.g. cpu and memory.
   * At most 16 keys.
   */
  readonly requests?: Readonly<Record<string, number | string>>
}

/** Existing server that the operator does not manage. */
export interface DatabaseSpecProviderServer {
  /**
   * Secret with the keys host, port, username, password and optionally ca.crt, in the same namespace. It must have the
   * label data.konverge.dev/usable-by-database. Its role needs CREATEDB and CREATEROLE.
   */
  readonly connectionSecretRef: DatabaseSpecProviderServerConnectionSecretRef
  /**
   * Database that the operator connects to for server-wide statements. Default: postgres.
   * At least 1 character. At most 63 characters.
   * @default "postgres"
   */
  readonly maintenanceDatabase: string
  /**
   * TLS mode of connections. Mode verify-full checks the server certificate and its host name. Mode verify-ca checks
   * the certificate only. Mode require encrypts without a check. Mode disable sends everything in clear text. Default:
   * verify-full.
   * @default "verify-full"
   */
  readonly sslMode: 'disable' | 'require' | 'verify-ca' | 'verify-full'
  /**
   * Secret with the trusted CA certificates in PEM format. Default: ca.crt of the connection Secret, else the
   * operator's system trust store.
   */
  readonly caSecretRef?: DatabaseSpecProviderServerCaSecretRef
}

/**
 * Secret with the keys host, port, username, password and optionally ca.crt, in the same namespace. It must have the
 * label data.konverge.dev/usable-by-database. Its role needs CREATEDB and CREATEROLE.
 */
export interface DatabaseSpecProviderServerConnectionSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/**
 * Secret with the trusted CA certificates in PEM format. Default: ca.crt of the connection Secret, else the operator's
 * system trust store.
 */
export interface DatabaseSpecProviderServerCaSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the Secret. Default: ca.crt.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key: string
}

/**
 * Dedicated instance of Amazon RDS for PostgreSQL.
 * Rule: subnetGroupName is immutable; create another Database and copy the data.
 * Rule: instanceIdentifier is immutable; create another Database and copy the data.
 * Rule: caSecretRef is required with sslMode verify-ca and verify-full; store AWS's global-bundle.pem in a Secret, or
 * set sslMode to require.
 */
export interface DatabaseSpecProviderRds {
  /**
   * AWS region, e.g. eu-central-1. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[a-z]{2}(-[a-z]+)+-[0-9]+$`.
   * Rule: region is immutable; create another Database and copy the data.
   */
  readonly region: string
  /**
   * Instance class, e.g. db.t4g.micro. A change interrupts the database for some minutes.
   * At least 1 character. At most 64 characters. Matches `^db\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9-]+$`.
   */
  readonly instanceClass: string
  /**
   * Allocated storage in GiB. Range: 20 to 65536. It can only increase.
   * At least 20. At most 65536. Format int32.
   * Rule: allocatedStorageGiB cannot decrease: RDS cannot shrink storage.
   */
  readonly allocatedStorageGiB: number
  /**
   * Identifier of the DB instance. Default: derived from namespace, name and UID. With adoptionPolicy Adopt, an
   * existing instance of this name is adopted. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z](-?[a-z0-9])*$`.
   */
  readonly instanceIdentifier?: string
  /**
   * DB subnet group. Default: the default group of the account. Immutable.
   * At least 1 character. At most 255 characters.
   */
  readonly subnetGroupName?: string
  /**
   * VPC security groups. Default: the default group of the VPC.
   * At most 16 items. No item twice.
   */
  readonly securityGroupIDs?: readonly string[]
  /**
   * Creates a standby in another availability zone. Default: false.
   * @default false
   */
  readonly multiAZ: boolean
  /**
   * AWS credentials of the operator for this instance.
   * @default {}
   */
  readonly credentials: DatabaseSpecProviderRdsCredentials
  /**
   * TLS mode of connections. Mode verify-full checks the instance certificate and its host name. Mode verify-ca checks
   * the certificate only. Mode require encrypts without a check. Default: verify-full.
   * @default "verify-full"
   */
  readonly sslMode: 'require' | 'verify-ca' | 'verify-full'
  /** Secret with the AWS CA certificates for RDS in PEM format. Required unless sslMode is require. */
  readonly caSecretRef?: DatabaseSpecProviderRdsCaSecretRef
  /**
   * Deletion protection of the instance. While it is true, the deletion of a Database waits unless deletionPolicy is
   * Retain. Default: true.
   * @default true
   */
  readonly deletionProtection: boolean
}

/** AWS credentials of the operator for this instance. */
export interface DatabaseSpecProviderRdsCredentials {
  /**
   * Secret with the keys accessKeyId, secretAccessKey and optionally sessionToken, in the same namespace. It must have
   * the label data.konverge.dev/usable-by-database. Default: the AWS identity of the operator's pod.
   */
  readonly secretRef?: DatabaseSpecProviderRdsCredentialsSecretRef
}

/**
 * Secret with the keys accessKeyId, secretAccessKey and optionally sessionToken, in the same namespace. It must have
 * the label data.konverge.dev/usable-by-database. Default: the AWS identity of the operator's pod.
 */
export interface DatabaseSpecProviderRdsCredentialsSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/** Secret with the AWS CA certificates for RDS in PEM format. Required unless sslMode is require. */
export interface DatabaseSpecProviderRdsCaSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the Secret. Default: ca.crt.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key: string
}

/** Initial content of the database. Default: empty. Immutable. */
export interface DatabaseSpecBootstrap {
  /**
   * Backup to bootstrap from. It is restored and verified before applications can connect. Exactly one source is
   * required.
   * Rule: set exactly one of backupRef and location.
   */
  readonly restoreFrom: DatabaseSpecBootstrapRestoreFrom
}

/**
 * Backup to bootstrap from. It is restored and verified before applications can connect. Exactly one source is
 * required.
 * Rule: set exactly one of backupRef and location.
 */
export interface DatabaseSpecBootstrapRestoreFrom {
  /**
   * Backup in the same namespace. It must be a one-off Backup or the Backup of a scheduled time, not the schedule.
   * Rule: only a Backup of the same namespace is allowed; remove namespace, or use location.
   */
  readonly backupRef?: DatabaseSpecBootstrapRestoreFromBackupRef
  /** Storage location of a backup without a Backup object in this namespace. */
  readonly location?: DatabaseSpecBootstrapRestoreFromLocation
}

/**
 * Backup in the same namespace. It must be a one-off Backup or the Backup of a scheduled time, not the schedule.
 * Rule: only a Backup of the same namespace is allowed; remove namespace, or use location.
 */
export interface DatabaseSpecBootstrapRestoreFromBackupRef {
  /**
   * Name of the Backup.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Not allowed: only a Backup of the same namespace can be restored. Use location for other backups.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/** Storage location of a backup without a Backup object in this namespace. */
export interface DatabaseSpecBootstrapRestoreFromLocation {
  /**
   * Storage location of backups.
   * Rule: set exactly one of pvc and s3.
   */
  readonly target: DatabaseSpecBootstrapRestoreFromLocationTarget
  /**
   * Method of the backup. Logical contains one database. Physical contains a whole server; only a new Database with
   * provider.inCluster can bootstrap from it. Default: Logical.
   * @default "Logical"
   */
  readonly method: 'Logical' | 'Physical'
  /**
   * Folder of the backup with its manifest.json, as in status.folder of its Backup.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Storage location of backups.
 * Rule: set exactly one of pvc and s3.
 */
export interface DatabaseSpecBootstrapRestoreFromLocationTarget {
  /** Volume in the same namespace. */
  readonly pvc?: DatabaseSpecBootstrapRestoreFromLocationTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: DatabaseSpecBootstrapRestoreFromLocationTargetS3
}

/** Volume in the same namespace. */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetPvc {
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
export interface DatabaseSpecBootstrapRestoreFromLocationTargetS3 {
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
  readonly credentialsSecretRef?: DatabaseSpecBootstrapRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * Secret with the keys accessKeyId, secretAccessKey and optionally sessionToken. It must have the label
 * data.konverge.dev/usable-by-backup. Default: the AWS identity of the worker pod or its node.
 */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetS3CredentialsSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/**
 * In-place restore. The operator restores and verifies a backup beside the database, then replaces the database. Each
 * requestID runs once.
 * Rule: from cannot change for the same requestID, because each request runs once; set another requestID.
 * Rule: previousOf must name an earlier request.
 */
export interface DatabaseSpecRestore {
  /**
   * Identifier of the request. It is part of database names on the server.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   * Rule: bootstrap is reserved for spec.bootstrap; set another requestID.
   */
  readonly requestID: string
  /**
   * Source of the restore. Exactly one source is required.
   * Rule: set exactly one of backupRef, location and previousOf.
   */
  readonly from: DatabaseSpecRestoreFrom
  /**
   * Time for which the replaced database is kept without connections, e.g. 24h. Maximum: 8760h. Default: 24h.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: keepPrevious must be at most 8760h.
   * @default "24h"
   */
  readonly keepPrevious: string
}

/**
 * Source of the restore. Exactly one source is required.
 * Rule: set exactly one of backupRef, location and previousOf.
 */
export interface DatabaseSpecRestoreFrom {
  /**
   * Backup in the same namespace. It must be a one-off Backup or the Backup of a scheduled time, not the schedule.
   * Rule: only a Backup of the same namespace is allowed; remove namespace, or use location.
   */
  readonly backupRef?: DatabaseSpecRestoreFromBackupRef
  /** Storage location of a backup without a Backup object in this namespace. */
  readonly location?: DatabaseSpecRestoreFromLocation
  /**
   * Earlier request to undo. The database that it replaced takes its place again, while that database is kept.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   */
  readonly previousOf?: string
}

/**
 * Backup in the same namespace. It must be a one-off Backup or the Backup of a scheduled time, not the schedule.
 * Rule: only a Backup of the same namespace is allowed; remove namespace, or use location.
 */
export interface DatabaseSpecRestoreFromBackupRef {
  /**
   * Name of the Backup.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Not allowed: only a Backup of the same namespace can be restored. Use location for other backups.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/** Storage location of a backup without a Backup object in this namespace. */
export interface DatabaseSpecRestoreFromLocation {
  /**
   * Storage location of backups.
   * Rule: set exactly one of pvc and s3.
   */
  readonly target: DatabaseSpecRestoreFromLocationTarget
  /**
   * Method of the backup. Logical contains one database. Physical contains a whole server; only a new Database with
   * provider.inCluster can bootstrap from it. Default: Logical.
   * @default "Logical"
   */
  readonly method: 'Logical' | 'Physical'
  /**
   * Folder of the backup with its manifest.json, as in status.folder of its Backup.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Storage location of backups.
 * Rule: set exactly one of pvc and s3.
 */
export interface DatabaseSpecRestoreFromLocationTarget {
  /** Volume in the same namespace. */
  readonly pvc?: DatabaseSpecRestoreFromLocationTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: DatabaseSpecRestoreFromLocationTargetS3
}

/** Volume in the same namespace. */
export interface DatabaseSpecRestoreFromLocationTargetPvc {
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
export interface DatabaseSpecRestoreFromLocationTargetS3 {
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
  readonly credentialsSecretRef?: DatabaseSpecRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * Secret with the keys accessKeyId, secretAccessKey and optionally sessionToken. It must have the label
 * data.konverge.dev/usable-by-backup. Default: the AWS identity of the worker pod or its node.
 */
export interface DatabaseSpecRestoreFromLocationTargetS3CredentialsSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/**
 * Storage location of backups that the operator takes for upgrades, Migrations and deletion.
 * Rule: set exactly one of pvc and s3.
 */
export interface DatabaseSpecSnapshotTarget {
  /** Volume in the same namespace. */
  readonly pvc?: DatabaseSpecSnapshotTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: DatabaseSpecSnapshotTargetS3
}

/** Volume in the same namespace. */
export interface DatabaseSpecSnapshotTargetPvc {
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
export interface DatabaseSpecSnapshotTargetS3 {
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
  readonly credentialsSecretRef?: DatabaseSpecSnapshotTargetS3CredentialsSecretRef
  /** Server-side encryption of the stored objects. Default: the setting of the bucket. */
  readonly encryption?: DatabaseSpecSnapshotTargetS3Encryption
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
export interface DatabaseSpecSnapshotTargetS3CredentialsSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/** Server-side encryption of the stored objects. Default: the setting of the bucket. */
export interface DatabaseSpecSnapshotTargetS3Encryption {
  /** Encryption algorithm: AES256 (SSE-S3) or aws:kms (SSE-KMS). */
  readonly algorithm: 'AES256' | 'aws:kms'
  /**
   * KMS key for the algorithm aws:kms. Default: the AWS managed key.
   * At least 1 character. At most 253 characters.
   */
  readonly keyId?: string
}

export interface DatabaseSpecExtensions {
  /**
   * Name of the extension, e.g. pg_trgm.
   * At least 1 character. At most 63 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   */
  readonly name: string
  /**
   * Version of the extension. Default: the default version of the server.
   * At least 1 character. At most 63 characters. Matches `^[A-Za-z0-9_.+-]+$`.
   */
  readonly version?: string
  /**
   * Schema of the extension's objects. The operator creates a missing schema; the database owner cannot create objects
   * in it. Default: the schema that the extension requires, or public.
   * At least 1 character. At most 63 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: schema is reserved: do not use _konverge*, pg_* or information_schema.
   */
  readonly schema?: string
}

export interface DatabaseSpecSchemas {
  /**
   * Name of the schema.
   * At least 1 character. At most 63 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: schema is reserved: do not use _konverge*, pg_* or information_schema.
   */
  readonly name: string
}

/**
 * Other namespaces whose DatabaseUsers can access the database. Default: only the Database's namespace.
 * Rule: set exactly one of names and selector.
 */
export interface DatabaseSpecAllowedNamespaces {
  /**
   * Names of the namespaces.
   * At most 256 items. No item twice.
   */
  readonly names?: readonly string[]
  /** Label selector of the namespaces. An empty selector selects all namespaces. */
  readonly selector?: DatabaseSpecAllowedNamespacesSelector
}

/** Label selector of the namespaces. An empty selector selects all namespaces. */
export interface DatabaseSpecAllowedNamespacesSelector {
  /**
   * Labels that the namespace must have.
   * At most 64 keys.
   */
  readonly matchLabels?: Readonly<Record<string, string>>
  /**
   * Requirements on the labels of the namespace. All must hold.
   * At most 64 items.
   */
  readonly matchExpressions?: readonly DatabaseSpecAllowedNamespacesSelectorMatchExpressions[]
}

export interface DatabaseSpecAllowedNamespacesSelectorMatchExpressions {
  /**
   * Key of the label.
   * At least 1 character. At most 317 characters.
   */
  readonly key: string
  /** Relation of the key to the values. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  /**
   * Values of the label. They must be empty for Exists and DoesNotExist.
   * At most 64 items.
   */
  readonly values?: readonly string[]
}

/**
 * Upgrade to a newer major version. It requires provider.inCluster. The operator sets wal_level to logical, which
 * restarts the server once.
 */
export interface DatabaseSpecUpgradeInput {
  /**
   * Approval of the cutover to the new server. Automatic cuts over when the new server has caught up. Manual waits for
   * the annotation data.konverge.dev/cutover with the new version, e.g. 18. With retry, the annotation must also
   * contain its value, e.g. 18-b. Default: Manual.
   * @default "Manual"
   */
  readonly cutover?: 'Manual' | 'Automatic'
  /**
   * Backup before the upgrade. Take stores a backup in snapshotTarget and verifies it. Skip makes no backup. Default:
   * Take.
   * @default "Take"
   */
  readonly snapshot?: 'Take' | 'Skip'
  /**
   * Copy method. Replication copies rows while applications write; they wait for seconds during the cutover. Dump
   * copies rows while applications wait, for at most maxWait. Only Dump supports tables without a primary key or
   * replica identity, unlogged tables and large objects. Default: Replication.
   * @default "Replication"
   */
  readonly method?: 'Replication' | 'Dump'
  /**
   * Queries that must hold on the new server before the cutover. They run as the database owner, with an empty
   * search_path: qualify names with their schema.
   * At most 16 items.
   */
  readonly verifyQueries?: readonly DatabaseSpecUpgradeVerifyQueries[]
  /**
   * Maximum time for which applications wait during the cutover. It includes the copy of the last rows (Dump: all rows)
   * and the comparison of both servers. The operator rolls back a cutover that exceeds it. Range: 10s to 24h. Default:
   * 15m.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: maxWait must be from 10s to 24h.
   * @default "15m"
   */
  readonly maxWait?: string
  /**
   * Time for which the volume of the old server is kept after the cutover. The old server is stopped. The value 0s
   * removes the volume immediately. Default: 24h.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly keepPrevious?: string
  /**
   * Retry token. A new value retries an upgrade that was rolled back or is stuck.
   * At most 63 characters. Matches `^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`.
   */
  readonly retry?: string
}

/**
 * Provider of the server. Exactly one provider is required. Immutable.
 * Rule: set exactly one of inCluster, server and rds.
 * Rule: provider is immutable; create another Database and copy the data.
 */
export interface DatabaseSpecProviderInput {
  /** Dedicated server in the cluster: one pod with a volume, without a standby. */
  readonly inCluster?: DatabaseSpecProviderInClusterInput
  /** Existing server that the operator does not manage. */
  readonly server?: DatabaseSpecProviderServerInput
  /**
   * Dedicated instance of Amazon RDS for PostgreSQL.
   * Rule: subnetGroupName is immutable; create another Database and copy the data.
   * Rule: instanceIdentifier is immutable; create another Database and copy the data.
   * Rule: caSecretRef is required with sslMode verify-ca and verify-full; store AWS's global-bundle.pem in a Secret, or
   * set sslMode to require.
   */
  readonly rds?: DatabaseSpecProviderRdsInput
}

/** Dedicated server in the cluster: one pod with a volume, without a standby. */
export interface DatabaseSpecProviderInClusterInput {
  /**
   * Container image, compatible with the Debian variant of Docker's official postgres image. It runs as user 999 with a
   * read-only root file system. It can write to /data, /var/run/postgresql, /tmp and /dev/shm. Default:
   * postgres:<version>.
   * At least 1 character. At most 1024 characters.
   */
  readonly image?: string
  /**
   * Storage of the server.
   * Rule: storageClassName is immutable: volumes cannot change their class; create another Database and copy the data.
   * @default {}
   */
  readonly storage?: DatabaseSpecProviderInClusterStorageInput
  /** Compute resources of the container. */
  readonly resources?: DatabaseSpecProviderInClusterResources
  /**
   * Server parameters by lower-case name, as in postgresql.conf, e.g. {shared_buffers: 256MB, max_connections: 200}. A
   * change restarts the server.
   * At most 50 keys.
   * Rule: a parameter name has lower-case letters, digits and '_', and one dot if it belongs to an extension.
   * Rule: the operator sets the paths of server files; remove this parameter.
   * Rule: the operator sets the listen addresses; remove this parameter.
   * Rule: the operator sets encryption and authentication; remove this parameter.
   * Rule: the operator sets archiving, recovery and replication; remove this parameter and use a Backup.
   * Rule: the operator sends the server log to the container log; remove this parameter.
   * Rule: include directives are not allowed; set the parameters directly.
   */
  readonly parameters?: Readonly<Record<string, number | string>>
}

/**
 * Storage of the server.
 * Rule: storageClassName is immutable: volumes cannot change their class; create another Database and copy the data.
 */
export interface DatabaseSpecProviderInClusterStorageInput {
  /**
   * Size of the volume, e.g. 10Gi. It can only increase, and only if the StorageClass allows expansion. Default: 1Gi.
   * At least 1 character. At most 32 characters.
   * Rule: size must be a quantity greater than zero, e.g. 10Gi.
   * Rule: size cannot decrease: volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size?: string
  /**
   * StorageClass of the volume. Default: the cluster's default class. The empty string selects an existing volume.
   * Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
}

/** Existing server that the operator does not manage. */
export interface DatabaseSpecProviderServerInput {
  /**
   * Secret with the keys host, port, username, password and optionally ca.crt, in the same namespace. It must have the
   * label data.konverge.dev/usable-by-database. Its role needs CREATEDB and CREATEROLE.
   */
  readonly connectionSecretRef: DatabaseSpecProviderServerConnectionSecretRef
  /**
   * Database that the operator connects to for server-wide statements. Default: postgres.
   * At least 1 character. At most 63 characters.
   * @default "postgres"
   */
  readonly maintenanceDatabase?: string
  /**
   * TLS mode of connections. Mode verify-full checks the server certificate and its host name. Mode verify-ca checks
   * the certificate only. Mode require encrypts without a check. Mode disable sends everything in clear text. Default:
   * verify-full.
   * @default "verify-full"
   */
  readonly sslMode?: 'disable' | 'require' | 'verify-ca' | 'verify-full'
  /**
   * Secret with the trusted CA certificates in PEM format. Default: ca.crt of the connection Secret, else the
   * operator's system trust store.
   */
  readonly caSecretRef?: DatabaseSpecProviderServerCaSecretRefInput
}

/**
 * Secret with the trusted CA certificates in PEM format. Default: ca.crt of the connection Secret, else the operator's
 * system trust store.
 */
export interface DatabaseSpecProviderServerCaSecretRefInput {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the Secret. Default: ca.crt.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key?: string
}

/**
 * Dedicated instance of Amazon RDS for PostgreSQL.
 * Rule: subnetGroupName is immutable; create another Database and copy the data.
 * Rule: instanceIdentifier is immutable; create another Database and copy the data.
 * Rule: caSecretRef is required with sslMode verify-ca and verify-full; store AWS's global-bundle.pem in a Secret, or
 * set sslMode to require.
 */
export interface DatabaseSpecProviderRdsInput {
  /**
   * AWS region, e.g. eu-central-1. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[a-z]{2}(-[a-z]+)+-[0-9]+$`.
   * Rule: region is immutable; create another Database and copy the data.
   */
  readonly region: string
  /**
   * Instance class, e.g. db.t4g.micro. A change interrupts the database for some minutes.
   * At least 1 character. At most 64 characters. Matches `^db\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9-]+$`.
   */
  readonly instanceClass: string
  /**
   * Allocated storage in GiB. Range: 20 to 65536. It can only increase.
   * At least 20. At most 65536. Format int32.
   * Rule: allocatedStorageGiB cannot decrease: RDS cannot shrink storage.
   */
  readonly allocatedStorageGiB: number
  /**
   * Identifier of the DB instance. Default: derived from namespace, name and UID. With adoptionPolicy Adopt, an
   * existing instance of this name is adopted. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z](-?[a-z0-9])*$`.
   */
  readonly instanceIdentifier?: string
  /**
   * DB subnet group. Default: the default group of the account. Immutable.
   * At least 1 character. At most 255 characters.
   */
  readonly subnetGroupName?: string
  /**
   * VPC security groups. Default: the default group of the VPC.
   * At most 16 items. No item twice.
   */
  readonly securityGroupIDs?: readonly string[]
  /**
   * Creates a standby in another availability zone. Default: false.
   * @default false
   */
  readonly multiAZ?: boolean
  /**
   * AWS credentials of the operator for this instance.
   * @default {}
   */
  readonly credentials?: DatabaseSpecProviderRdsCredentials
  /**
   * TLS mode of connections. Mode verify-full checks the instance certificate and its host name. Mode verify-ca checks
   * the certificate only. Mode require encrypts without a check. Default: verify-full.
   * @default "verify-full"
   */
  readonly sslMode?: 'require' | 'verify-ca' | 'verify-full'
  /** Secret with the AWS CA certificates for RDS in PEM format. Required unless sslMode is require. */
  readonly caSecretRef?: DatabaseSpecProviderRdsCaSecretRefInput
  /**
   * Deletion protection of the instance. While it is true, the deletion of a Database waits unless deletionPolicy is
   * Retain. Default: true.
   * @default true
   */
  readonly deletionProtection?: boolean
}

/** Secret with the AWS CA certificates for RDS in PEM format. Required unless sslMode is require. */
export interface DatabaseSpecProviderRdsCaSecretRefInput {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the Secret. Default: ca.crt.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key?: string
}

/** Initial content of the database. Default: empty. Immutable. */
export interface DatabaseSpecBootstrapInput {
  /**
   * Backup to bootstrap from. It is restored and verified before applications can connect. Exactly one source is
   * required.
   * Rule: set exactly one of backupRef and location.
   */
  readonly restoreFrom: DatabaseSpecBootstrapRestoreFromInput
}

/**
 * Backup to bootstrap from. It is restored and verified before applications can connect. Exactly one source is
 * required.
 * Rule: set exactly one of backupRef and location.
 */
export interface DatabaseSpecBootstrapRestoreFromInput {
  /**
   * Backup in the same namespace. It must be a one-off Backup or the Backup of a scheduled time, not the schedule.
   * Rule: only a Backup of the same namespace is allowed; remove namespace, or use location.
   */
  readonly backupRef?: DatabaseSpecBootstrapRestoreFromBackupRef
  /** Storage location of a backup without a Backup object in this namespace. */
  readonly location?: DatabaseSpecBootstrapRestoreFromLocationInput
}

/** Storage location of a backup without a Backup object in this namespace. */
export interface DatabaseSpecBootstrapRestoreFromLocationInput {
  /**
   * Storage location of backups.
   * Rule: set exactly one of pvc and s3.
   */
  readonly target: DatabaseSpecBootstrapRestoreFromLocationTargetInput
  /**
   * Method of the backup. Logical contains one database. Physical contains a whole server; only a new Database with
   * provider.inCluster can bootstrap from it. Default: Logical.
   * @default "Logical"
   */
  readonly method?: 'Logical' | 'Physical'
  /**
   * Folder of the backup with its manifest.json, as in status.folder of its Backup.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Storage location of backups.
 * Rule: set exactly one of pvc and s3.
 */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetInput {
  /** Volume in the same namespace. */
  readonly pvc?: DatabaseSpecBootstrapRestoreFromLocationTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: DatabaseSpecBootstrapRestoreFromLocationTargetS3Input
}

/** Bucket of Amazon S3 or of an S3-compatible store. */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetS3Input {
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
  readonly credentialsSecretRef?: DatabaseSpecBootstrapRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * In-place restore. The operator restores and verifies a backup beside the database, then replaces the database. Each
 * requestID runs once.
 * Rule: from cannot change for the same requestID, because each request runs once; set another requestID.
 * Rule: previousOf must name an earlier request.
 */
export interface DatabaseSpecRestoreInput {
  /**
   * Identifier of the request. It is part of database names on the server.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   * Rule: bootstrap is reserved for spec.bootstrap; set another requestID.
   */
  readonly requestID: string
  /**
   * Source of the restore. Exactly one source is required.
   * Rule: set exactly one of backupRef, location and previousOf.
   */
  readonly from: DatabaseSpecRestoreFromInput
  /**
   * Time for which the replaced database is kept without connections, e.g. 24h. Maximum: 8760h. Default: 24h.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: keepPrevious must be at most 8760h.
   * @default "24h"
   */
  readonly keepPrevious?: string
}

/**
 * Source of the restore. Exactly one source is required.
 * Rule: set exactly one of backupRef, location and previousOf.
 */
export interface DatabaseSpecRestoreFromInput {
  /**
   * Backup in the same namespace. It must be a one-off Backup or the Backup of a scheduled time, not the schedule.
   * Rule: only a Backup of the same namespace is allowed; remove namespace, or use location.
   */
  readonly backupRef?: DatabaseSpecRestoreFromBackupRef
  /** Storage location of a backup without a Backup object in this namespace. */
  readonly location?: DatabaseSpecRestoreFromLocationInput
  /**
   * Earlier request to undo. The database that it replaced takes its place again, while that database is kept.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   */
  readonly previousOf?: string
}

/** Storage location of a backup without a Backup object in this namespace. */
export interface DatabaseSpecRestoreFromLocationInput {
  /**
   * Storage location of backups.
   * Rule: set exactly one of pvc and s3.
   */
  readonly target: DatabaseSpecRestoreFromLocationTargetInput
  /**
   * Method of the backup. Logical contains one database. Physical contains a whole server; only a new Database with
   * provider.inCluster can bootstrap from it. Default: Logical.
   * @default "Logical"
   */
  readonly method?: 'Logical' | 'Physical'
  /**
   * Folder of the backup with its manifest.json, as in status.folder of its Backup.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Storage location of backups.
 * Rule: set exactly one of pvc and s3.
 */
export interface DatabaseSpecRestoreFromLocationTargetInput {
  /** Volume in the same namespace. */
  readonly pvc?: DatabaseSpecRestoreFromLocationTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: DatabaseSpecRestoreFromLocationTargetS3Input
}

/** Bucket of Amazon S3 or of an S3-compatible store. */
export interface DatabaseSpecRestoreFromLocationTargetS3Input {
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
  readonly credentialsSecretRef?: DatabaseSpecRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * Storage location of backups that the operator takes for upgrades, Migrations and deletion.
 * Rule: set exactly one of pvc and s3.
 */
export interface DatabaseSpecSnapshotTargetInput {
  /** Volume in the same namespace. */
  readonly pvc?: DatabaseSpecSnapshotTargetPvc
  /** Bucket of Amazon S3 or of an S3-compatible store. */
  readonly s3?: DatabaseSpecSnapshotTargetS3Input
}

/** Bucket of Amazon S3 or of an S3-compatible store. */
export interface DatabaseSpecSnapshotTargetS3Input {
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
  readonly credentialsSecretRef?: DatabaseSpecSnapshotTargetS3CredentialsSecretRef
  /** Server-side encryption of the stored objects. Default: the setting of the bucket. */
  readonly encryption?: DatabaseSpecSnapshotTargetS3Encryption
  /**
   * Object Lock retention of stored objects in days, in mode GOVERNANCE. Range: 1 to 3650. The lock also binds the
   * operator. The bucket must have Object Lock enabled.
   * At least 1. At most 3650. Format int32.
   */
  readonly objectLockDays?: number
}

/** Creation of the server or the database. */
export interface DatabaseStatusProvisioning {
  /** UID and generation of the Database that requested the creation. */
  readonly token?: string
  /**
   * Time of the last creation request.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /** Last state that the provider reported, e.g. creating. */
  readonly lastObservedState?: string
}

/** Server that serves applications. Provider inCluster only. */
export interface DatabaseStatusServer {
  /** Name of its StatefulSet. */
  readonly name: string
  /**
   * Major version of the server.
   * At most 2 characters.
   */
  readonly version: string
}

/** Server before the last upgrade, while its volume is kept. */
export interface DatabaseStatusPrevious {
  /** Name of its StatefulSet. */
  readonly name: string
  /** Major version of the server. */
  readonly version: string
  /**
   * Time at which the server and its volume are deleted.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly keptUntil: string
}

/**
 * State of the last upgrade. In the states Running, AwaitingCutover and Compensating, the operator holds back
 * DatabaseUsers, Migrations, Backups and restores.
 */
export interface DatabaseStatusUpgrade {
  /** Identifier of the upgrade. */
  readonly id: string
  /** Major version of the old server. */
  readonly from: string
  /** Major version of the new server. */
  readonly to: string
  /** State of the upgrade. */
  readonly state: 'Running' | 'AwaitingCutover' | 'Compensating' | 'Completed' | 'Compensated' | 'ManualIntervention'
  /** Current step, e.g. MigrateData. */
  readonly step?: string
  /** Current step with its position, e.g. MigrateData 6/8. */
  readonly progress?: string
  /**
   * Human-readable details.
   * At most 32768 characters.
   */
  readonly message?: string
  /**
   * Start time.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * End time.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly finishedAt?: string
  /**
   * Time at which applications got access to the new server. No rollback is possible after it.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly pivotedAt?: string
}

/** Identity of the database. It differs from any other database at the same address and name. */
export interface DatabaseStatusIdentity {
  /** System identifier of the server. */
  readonly systemIdentifier?: string
  /**
   * OID of the database.
   * Format int64.
   */
  readonly databaseOID?: number
}

/** Endpoint of the server. */
export interface DatabaseStatusEndpoint {
  /** Host name or address. */
  readonly host?: string
  /**
   * TCP port.
   * Format int32.
   */
  readonly port?: number
}

/** Secret with the operator's administrative connection to the server. */
export interface DatabaseStatusBinding {
  /** Name of the Secret. */
  readonly name?: string
}

/** Last observed state of the database. */
export interface DatabaseStatusObserved {
  /** Owner role of the database. */
  readonly owner?: string
  /**
   * Installed extensions.
   * One item for each name.
   */
  readonly extensions?: readonly DatabaseStatusObservedExtensions[]
  /**
   * Schemas other than those of PostgreSQL.
   * No item twice.
   */
  readonly schemas?: readonly string[]
  /**
   * Size of the database in bytes.
   * Format int64.
   */
  readonly sizeBytes?: number
  /** Human-readable size of the database, e.g. 34MB. */
  readonly size?: string
}

export interface DatabaseStatusObservedExtensions {
  /** Name of the extension. */
  readonly name: string
  /** Version of the extension. */
  readonly version?: string
  /** Schema of the extension's objects. */
  readonly schema?: string
}

/** Last correction of a change that was made outside of this resource. */
export interface DatabaseStatusLastDriftCorrection {
  /**
   * Time of the correction.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly time?: string
  /**
   * Description of the corrected change.
   * At most 32768 characters.
   */
  readonly message?: string
}

/** State of the last restore, and databases kept by earlier restores. */
export interface DatabaseStatusRestore {
  /**
   * Identifier of the request. The value bootstrap belongs to spec.bootstrap.
   * At most 32 characters.
   */
  readonly requestID: string
  /** Phase of the restore. Discarding removes the copy of a failed restore. */
  readonly phase: 'Pending' | 'Restoring' | 'Discarding' | 'Completed' | 'Failed'
  /**
   * Machine-readable reason of the phase, in CamelCase.
   * At most 1024 characters.
   */
  readonly reason?: string
  /**
   * Human-readable details of the phase.
   * At most 32768 characters.
   */
  readonly message?: string
  /** Method of the restored backup, once known. */
  readonly method?: 'Logical' | 'Physical'
  /** Identifier of the provider snapshot that the instance is created from. */
  readonly snapshot?: string
  /**
   * Start time.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt: string
  /**
   * End time.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly endedAt?: string
  /** Identity of the database that the restore replaces. Absent if there was none. */
  readonly replaces?: DatabaseStatusRestoreReplaces
  /**
   * Replaced databases that are kept to undo restores.
   * At most 64 items. One item for each requestID.
   */
  readonly previous?: readonly DatabaseStatusRestorePrevious[]
  /**
   * Earlier requests, oldest first. They do not run again.
   * At most 128 items. No item twice.
   */
  readonly earlierRequests?: readonly string[]
}

/** Identity of the database that the restore replaces. Absent if there was none. */
export interface DatabaseStatusRestoreReplaces {
  /** System identifier of the server. */
  readonly systemIdentifier: string
  /**
   * OID of the database.
   * Format int64.
   */
  readonly databaseOID: number
}

export interface DatabaseStatusRestorePrevious {
  /**
   * Request that replaced the database.
   * At most 32 characters.
   */
  readonly requestID: string
  /** Current name of the database on the server. */
  readonly databaseName: string
  /**
   * Time of the replacement.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly replacedAt: string
  /**
   * Earliest time at which the database is dropped.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly keptUntil: string
}

export interface DatabaseStatusExternal {
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
  readonly token: DatabaseStatusExternalToken
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
export interface DatabaseStatusExternalToken {
  /** UID of the owning object. */
  readonly uid: string
  /**
   * Generation of the owning object that first requested the resource.
   * Format int64.
   */
  readonly generation: number
}

export interface DatabaseStatusSagas {
  /**
   * Name of the operation.
   * At least 1 character. At most 63 characters.
   */
  readonly name: string
  /** Identifier of this run. */
  readonly id: string
  /** State of the run. */
  readonly state: 'Running' | 'Compensating' | 'Completed' | 'Compensated' | 'ManualIntervention'
  /**
   * Generation of the spec that started the run.
   * Format int64.
   */
  readonly generation: number
  /** Input of the run, fixed at its start. */
  readonly input: Readonly<Record<string, string>>
  /**
   * Start time.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt: string
  /**
   * End time.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly finishedAt?: string
  /**
   * Time of the point of no return. No rollback is possible after it.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly pivotedAt?: string
  /**
   * Machine-readable reason of a rollback or of a stuck run.
   * At most 1024 characters.
   */
  readonly reason?: string
  /**
   * Human-readable details of the reason.
   * At most 32768 characters.
   */
  readonly message?: string
  /** Identifier of the last retry request. */
  readonly retriedFor?: string
  /**
   * Steps in execution order.
   * One item for each name.
   */
  readonly steps: readonly DatabaseStatusSagasSteps[]
}

export interface DatabaseStatusSagasSteps {
  /**
   * Name of the step.
   * At least 1 character. At most 63 characters.
   */
  readonly name: string
  /** State of the step. */
  readonly state: 'Pending' | 'Running' | 'Done' | 'Compensating' | 'Compensated' | 'Failed' | 'Kept'
  /**
   * Time at which the step entered its state.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * Number of attempts in this state.
   * Format int32.
   */
  readonly attempts?: number
  /**
   * Earliest time of the next attempt.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly retryAt?: string
  /**
   * Machine-readable reason of the last failure.
   * At most 1024 characters.
   */
  readonly reason?: string
  /**
   * Human-readable details of the last failure.
   * At most 32768 characters.
   */
  readonly message?: string
  /** Data that the step stores for later attempts or its rollback. */
  readonly notes?: Readonly<Record<string, string>>
}

export interface DatabaseStatusConditions {
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
