// Generated from crds/database.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How Database of data.konverge.dev looks on the wire.

/** A database of PostgreSQL, with its owner role, extensions and schemas. */
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
 * What the database should be.
 * Rule: databaseName is immutable; create a new Database and copy the data.
 * Rule: encoding is immutable, because PostgreSQL cannot change it; create a new Database and copy the data.
 * Rule: locale is immutable, because PostgreSQL cannot change it; create a new Database and copy the data.
 * Rule: version is not given with provider.server, because the server has one; see status.serverVersion.
 * Rule: version is needed with provider.inCluster and provider.rds.
 * Rule: version cannot change with provider.rds; create a new Database and copy the data.
 * Rule: another version is an upgrade, and needs spec.upgrade, which says how; see docs/upgrades.md.
 * Rule: upgrade is for provider.inCluster, whose server the operator makes.
 * Rule: an upgrade makes a backup first, and needs snapshotTarget, which says where it is kept; upgrade.snapshot Skip
 * goes without.
 * Rule: bootstrap is immutable, because a database begins once; restore over it with spec.restore.
 * Rule: deletionPolicy Snapshot needs snapshotTarget, which says where the last backup is kept.
 */
export interface DatabaseSpec {
  /**
   * Whether the operator leaves the database alone: while true nothing of it is changed, and its deletion waits. It
   * goes on serving. For a while and by hand, the annotation konverge.dev/paused does the same.
   */
  readonly suspend?: boolean
  /**
   * The name of the database on its server. Without it metadata.name, with '_' for '-'. Its owner is the role
   * `<databaseName>_owner`, which nobody logs in as. Immutable.
   * At least 1 character. At most 57 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: PostgreSQL keeps this name for itself; names that begin with pg_, and postgres, template0, template1, public
   * and rdsadmin are refused.
   */
  readonly databaseName?: string
  /**
   * Major version of PostgreSQL, in quotes: "18". Required with provider.inCluster and provider.rds; with
   * provider.server it is the server's. With provider.inCluster and upgrade it can be raised, which moves the database
   * to a new server.
   * At most 2 characters.
   */
  readonly version?: '14' | '15' | '16' | '17' | '18'
  /**
   * How the database moves to a new server when version is raised. Where it is given, the server keeps in its log what
   * logical replication needs (wal_level logical), for which it is restarted once.
   */
  readonly upgrade?: DatabaseSpecUpgrade
  /**
   * Where the server is; exactly one of them, for ever.
   * Rule: give exactly one of inCluster, server and rds.
   * Rule: a database cannot move to another provider; create a new Database and copy the data.
   */
  readonly provider: DatabaseSpecProvider
  /** How the database begins. Without it, empty. Immutable. */
  readonly bootstrap?: DatabaseSpecBootstrap
  /**
   * A backup takes the place of what is there, once it is restored beside it and proven. Each requestID runs once.
   * Rule: from cannot change, because each request runs once; give another requestID with it.
   * Rule: previousOf names an earlier request, and not this one.
   */
  readonly restore?: DatabaseSpecRestore
  /**
   * What becomes of a database of this name that the operator did not make. Never leaves it alone and says so; Adopt
   * takes it over.
   * @default "Never"
   */
  readonly adoptionPolicy: 'Never' | 'Adopt'
  /**
   * What becomes of the data when the Database is deleted. Retain keeps it; Delete drops it, once no DatabaseUser uses
   * it; Snapshot does so after a last backup that was proven by restoring it, and for rds after a final snapshot.
   * @default "Retain"
   */
  readonly deletionPolicy: 'Retain' | 'Delete' | 'Snapshot'
  /**
   * Where backups are kept that the Database has made of itself, as in the target of a Backup.
   * Rule: a target is one of pvc and s3.
   */
  readonly snapshotTarget?: DatabaseSpecSnapshotTarget
  /**
   * What becomes of changes that somebody else has made on the server. Correct puts them right; Report only shows them.
   * @default "Correct"
   */
  readonly driftPolicy: 'Correct' | 'Report'
  /**
   * Whether a database that has vanished is made anew, and empty. Else it is reported, and nothing is done.
   * @default false
   */
  readonly recreateIfMissing: boolean
  /**
   * The encoding, such as LATIN1. Without it UTF8. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[A-Za-z0-9_-]+$`.
   */
  readonly encoding?: string
  /**
   * The locale by which text is sorted and classified, such as C.UTF-8. Without it the server's own. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[A-Za-z0-9_.@-]+$`.
   */
  readonly locale?: string
  /**
   * The most sessions at a time; -1 means no limit but the server's.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit: number
  /**
   * Extensions that are installed. One that is taken out of the list stays, because data may depend on it.
   * At most 64 items. One item for each name.
   */
  readonly extensions?: readonly DatabaseSpecExtensions[]
  /**
   * Schemas, which the database's owner owns. One that is taken out of the list stays, because data may be in it.
   * At most 64 items. One item for each name.
   */
  readonly schemas?: readonly DatabaseSpecSchemas[]
  /**
   * Other namespaces whose DatabaseUsers may use the database. Without it only its own.
   * Rule: give exactly one of names and selector.
   */
  readonly allowedNamespaces?: DatabaseSpecAllowedNamespaces
}

/**
 * What the database should be.
 * Rule: databaseName is immutable; create a new Database and copy the data.
 * Rule: encoding is immutable, because PostgreSQL cannot change it; create a new Database and copy the data.
 * Rule: locale is immutable, because PostgreSQL cannot change it; create a new Database and copy the data.
 * Rule: version is not given with provider.server, because the server has one; see status.serverVersion.
 * Rule: version is needed with provider.inCluster and provider.rds.
 * Rule: version cannot change with provider.rds; create a new Database and copy the data.
 * Rule: another version is an upgrade, and needs spec.upgrade, which says how; see docs/upgrades.md.
 * Rule: upgrade is for provider.inCluster, whose server the operator makes.
 * Rule: an upgrade makes a backup first, and needs snapshotTarget, which says where it is kept; upgrade.snapshot Skip
 * goes without.
 * Rule: bootstrap is immutable, because a database begins once; restore over it with spec.restore.
 * Rule: deletionPolicy Snapshot needs snapshotTarget, which says where the last backup is kept.
 */
export interface DatabaseSpecInput {
  /**
   * Whether the operator leaves the database alone: while true nothing of it is changed, and its deletion waits. It
   * goes on serving. For a while and by hand, the annotation konverge.dev/paused does the same.
   */
  readonly suspend?: boolean
  /**
   * The name of the database on its server. Without it metadata.name, with '_' for '-'. Its owner is the role
   * `<databaseName>_owner`, which nobody logs in as. Immutable.
   * At least 1 character. At most 57 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: PostgreSQL keeps this name for itself; names that begin with pg_, and postgres, template0, template1, public
   * and rdsadmin are refused.
   */
  readonly databaseName?: string
  /**
   * Major version of PostgreSQL, in quotes: "18". Required with provider.inCluster and provider.rds; with
   * provider.server it is the server's. With provider.inCluster and upgrade it can be raised, which moves the database
   * to a new server.
   * At most 2 characters.
   */
  readonly version?: '14' | '15' | '16' | '17' | '18'
  /**
   * How the database moves to a new server when version is raised. Where it is given, the server keeps in its log what
   * logical replication needs (wal_level logical), for which it is restarted once.
   */
  readonly upgrade?: DatabaseSpecUpgradeInput
  /**
   * Where the server is; exactly one of them, for ever.
   * Rule: give exactly one of inCluster, server and rds.
   * Rule: a database cannot move to another provider; create a new Database and copy the data.
   */
  readonly provider: DatabaseSpecProviderInput
  /** How the database begins. Without it, empty. Immutable. */
  readonly bootstrap?: DatabaseSpecBootstrapInput
  /**
   * A backup takes the place of what is there, once it is restored beside it and proven. Each requestID runs once.
   * Rule: from cannot change, because each request runs once; give another requestID with it.
   * Rule: previousOf names an earlier request, and not this one.
   */
  readonly restore?: DatabaseSpecRestoreInput
  /**
   * What becomes of a database of this name that the operator did not make. Never leaves it alone and says so; Adopt
   * takes it over.
   * @default "Never"
   */
  readonly adoptionPolicy?: 'Never' | 'Adopt'
  /**
   * What becomes of the data when the Database is deleted. Retain keeps it; Delete drops it, once no DatabaseUser uses
   * it; Snapshot does so after a last backup that was proven by restoring it, and for rds after a final snapshot.
   * @default "Retain"
   */
  readonly deletionPolicy?: 'Retain' | 'Delete' | 'Snapshot'
  /**
   * Where backups are kept that the Database has made of itself, as in the target of a Backup.
   * Rule: a target is one of pvc and s3.
   */
  readonly snapshotTarget?: DatabaseSpecSnapshotTargetInput
  /**
   * What becomes of changes that somebody else has made on the server. Correct puts them right; Report only shows them.
   * @default "Correct"
   */
  readonly driftPolicy?: 'Correct' | 'Report'
  /**
   * Whether a database that has vanished is made anew, and empty. Else it is reported, and nothing is done.
   * @default false
   */
  readonly recreateIfMissing?: boolean
  /**
   * The encoding, such as LATIN1. Without it UTF8. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[A-Za-z0-9_-]+$`.
   */
  readonly encoding?: string
  /**
   * The locale by which text is sorted and classified, such as C.UTF-8. Without it the server's own. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[A-Za-z0-9_.@-]+$`.
   */
  readonly locale?: string
  /**
   * The most sessions at a time; -1 means no limit but the server's.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit?: number
  /**
   * Extensions that are installed. One that is taken out of the list stays, because data may depend on it.
   * At most 64 items. One item for each name.
   */
  readonly extensions?: readonly DatabaseSpecExtensions[]
  /**
   * Schemas, which the database's owner owns. One that is taken out of the list stays, because data may be in it.
   * At most 64 items. One item for each name.
   */
  readonly schemas?: readonly DatabaseSpecSchemas[]
  /**
   * Other namespaces whose DatabaseUsers may use the database. Without it only its own.
   * Rule: give exactly one of names and selector.
   */
  readonly allowedNamespaces?: DatabaseSpecAllowedNamespaces
}

/** What the database is, as last seen by the operator. */
export interface DatabaseStatus {
  /**
   * The generation of the spec that this status is about.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** The newest konverge.dev/reconcile-now annotation whose turn has ended. */
  readonly lastHandledReconcileAt?: string
  /** How far it is, in one word; a summary of the conditions. */
  readonly phase?: 'Pending' | 'Provisioning' | 'Configuring' | 'Restoring' | 'Ready' | 'Upgrading' | 'Deleting' | 'Failed'
  /** The name of the database on its server. */
  readonly databaseName?: string
  /** Where the server is. */
  readonly provider?: 'InCluster' | 'Server' | 'RDS'
  /** What the provider calls it for ever, such as an ARN or pg://<system identifier>/<oid>. */
  readonly providerID?: string
  /** The making of the server or the database, while and after it goes on. */
  readonly provisioning?: DatabaseStatusProvisioning
  /** The version of PostgreSQL, as the server says. */
  readonly serverVersion?: string
  /** Which server of the cluster applications are led to. Only of provider inCluster. */
  readonly server?: DatabaseStatusServer
  /** The server that served before the last upgrade, while its volume is kept. */
  readonly previous?: DatabaseStatusPrevious
  /**
   * How the last upgrade stands. While its state is Running, AwaitingCutover or Compensating the database is on its
   * move, and nobody else changes what is in it.
   */
  readonly upgrade?: DatabaseStatusUpgrade
  /** What tells this database from every other, also behind the same address and name. */
  readonly identity?: DatabaseStatusIdentity
  /** Where the server is reached. */
  readonly endpoint?: DatabaseStatusEndpoint
  /** The Secret by which the server is reached with the operator's own rights. */
  readonly binding?: DatabaseStatusBinding
  /** What was last seen on the server. */
  readonly observed?: DatabaseStatusObserved
  /** What was last put right after somebody else had changed it. */
  readonly lastDriftCorrection?: DatabaseStatusLastDriftCorrection
  /** Other namespaces are let in by allowedNamespaces, or were, and roles without a DatabaseUser may still connect. */
  readonly shared?: boolean
  /** The restore that was begun last, and what is kept of what restores have replaced. */
  readonly restore?: DatabaseStatusRestore
  /**
   * What is there of it outside the cluster. The operator's own record, which it needs to go on after a crash.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly DatabaseStatusExternal[]
  /**
   * What is undertaken in steps. The operator's own record, which it needs to go on after a crash.
   * At most 8 items. One item for each name.
   */
  readonly sagas?: readonly DatabaseStatusSagas[]
  /**
   * Ready, Progressing and Degraded always, with Provisioned, Connected, Configured, Drifted and BackedUp as far as
   * they are known; Upgraded of the last upgrade, Restored of the last restore; DeletionBlocked, Reconciling and
   * Stalled while they are true.
   * One item for each type.
   */
  readonly conditions?: readonly DatabaseStatusConditions[]
}

/**
 * How the database moves to a new server when version is raised. Where it is given, the server keeps in its log what
 * logical replication needs (wal_level logical), for which it is restarted once.
 */
export interface DatabaseSpecUpgrade {
  /**
   * When applications are led to the new server. Automatic, as soon as it holds all rows; Manual, when the annotation
   * data.konverge.dev/cutover holds the new version, and where retry is given also that: 18-b.
   * @default "Manual"
   */
  readonly cutover: 'Manual' | 'Automatic'
  /**
   * Whether a backup is made at snapshotTarget and proven before anything else.
   * @default "Take"
   */
  readonly snapshot: 'Take' | 'Skip'
  /**
   * How the rows travel. Replication, while applications write, which wait for seconds; Dump, while they wait for at
   * most maxWait, also of tables without a primary key, unlogged ones, and large objects.
   * @default "Replication"
   */
  readonly method: 'Replication' | 'Dump'
  /**
   * What is asked of the new server, as the database's owner and without a search_path, before anybody is led there.
   * At most 16 items.
   */
  readonly verifyQueries?: readonly DatabaseSpecUpgradeVerifyQueries[]
  /**
   * How long applications may be kept waiting while the last rows travel (by Dump all of them) and both sides are
   * compared; what takes longer is led back to the old server.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: maxWait is from 10s to 24h.
   * @default "15m"
   */
  readonly maxWait: string
  /**
   * How long the old server's volume is kept, with its server stopped, once applications use the new one.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly keepPrevious: string
  /**
   * Any text; whenever it changes, an upgrade that was taken back or stands still is tried again.
   * At most 63 characters. Matches `^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`.
   */
  readonly retry?: string
}

export interface DatabaseSpecUpgradeVerifyQueries {
  /**
   * A query whose first column of the first row is read.
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
 * Where the server is; exactly one of them, for ever.
 * Rule: give exactly one of inCluster, server and rds.
 * Rule: a database cannot move to another provider; create a new Database and copy the data.
 */
export interface DatabaseSpecProvider {
  /** A server of its own in the cluster, one pod with a volume. It has no standby. */
  readonly inCluster?: DatabaseSpecProviderInCluster
  /** A server that exists, and goes on existing without us. */
  readonly server?: DatabaseSpecProviderServer
  /**
   * An instance of Amazon RDS, made for this database.
   * Rule: subnetGroupName is immutable; create a new Database and copy the data.
   * Rule: instanceIdentifier is immutable; create a new Database and copy the data.
   * Rule: caSecretRef is needed, because no system trusts the certificates of RDS by itself; put AWS's
   * global-bundle.pem into a Secret, or give up the check with sslMode require.
   */
  readonly rds?: DatabaseSpecProviderRds
}

/** A server of its own in the cluster, one pod with a volume. It has no standby. */
export interface DatabaseSpecProviderInCluster {
  /**
   * The container image, which takes what Docker's official image for Debian takes, and runs as its user 999. Its root
   * is read-only: it can write to /data, /var/run/postgresql, /tmp and /dev/shm. Default: postgres:<version>.
   * At least 1 character. At most 1024 characters.
   */
  readonly image?: string
  /**
   * The volume of the server.
   * Rule: storageClassName is immutable, because volumes cannot change their class; create a new Database and copy the
   * data.
   * @default {}
   */
  readonly storage: DatabaseSpecProviderInClusterStorage
  /** Compute resources of the container. */
  readonly resources?: DatabaseSpecProviderInClusterResources
  /**
   * Settings of the server by name in small letters, as in postgresql.conf: {shared_buffers: 256MB, max_connections:
   * 200}. A change restarts the server.
   * At most 50 keys.
   * Rule: names of settings have small letters, digits and '_', and those of extensions one dot.
   * Rule: files and folders of the server are set by the operator.
   * Rule: the addresses on which the server listens are set by the operator.
   * Rule: encryption and authentication are set by the operator.
   * Rule: archiving, recovery and replication come with Backup, and are set by the operator.
   * Rule: the server's log goes to the container's, which is set by the operator.
   * Rule: other files are not included; give the settings themselves.
   */
  readonly parameters?: Readonly<Record<string, number | string>>
}

/**
 * The volume of the server.
 * Rule: storageClassName is immutable, because volumes cannot change their class; create a new Database and copy the
 * data.
 */
export interface DatabaseSpecProviderInClusterStorage {
  /**
   * The size of the volume, a quantity such as 10Gi. It can grow where the class allows that, never shrink.
   * At least 1 character. At most 32 characters.
   * Rule: size is a quantity greater than zero, such as 10Gi.
   * Rule: size can only grow, because volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size: string
  /**
   * The StorageClass of the volume. Without it the cluster's default class is taken; the empty string means a volume
   * that exists already. Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
}

/** Compute resources of the container. */
export interface DatabaseSpecProviderInClusterResources {
  /**
   * The most it may use: quantities by resource name, such as cpu and memory.
   * At most 16 keys.
   */
  readonly limits?: Readonly<Record<string, number | string>>
  /**
   * What is set aside for it: quantities by resource name, such as cpu and memory.
   * At most 16 keys.
   */
  readonly requests?: Readonly<Record<string, number | string>>
}

/** A server that exists, and goes on existing without us. */
export interface DatabaseSpecProviderServer {
  /**
   * A Secret of the same namespace with the label data.konverge.dev/usable-by-database and the keys host, port,
   * username and password, and if need be ca.crt. Its role may create roles and databases.
   */
  readonly connectionSecretRef: DatabaseSpecProviderServerConnectionSecretRef
  /**
   * The database to which the operator connects for what concerns the whole server.
   * At least 1 character. At most 63 characters.
   * @default "postgres"
   */
  readonly maintenanceDatabase: string
  /**
   * How the connection is protected: verify-full checks the server's certificate and its name, verify-ca the
   * certificate alone, require neither; disable sends everything in clear text.
   * @default "verify-full"
   */
  readonly sslMode: 'disable' | 'require' | 'verify-ca' | 'verify-full'
  /**
   * The certificates by which the server's is checked, in PEM. Without it ca.crt of the connection's Secret, and
   * without that those that the operator's own system trusts.
   */
  readonly caSecretRef?: DatabaseSpecProviderServerCaSecretRef
}

/**
 * A Secret of the same namespace with the label data.konverge.dev/usable-by-database and the keys host, port, username
 * and password, and if need be ca.crt. Its role may create roles and databases.
 */
export interface DatabaseSpecProviderServerConnectionSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/**
 * The certificates by which the server's is checked, in PEM. Without it ca.crt of the connection's Secret, and without
 * that those that the operator's own system trusts.
 */
export interface DatabaseSpecProviderServerCaSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key: string
}

/**
 * An instance of Amazon RDS, made for this database.
 * Rule: subnetGroupName is immutable; create a new Database and copy the data.
 * Rule: instanceIdentifier is immutable; create a new Database and copy the data.
 * Rule: caSecretRef is needed, because no system trusts the certificates of RDS by itself; put AWS's global-bundle.pem
 * into a Secret, or give up the check with sslMode require.
 */
export interface DatabaseSpecProviderRds {
  /**
   * The region of AWS, such as eu-central-1. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[a-z]{2}(-[a-z]+)+-[0-9]+$`.
   * Rule: region is immutable; create a new Database and copy the data.
   */
  readonly region: string
  /**
   * The class of the instance, such as db.t4g.micro.
   * At least 1 character. At most 64 characters. Matches `^db\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9-]+$`.
   */
  readonly instanceClass: string
  /**
   * The size of the storage in GiB. It can grow, never shrink.
   * At least 20. At most 65536. Format int32.
   * Rule: allocatedStorageGiB can only grow, because RDS cannot shrink storage.
   */
  readonly allocatedStorageGiB: number
  /**
   * The name of the instance in RDS. Without it one is made of namespace, name and uid. With adoptionPolicy Adopt an
   * instance of this name is taken over. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z](-?[a-z0-9])*$`.
   */
  readonly instanceIdentifier?: string
  /**
   * The DB subnet group. Without it the default one of the account. Immutable.
   * At least 1 character. At most 255 characters.
   */
  readonly subnetGroupName?: string
  /**
   * The VPC security groups. Without it the default one of the VPC.
   * At most 16 items. No item twice.
   */
  readonly securityGroupIDs?: readonly string[]
  /**
   * Whether there is a standby in another availability zone.
   * @default false
   */
  readonly multiAZ: boolean
  /**
   * As whom the operator speaks to AWS.
   * @default {}
   */
  readonly credentials: DatabaseSpecProviderRdsCredentials
  /**
   * How the connection is protected: verify-full checks the instance's certificate and its name, verify-ca the
   * certificate alone, require neither.
   * @default "verify-full"
   */
  readonly sslMode: 'require' | 'verify-ca' | 'verify-full'
  /** The certificates by which the instance's is checked, in PEM, as AWS publishes them. */
  readonly caSecretRef?: DatabaseSpecProviderRdsCaSecretRef
  /**
   * Whether RDS refuses to delete the instance. While true, a Database whose deletionPolicy is not Retain waits with
   * its deletion.
   * @default true
   */
  readonly deletionProtection: boolean
}

/** As whom the operator speaks to AWS. */
export interface DatabaseSpecProviderRdsCredentials {
  /**
   * A Secret of the same namespace with the keys accessKeyId and secretAccessKey, and if need be sessionToken. Without
   * it the identity of the operator's own pod is used.
   */
  readonly secretRef?: DatabaseSpecProviderRdsCredentialsSecretRef
}

/**
 * A Secret of the same namespace with the keys accessKeyId and secretAccessKey, and if need be sessionToken. Without it
 * the identity of the operator's own pod is used.
 */
export interface DatabaseSpecProviderRdsCredentialsSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/** The certificates by which the instance's is checked, in PEM, as AWS publishes them. */
export interface DatabaseSpecProviderRdsCaSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key: string
}

/** How the database begins. Without it, empty. Immutable. */
export interface DatabaseSpecBootstrap {
  /**
   * What it begins with: a backup, which is restored and proven before anybody sees the database. Exactly one of them.
   * Rule: give exactly one of backupRef and location.
   */
  readonly restoreFrom: DatabaseSpecBootstrapRestoreFrom
}

/**
 * What it begins with: a backup, which is restored and proven before anybody sees the database. Exactly one of them.
 * Rule: give exactly one of backupRef and location.
 */
export interface DatabaseSpecBootstrapRestoreFrom {
  /**
   * A Backup of the same namespace, one that made an artifact and not a schedule.
   * Rule: a Backup is of the namespace of the Database; leave namespace out, or say where it is by location.
   */
  readonly backupRef?: DatabaseSpecBootstrapRestoreFromBackupRef
  /** Where a backup is, if there is no Backup of it here. */
  readonly location?: DatabaseSpecBootstrapRestoreFromLocation
}

/**
 * A Backup of the same namespace, one that made an artifact and not a schedule.
 * Rule: a Backup is of the namespace of the Database; leave namespace out, or say where it is by location.
 */
export interface DatabaseSpecBootstrapRestoreFromBackupRef {
  /**
   * The Backup's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Refused, as only Backups of the same namespace are restored; location says where another one is.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/** Where a backup is, if there is no Backup of it here. */
export interface DatabaseSpecBootstrapRestoreFromLocation {
  /**
   * Where backups are kept.
   * Rule: a target is one of pvc and s3.
   */
  readonly target: DatabaseSpecBootstrapRestoreFromLocationTarget
  /**
   * How it was made: Logical, of one database; Physical, of a whole server, with which only a Database with
   * provider.inCluster can begin.
   * @default "Logical"
   */
  readonly method: 'Logical' | 'Physical'
  /**
   * The folder with manifest.json, as status.folder of its Backup said.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Where backups are kept.
 * Rule: a target is one of pvc and s3.
 */
export interface DatabaseSpecBootstrapRestoreFromLocationTarget {
  /** A volume of the same namespace. */
  readonly pvc?: DatabaseSpecBootstrapRestoreFromLocationTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: DatabaseSpecBootstrapRestoreFromLocationTargetS3
}

/** A volume of the same namespace. */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetPvc {
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
export interface DatabaseSpecBootstrapRestoreFromLocationTargetS3 {
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
  readonly credentialsSecretRef?: DatabaseSpecBootstrapRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * A Secret with accessKeyId, secretAccessKey and perhaps sessionToken, and the label
 * data.konverge.dev/usable-by-backup. Without it what the worker's node or pod has by itself.
 */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetS3CredentialsSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/**
 * A backup takes the place of what is there, once it is restored beside it and proven. Each requestID runs once.
 * Rule: from cannot change, because each request runs once; give another requestID with it.
 * Rule: previousOf names an earlier request, and not this one.
 */
export interface DatabaseSpecRestore {
  /**
   * Names the request. It is in the names of databases on the server.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   * Rule: bootstrap is the request of spec.bootstrap; give another requestID.
   */
  readonly requestID: string
  /**
   * What takes the place; exactly one of them.
   * Rule: give exactly one of backupRef, location and previousOf.
   */
  readonly from: DatabaseSpecRestoreFrom
  /**
   * How long what was there before is kept, such as 24h. Nobody can connect to it.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: keepPrevious is at most 8760h.
   * @default "24h"
   */
  readonly keepPrevious: string
}

/**
 * What takes the place; exactly one of them.
 * Rule: give exactly one of backupRef, location and previousOf.
 */
export interface DatabaseSpecRestoreFrom {
  /**
   * A Backup of the same namespace, one that made an artifact and not a schedule.
   * Rule: a Backup is of the namespace of the Database; leave namespace out, or say where it is by location.
   */
  readonly backupRef?: DatabaseSpecRestoreFromBackupRef
  /** Where a backup is, if there is no Backup of it here. */
  readonly location?: DatabaseSpecRestoreFromLocation
  /**
   * An earlier request, which is undone. What it has replaced takes the place again, as long as it is kept.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   */
  readonly previousOf?: string
}

/**
 * A Backup of the same namespace, one that made an artifact and not a schedule.
 * Rule: a Backup is of the namespace of the Database; leave namespace out, or say where it is by location.
 */
export interface DatabaseSpecRestoreFromBackupRef {
  /**
   * The Backup's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Refused, as only Backups of the same namespace are restored; location says where another one is.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
}

/** Where a backup is, if there is no Backup of it here. */
export interface DatabaseSpecRestoreFromLocation {
  /**
   * Where backups are kept.
   * Rule: a target is one of pvc and s3.
   */
  readonly target: DatabaseSpecRestoreFromLocationTarget
  /**
   * How it was made: Logical, of one database; Physical, of a whole server, with which only a Database with
   * provider.inCluster can begin.
   * @default "Logical"
   */
  readonly method: 'Logical' | 'Physical'
  /**
   * The folder with manifest.json, as status.folder of its Backup said.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Where backups are kept.
 * Rule: a target is one of pvc and s3.
 */
export interface DatabaseSpecRestoreFromLocationTarget {
  /** A volume of the same namespace. */
  readonly pvc?: DatabaseSpecRestoreFromLocationTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: DatabaseSpecRestoreFromLocationTargetS3
}

/** A volume of the same namespace. */
export interface DatabaseSpecRestoreFromLocationTargetPvc {
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
export interface DatabaseSpecRestoreFromLocationTargetS3 {
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
  readonly credentialsSecretRef?: DatabaseSpecRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * A Secret with accessKeyId, secretAccessKey and perhaps sessionToken, and the label
 * data.konverge.dev/usable-by-backup. Without it what the worker's node or pod has by itself.
 */
export interface DatabaseSpecRestoreFromLocationTargetS3CredentialsSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/**
 * Where backups are kept that the Database has made of itself, as in the target of a Backup.
 * Rule: a target is one of pvc and s3.
 */
export interface DatabaseSpecSnapshotTarget {
  /** A volume of the same namespace. */
  readonly pvc?: DatabaseSpecSnapshotTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: DatabaseSpecSnapshotTargetS3
}

/** A volume of the same namespace. */
export interface DatabaseSpecSnapshotTargetPvc {
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
export interface DatabaseSpecSnapshotTargetS3 {
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
  readonly credentialsSecretRef?: DatabaseSpecSnapshotTargetS3CredentialsSecretRef
  /** How the store encrypts. */
  readonly encryption?: DatabaseSpecSnapshotTargetS3Encryption
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
export interface DatabaseSpecSnapshotTargetS3CredentialsSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
}

/** How the store encrypts. */
export interface DatabaseSpecSnapshotTargetS3Encryption {
  /** The algorithm. */
  readonly algorithm: 'AES256' | 'aws:kms'
  /**
   * The key of aws:kms.
   * At least 1 character. At most 253 characters.
   */
  readonly keyId?: string
}

export interface DatabaseSpecExtensions {
  /**
   * The name, such as pg_trgm.
   * At least 1 character. At most 63 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   */
  readonly name: string
  /**
   * The version; without it the server's default.
   * At least 1 character. At most 63 characters. Matches `^[A-Za-z0-9_.+-]+$`.
   */
  readonly version?: string
  /**
   * Schema of its objects. The operator makes a schema that does not exist, and the owner cannot create in it. Default:
   * the extension's own, or public.
   * At least 1 character. At most 63 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: schemas of the operator (_konverge) and of PostgreSQL (pg_*, information_schema) are refused.
   */
  readonly schema?: string
}

export interface DatabaseSpecSchemas {
  /**
   * The name of the schema.
   * At least 1 character. At most 63 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: schemas of the operator (_konverge) and of PostgreSQL (pg_*, information_schema) are refused.
   */
  readonly name: string
}

/**
 * Other namespaces whose DatabaseUsers may use the database. Without it only its own.
 * Rule: give exactly one of names and selector.
 */
export interface DatabaseSpecAllowedNamespaces {
  /**
   * The namespaces by name.
   * At most 256 items. No item twice.
   */
  readonly names?: readonly string[]
  /** The namespaces by their labels, as a label selector; an empty one means all. */
  readonly selector?: DatabaseSpecAllowedNamespacesSelector
}

/** The namespaces by their labels, as a label selector; an empty one means all. */
export interface DatabaseSpecAllowedNamespacesSelector {
  /**
   * Labels that the namespace must have.
   * At most 64 keys.
   */
  readonly matchLabels?: Readonly<Record<string, string>>
  /**
   * Conditions that its labels must fulfil, all of them.
   * At most 64 items.
   */
  readonly matchExpressions?: readonly DatabaseSpecAllowedNamespacesSelectorMatchExpressions[]
}

export interface DatabaseSpecAllowedNamespacesSelectorMatchExpressions {
  /**
   * The label's key.
   * At least 1 character. At most 317 characters.
   */
  readonly key: string
  /** How values are compared. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  /**
   * The values; none for Exists and DoesNotExist.
   * At most 64 items.
   */
  readonly values?: readonly string[]
}

/**
 * How the database moves to a new server when version is raised. Where it is given, the server keeps in its log what
 * logical replication needs (wal_level logical), for which it is restarted once.
 */
export interface DatabaseSpecUpgradeInput {
  /**
   * When applications are led to the new server. Automatic, as soon as it holds all rows; Manual, when the annotation
   * data.konverge.dev/cutover holds the new version, and where retry is given also that: 18-b.
   * @default "Manual"
   */
  readonly cutover?: 'Manual' | 'Automatic'
  /**
   * Whether a backup is made at snapshotTarget and proven before anything else.
   * @default "Take"
   */
  readonly snapshot?: 'Take' | 'Skip'
  /**
   * How the rows travel. Replication, while applications write, which wait for seconds; Dump, while they wait for at
   * most maxWait, also of tables without a primary key, unlogged ones, and large objects.
   * @default "Replication"
   */
  readonly method?: 'Replication' | 'Dump'
  /**
   * What is asked of the new server, as the database's owner and without a search_path, before anybody is led there.
   * At most 16 items.
   */
  readonly verifyQueries?: readonly DatabaseSpecUpgradeVerifyQueries[]
  /**
   * How long applications may be kept waiting while the last rows travel (by Dump all of them) and both sides are
   * compared; what takes longer is led back to the old server.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: maxWait is from 10s to 24h.
   * @default "15m"
   */
  readonly maxWait?: string
  /**
   * How long the old server's volume is kept, with its server stopped, once applications use the new one.
   * At most 32 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly keepPrevious?: string
  /**
   * Any text; whenever it changes, an upgrade that was taken back or stands still is tried again.
   * At most 63 characters. Matches `^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`.
   */
  readonly retry?: string
}

/**
 * Where the server is; exactly one of them, for ever.
 * Rule: give exactly one of inCluster, server and rds.
 * Rule: a database cannot move to another provider; create a new Database and copy the data.
 */
export interface DatabaseSpecProviderInput {
  /** A server of its own in the cluster, one pod with a volume. It has no standby. */
  readonly inCluster?: DatabaseSpecProviderInClusterInput
  /** A server that exists, and goes on existing without us. */
  readonly server?: DatabaseSpecProviderServerInput
  /**
   * An instance of Amazon RDS, made for this database.
   * Rule: subnetGroupName is immutable; create a new Database and copy the data.
   * Rule: instanceIdentifier is immutable; create a new Database and copy the data.
   * Rule: caSecretRef is needed, because no system trusts the certificates of RDS by itself; put AWS's
   * global-bundle.pem into a Secret, or give up the check with sslMode require.
   */
  readonly rds?: DatabaseSpecProviderRdsInput
}

/** A server of its own in the cluster, one pod with a volume. It has no standby. */
export interface DatabaseSpecProviderInClusterInput {
  /**
   * The container image, which takes what Docker's official image for Debian takes, and runs as its user 999. Its root
   * is read-only: it can write to /data, /var/run/postgresql, /tmp and /dev/shm. Default: postgres:<version>.
   * At least 1 character. At most 1024 characters.
   */
  readonly image?: string
  /**
   * The volume of the server.
   * Rule: storageClassName is immutable, because volumes cannot change their class; create a new Database and copy the
   * data.
   * @default {}
   */
  readonly storage?: DatabaseSpecProviderInClusterStorageInput
  /** Compute resources of the container. */
  readonly resources?: DatabaseSpecProviderInClusterResources
  /**
   * Settings of the server by name in small letters, as in postgresql.conf: {shared_buffers: 256MB, max_connections:
   * 200}. A change restarts the server.
   * At most 50 keys.
   * Rule: names of settings have small letters, digits and '_', and those of extensions one dot.
   * Rule: files and folders of the server are set by the operator.
   * Rule: the addresses on which the server listens are set by the operator.
   * Rule: encryption and authentication are set by the operator.
   * Rule: archiving, recovery and replication come with Backup, and are set by the operator.
   * Rule: the server's log goes to the container's, which is set by the operator.
   * Rule: other files are not included; give the settings themselves.
   */
  readonly parameters?: Readonly<Record<string, number | string>>
}

/**
 * The volume of the server.
 * Rule: storageClassName is immutable, because volumes cannot change their class; create a new Database and copy the
 * data.
 */
export interface DatabaseSpecProviderInClusterStorageInput {
  /**
   * The size of the volume, a quantity such as 10Gi. It can grow where the class allows that, never shrink.
   * At least 1 character. At most 32 characters.
   * Rule: size is a quantity greater than zero, such as 10Gi.
   * Rule: size can only grow, because volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size?: string
  /**
   * The StorageClass of the volume. Without it the cluster's default class is taken; the empty string means a volume
   * that exists already. Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
}

/** A server that exists, and goes on existing without us. */
export interface DatabaseSpecProviderServerInput {
  /**
   * A Secret of the same namespace with the label data.konverge.dev/usable-by-database and the keys host, port,
   * username and password, and if need be ca.crt. Its role may create roles and databases.
   */
  readonly connectionSecretRef: DatabaseSpecProviderServerConnectionSecretRef
  /**
   * The database to which the operator connects for what concerns the whole server.
   * At least 1 character. At most 63 characters.
   * @default "postgres"
   */
  readonly maintenanceDatabase?: string
  /**
   * How the connection is protected: verify-full checks the server's certificate and its name, verify-ca the
   * certificate alone, require neither; disable sends everything in clear text.
   * @default "verify-full"
   */
  readonly sslMode?: 'disable' | 'require' | 'verify-ca' | 'verify-full'
  /**
   * The certificates by which the server's is checked, in PEM. Without it ca.crt of the connection's Secret, and
   * without that those that the operator's own system trusts.
   */
  readonly caSecretRef?: DatabaseSpecProviderServerCaSecretRefInput
}

/**
 * The certificates by which the server's is checked, in PEM. Without it ca.crt of the connection's Secret, and without
 * that those that the operator's own system trusts.
 */
export interface DatabaseSpecProviderServerCaSecretRefInput {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key?: string
}

/**
 * An instance of Amazon RDS, made for this database.
 * Rule: subnetGroupName is immutable; create a new Database and copy the data.
 * Rule: instanceIdentifier is immutable; create a new Database and copy the data.
 * Rule: caSecretRef is needed, because no system trusts the certificates of RDS by itself; put AWS's global-bundle.pem
 * into a Secret, or give up the check with sslMode require.
 */
export interface DatabaseSpecProviderRdsInput {
  /**
   * The region of AWS, such as eu-central-1. Immutable.
   * At least 1 character. At most 32 characters. Matches `^[a-z]{2}(-[a-z]+)+-[0-9]+$`.
   * Rule: region is immutable; create a new Database and copy the data.
   */
  readonly region: string
  /**
   * The class of the instance, such as db.t4g.micro.
   * At least 1 character. At most 64 characters. Matches `^db\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9-]+$`.
   */
  readonly instanceClass: string
  /**
   * The size of the storage in GiB. It can grow, never shrink.
   * At least 20. At most 65536. Format int32.
   * Rule: allocatedStorageGiB can only grow, because RDS cannot shrink storage.
   */
  readonly allocatedStorageGiB: number
  /**
   * The name of the instance in RDS. Without it one is made of namespace, name and uid. With adoptionPolicy Adopt an
   * instance of this name is taken over. Immutable.
   * At least 1 character. At most 63 characters. Matches `^[a-z](-?[a-z0-9])*$`.
   */
  readonly instanceIdentifier?: string
  /**
   * The DB subnet group. Without it the default one of the account. Immutable.
   * At least 1 character. At most 255 characters.
   */
  readonly subnetGroupName?: string
  /**
   * The VPC security groups. Without it the default one of the VPC.
   * At most 16 items. No item twice.
   */
  readonly securityGroupIDs?: readonly string[]
  /**
   * Whether there is a standby in another availability zone.
   * @default false
   */
  readonly multiAZ?: boolean
  /**
   * As whom the operator speaks to AWS.
   * @default {}
   */
  readonly credentials?: DatabaseSpecProviderRdsCredentials
  /**
   * How the connection is protected: verify-full checks the instance's certificate and its name, verify-ca the
   * certificate alone, require neither.
   * @default "verify-full"
   */
  readonly sslMode?: 'require' | 'verify-ca' | 'verify-full'
  /** The certificates by which the instance's is checked, in PEM, as AWS publishes them. */
  readonly caSecretRef?: DatabaseSpecProviderRdsCaSecretRefInput
  /**
   * Whether RDS refuses to delete the instance. While true, a Database whose deletionPolicy is not Retain waits with
   * its deletion.
   * @default true
   */
  readonly deletionProtection?: boolean
}

/** The certificates by which the instance's is checked, in PEM, as AWS publishes them. */
export interface DatabaseSpecProviderRdsCaSecretRefInput {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   * @default "ca.crt"
   */
  readonly key?: string
}

/** How the database begins. Without it, empty. Immutable. */
export interface DatabaseSpecBootstrapInput {
  /**
   * What it begins with: a backup, which is restored and proven before anybody sees the database. Exactly one of them.
   * Rule: give exactly one of backupRef and location.
   */
  readonly restoreFrom: DatabaseSpecBootstrapRestoreFromInput
}

/**
 * What it begins with: a backup, which is restored and proven before anybody sees the database. Exactly one of them.
 * Rule: give exactly one of backupRef and location.
 */
export interface DatabaseSpecBootstrapRestoreFromInput {
  /**
   * A Backup of the same namespace, one that made an artifact and not a schedule.
   * Rule: a Backup is of the namespace of the Database; leave namespace out, or say where it is by location.
   */
  readonly backupRef?: DatabaseSpecBootstrapRestoreFromBackupRef
  /** Where a backup is, if there is no Backup of it here. */
  readonly location?: DatabaseSpecBootstrapRestoreFromLocationInput
}

/** Where a backup is, if there is no Backup of it here. */
export interface DatabaseSpecBootstrapRestoreFromLocationInput {
  /**
   * Where backups are kept.
   * Rule: a target is one of pvc and s3.
   */
  readonly target: DatabaseSpecBootstrapRestoreFromLocationTargetInput
  /**
   * How it was made: Logical, of one database; Physical, of a whole server, with which only a Database with
   * provider.inCluster can begin.
   * @default "Logical"
   */
  readonly method?: 'Logical' | 'Physical'
  /**
   * The folder with manifest.json, as status.folder of its Backup said.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Where backups are kept.
 * Rule: a target is one of pvc and s3.
 */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetInput {
  /** A volume of the same namespace. */
  readonly pvc?: DatabaseSpecBootstrapRestoreFromLocationTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: DatabaseSpecBootstrapRestoreFromLocationTargetS3Input
}

/** A bucket of S3, or of a store that speaks like it. */
export interface DatabaseSpecBootstrapRestoreFromLocationTargetS3Input {
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
  readonly credentialsSecretRef?: DatabaseSpecBootstrapRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * A backup takes the place of what is there, once it is restored beside it and proven. Each requestID runs once.
 * Rule: from cannot change, because each request runs once; give another requestID with it.
 * Rule: previousOf names an earlier request, and not this one.
 */
export interface DatabaseSpecRestoreInput {
  /**
   * Names the request. It is in the names of databases on the server.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   * Rule: bootstrap is the request of spec.bootstrap; give another requestID.
   */
  readonly requestID: string
  /**
   * What takes the place; exactly one of them.
   * Rule: give exactly one of backupRef, location and previousOf.
   */
  readonly from: DatabaseSpecRestoreFromInput
  /**
   * How long what was there before is kept, such as 24h. Nobody can connect to it.
   * At most 20 characters. Matches `^([0-9]{1,5}(ms|h|m|s)){1,3}$`.
   * Rule: keepPrevious is at most 8760h.
   * @default "24h"
   */
  readonly keepPrevious?: string
}

/**
 * What takes the place; exactly one of them.
 * Rule: give exactly one of backupRef, location and previousOf.
 */
export interface DatabaseSpecRestoreFromInput {
  /**
   * A Backup of the same namespace, one that made an artifact and not a schedule.
   * Rule: a Backup is of the namespace of the Database; leave namespace out, or say where it is by location.
   */
  readonly backupRef?: DatabaseSpecRestoreFromBackupRef
  /** Where a backup is, if there is no Backup of it here. */
  readonly location?: DatabaseSpecRestoreFromLocationInput
  /**
   * An earlier request, which is undone. What it has replaced takes the place again, as long as it is kept.
   * At least 1 character. At most 32 characters. Matches `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`.
   */
  readonly previousOf?: string
}

/** Where a backup is, if there is no Backup of it here. */
export interface DatabaseSpecRestoreFromLocationInput {
  /**
   * Where backups are kept.
   * Rule: a target is one of pvc and s3.
   */
  readonly target: DatabaseSpecRestoreFromLocationTargetInput
  /**
   * How it was made: Logical, of one database; Physical, of a whole server, with which only a Database with
   * provider.inCluster can begin.
   * @default "Logical"
   */
  readonly method?: 'Logical' | 'Physical'
  /**
   * The folder with manifest.json, as status.folder of its Backup said.
   * At least 1 character. At most 1024 characters. Matches
   * `^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$`.
   */
  readonly path: string
}

/**
 * Where backups are kept.
 * Rule: a target is one of pvc and s3.
 */
export interface DatabaseSpecRestoreFromLocationTargetInput {
  /** A volume of the same namespace. */
  readonly pvc?: DatabaseSpecRestoreFromLocationTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: DatabaseSpecRestoreFromLocationTargetS3Input
}

/** A bucket of S3, or of a store that speaks like it. */
export interface DatabaseSpecRestoreFromLocationTargetS3Input {
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
  readonly credentialsSecretRef?: DatabaseSpecRestoreFromLocationTargetS3CredentialsSecretRef
}

/**
 * Where backups are kept that the Database has made of itself, as in the target of a Backup.
 * Rule: a target is one of pvc and s3.
 */
export interface DatabaseSpecSnapshotTargetInput {
  /** A volume of the same namespace. */
  readonly pvc?: DatabaseSpecSnapshotTargetPvc
  /** A bucket of S3, or of a store that speaks like it. */
  readonly s3?: DatabaseSpecSnapshotTargetS3Input
}

/** A bucket of S3, or of a store that speaks like it. */
export interface DatabaseSpecSnapshotTargetS3Input {
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
  readonly credentialsSecretRef?: DatabaseSpecSnapshotTargetS3CredentialsSecretRef
  /** How the store encrypts. */
  readonly encryption?: DatabaseSpecSnapshotTargetS3Encryption
  /**
   * For how many days what is stored is locked (mode GOVERNANCE), also against the operator. The bucket has to allow
   * it.
   * At least 1. At most 3650. Format int32.
   */
  readonly objectLockDays?: number
}

/** The making of the server or the database, while and after it goes on. */
export interface DatabaseStatusProvisioning {
  /** Who asked for it: uid and generation of the Database. */
  readonly token?: string
  /**
   * When it was last asked for.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /** What the provider last called its state, such as creating. */
  readonly lastObservedState?: string
}

/** Which server of the cluster applications are led to. Only of provider inCluster. */
export interface DatabaseStatusServer {
  /** The name of its StatefulSet. */
  readonly name: string
  /**
   * Its major version.
   * At most 2 characters.
   */
  readonly version: string
}

/** The server that served before the last upgrade, while its volume is kept. */
export interface DatabaseStatusPrevious {
  /** The name of its StatefulSet. */
  readonly name: string
  /** Its major version. */
  readonly version: string
  /**
   * When it and its volume go.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly keptUntil: string
}

/**
 * How the last upgrade stands. While its state is Running, AwaitingCutover or Compensating the database is on its move,
 * and nobody else changes what is in it.
 */
export interface DatabaseStatusUpgrade {
  /** Which undertaking it is. */
  readonly id: string
  /** The major version of the old server. */
  readonly from: string
  /** The major version of the new server. */
  readonly to: string
  /** How it stands, in one word. */
  readonly state: 'Running' | 'AwaitingCutover' | 'Compensating' | 'Completed' | 'Compensated' | 'ManualIntervention'
  /** The step that it is at, such as MigrateData. */
  readonly step?: string
  /** The same for people, such as MigrateData 6/8. */
  readonly progress?: string
  /**
   * A sentence for people.
   * At most 32768 characters.
   */
  readonly message?: string
  /**
   * When it began.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * When it ended.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly finishedAt?: string
  /**
   * When applications were let in at the new server; from then on nothing is taken back.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly pivotedAt?: string
}

/** What tells this database from every other, also behind the same address and name. */
export interface DatabaseStatusIdentity {
  /** The number of the server's data folder. */
  readonly systemIdentifier?: string
  /**
   * The number of the database on it.
   * Format int64.
   */
  readonly databaseOID?: number
}

/** Where the server is reached. */
export interface DatabaseStatusEndpoint {
  /** The host. */
  readonly host?: string
  /**
   * The TCP port.
   * Format int32.
   */
  readonly port?: number
}

/** The Secret by which the server is reached with the operator's own rights. */
export interface DatabaseStatusBinding {
  /** The Secret's name. */
  readonly name?: string
}

/** What was last seen on the server. */
export interface DatabaseStatusObserved {
  /** The role that owns the database. */
  readonly owner?: string
  /**
   * The extensions that are installed.
   * One item for each name.
   */
  readonly extensions?: readonly DatabaseStatusObservedExtensions[]
  /**
   * The schemas, without PostgreSQL's own.
   * No item twice.
   */
  readonly schemas?: readonly string[]
  /**
   * How many bytes the database holds.
   * Format int64.
   */
  readonly sizeBytes?: number
  /** The same for people, such as 34MB. */
  readonly size?: string
}

export interface DatabaseStatusObservedExtensions {
  /** The name. */
  readonly name: string
  /** The version. */
  readonly version?: string
  /** The schema of its objects. */
  readonly schema?: string
}

/** What was last put right after somebody else had changed it. */
export interface DatabaseStatusLastDriftCorrection {
  /**
   * When.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly time?: string
  /**
   * What.
   * At most 32768 characters.
   */
  readonly message?: string
}

/** The restore that was begun last, and what is kept of what restores have replaced. */
export interface DatabaseStatusRestore {
  /**
   * Which request it is; bootstrap is that of spec.bootstrap.
   * At most 32 characters.
   */
  readonly requestID: string
  /** How far it is. Discarding removes the copy of one that failed. */
  readonly phase: 'Pending' | 'Restoring' | 'Discarding' | 'Completed' | 'Failed'
  /**
   * Why it is so, in one word.
   * At most 1024 characters.
   */
  readonly reason?: string
  /**
   * Why it is so, in a sentence.
   * At most 32768 characters.
   */
  readonly message?: string
  /** How what is restored was made, once that is known. */
  readonly method?: 'Logical' | 'Physical'
  /** What the provider calls the snapshot that the instance begins with, where it does. */
  readonly snapshot?: string
  /**
   * When it was begun.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt: string
  /**
   * When it was completed or had failed.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly endedAt?: string
  /** The database whose place it takes, and no other's; absent where there was none. */
  readonly replaces?: DatabaseStatusRestoreReplaces
  /**
   * What requests have replaced, and is kept for them to be undone.
   * At most 64 items. One item for each requestID.
   */
  readonly previous?: readonly DatabaseStatusRestorePrevious[]
  /**
   * Requests that have run before, the newest last; none of them runs again.
   * At most 128 items. No item twice.
   */
  readonly earlierRequests?: readonly string[]
}

/** The database whose place it takes, and no other's; absent where there was none. */
export interface DatabaseStatusRestoreReplaces {
  /** The number of the server's data folder. */
  readonly systemIdentifier: string
  /**
   * The number of the database on it.
   * Format int64.
   */
  readonly databaseOID: number
}

export interface DatabaseStatusRestorePrevious {
  /**
   * The request that has replaced it.
   * At most 32 characters.
   */
  readonly requestID: string
  /** What it is called on the server now. */
  readonly databaseName: string
  /**
   * When.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly replacedAt: string
  /**
   * When it is dropped, at the earliest.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly keptUntil: string
}

export interface DatabaseStatusExternal {
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
  readonly token: DatabaseStatusExternalToken
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
export interface DatabaseStatusExternalToken {
  /** The resource's uid. */
  readonly uid: string
  /**
   * The generation that first asked for it.
   * Format int64.
   */
  readonly generation: number
}

export interface DatabaseStatusSagas {
  /**
   * What is undertaken.
   * At least 1 character. At most 63 characters.
   */
  readonly name: string
  /** Which undertaking of its kind it is. */
  readonly id: string
  /** How it stands. */
  readonly state: 'Running' | 'Compensating' | 'Completed' | 'Compensated' | 'ManualIntervention'
  /**
   * The generation that it was begun for.
   * Format int64.
   */
  readonly generation: number
  /** What was wished for in the beginning. */
  readonly input: Readonly<Record<string, string>>
  /**
   * When it began.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt: string
  /**
   * When it ended.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly finishedAt?: string
  /**
   * From when on nothing is taken back.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly pivotedAt?: string
  /**
   * Why it turned back or stands still.
   * At most 1024 characters.
   */
  readonly reason?: string
  /**
   * The same in a sentence.
   * At most 32768 characters.
   */
  readonly message?: string
  /** The wish for which it was last tried again. */
  readonly retriedFor?: string
  /**
   * Its steps in their order.
   * One item for each name.
   */
  readonly steps: readonly DatabaseStatusSagasSteps[]
}

export interface DatabaseStatusSagasSteps {
  /**
   * Which step it is.
   * At least 1 character. At most 63 characters.
   */
  readonly name: string
  /** How it stands. */
  readonly state: 'Pending' | 'Running' | 'Done' | 'Compensating' | 'Compensated' | 'Failed' | 'Kept'
  /**
   * When it got into its state.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly startedAt?: string
  /**
   * How often it has been tried in that state.
   * Format int32.
   */
  readonly attempts?: number
  /**
   * When it may be tried again.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly retryAt?: string
  /**
   * What failed last.
   * At most 1024 characters.
   */
  readonly reason?: string
  /**
   * The same in a sentence.
   * At most 32768 characters.
   */
  readonly message?: string
  /** What it has to remember. */
  readonly notes?: Readonly<Record<string, string>>
}

export interface DatabaseStatusConditions {
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
