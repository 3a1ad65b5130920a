// Generated from crds/database-user.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How DatabaseUser of data.konverge.dev looks on the wire.

/** A user of databases, with its rights, its password and the Secret in which an application finds them. */
export const DatabaseUser: DatabaseUserResource = Object.freeze({
  group: 'data.konverge.dev',
  version: 'v1alpha1',
  kind: 'DatabaseUser',
  plural: 'databaseusers',
  scope: 'Namespaced',
})

/** The type of the descriptor `DatabaseUser`: a Resource<DatabaseUserSpec, DatabaseUserStatus>. */
export interface DatabaseUserResource {
  readonly group: 'data.konverge.dev'
  readonly version: 'v1alpha1'
  readonly kind: 'DatabaseUser'
  readonly plural: 'databaseusers'
  readonly scope: 'Namespaced'
  /** Types only; never present at run time. */
  readonly types?: { readonly spec: DatabaseUserSpec; readonly status: DatabaseUserStatus }
}

/**
 * What the user should be.
 * Rule: roleName is immutable; create a new DatabaseUser.
 * Rule: rotation needs password.generate, because only a password that the operator makes can be made anew by it.
 */
export interface DatabaseUserSpec {
  /**
   * Whether the operator leaves the user alone: while true nothing of it is changed, and its deletion waits. It can go
   * on logging in. For a while and by hand, the annotation konverge.dev/paused does the same.
   */
  readonly suspend?: boolean
  /**
   * The name of the role that holds the rights and owns what is made; nobody logs in as it. Without it metadata.name,
   * with '_' for '-'. The roles that log in are `<roleName>_a` and `<roleName>_b`. Immutable.
   * At least 1 character. At most 61 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: PostgreSQL keeps this name for itself; names that begin with pg_, and postgres, template0, template1, public
   * and rdsadmin are refused.
   */
  readonly roleName?: string
  /**
   * The databases that it may use, all of them on one server. One that is taken out of the list is closed to it.
   * At least 1 item. At most 32 items. One item for each name.
   */
  readonly databases: readonly DatabaseUserSpecDatabases[]
  /**
   * Other roles of the server whose rights it has too.
   * At most 32 items. No item twice.
   */
  readonly memberOf?: readonly string[]
  /**
   * The most sessions at a time of each role that logs in; -1 means no limit but the server's.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit: number
  /**
   * What it may do on the server as a whole.
   * @default {}
   */
  readonly attributes: DatabaseUserSpecAttributes
  /**
   * Settings of its sessions by name in small letters: {search_path: shop, statement_timeout: 30s}.
   * At most 50 keys.
   * Rule: names of settings have small letters, digits and '_', and those of extensions one dot.
   * Rule: role and session_authorization are set by the operator.
   * Rule: settings of modules that watch sessions or run code are for the server's administrators.
   */
  readonly config?: Readonly<Record<string, string>>
  /**
   * Where the password comes from; exactly one of them. Without it the operator makes one of 32 letters and digits.
   * Rule: give exactly one of generate, secretRef and disabled: true.
   */
  readonly password?: DatabaseUserSpecPassword
  /**
   * When and how a generated password is made anew.
   * Rule: overlap must be shorter than interval, because there are only two roles to change between.
   */
  readonly rotation?: DatabaseUserSpecRotation
  /**
   * The Secret in which an application finds how to log in, as servicebinding.io describes it.
   * @default {}
   */
  readonly secret: DatabaseUserSpecSecret
  /**
   * What becomes of a role of this name that the operator did not make. Never leaves it alone and says so; Adopt takes
   * it over.
   * @default "Never"
   */
  readonly adoptionPolicy: 'Never' | 'Adopt'
  /**
   * What becomes of the roles when the DatabaseUser is deleted. Delete drops them; Retain keeps them, unable to log in.
   * @default "Delete"
   */
  readonly deletionPolicy: 'Retain' | 'Delete'
  /**
   * What becomes of tables and other objects that the role owns when it is dropped. ReassignToOwner gives them to the
   * database's owner; Block waits until it owns none.
   * @default "ReassignToOwner"
   */
  readonly ownedObjects: 'ReassignToOwner' | 'Block'
  /**
   * What becomes of changes that somebody else has made on the server. Correct puts them right; Report only shows them.
   * @default "Correct"
   */
  readonly driftPolicy: 'Correct' | 'Report'
}

/**
 * What the user should be.
 * Rule: roleName is immutable; create a new DatabaseUser.
 * Rule: rotation needs password.generate, because only a password that the operator makes can be made anew by it.
 */
export interface DatabaseUserSpecInput {
  /**
   * Whether the operator leaves the user alone: while true nothing of it is changed, and its deletion waits. It can go
   * on logging in. For a while and by hand, the annotation konverge.dev/paused does the same.
   */
  readonly suspend?: boolean
  /**
   * The name of the role that holds the rights and owns what is made; nobody logs in as it. Without it metadata.name,
   * with '_' for '-'. The roles that log in are `<roleName>_a` and `<roleName>_b`. Immutable.
   * At least 1 character. At most 61 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: PostgreSQL keeps this name for itself; names that begin with pg_, and postgres, template0, template1, public
   * and rdsadmin are refused.
   */
  readonly roleName?: string
  /**
   * The databases that it may use, all of them on one server. One that is taken out of the list is closed to it.
   * At least 1 item. At most 32 items. One item for each name.
   */
  readonly databases: readonly DatabaseUserSpecDatabasesInput[]
  /**
   * Other roles of the server whose rights it has too.
   * At most 32 items. No item twice.
   */
  readonly memberOf?: readonly string[]
  /**
   * The most sessions at a time of each role that logs in; -1 means no limit but the server's.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit?: number
  /**
   * What it may do on the server as a whole.
   * @default {}
   */
  readonly attributes?: DatabaseUserSpecAttributesInput
  /**
   * Settings of its sessions by name in small letters: {search_path: shop, statement_timeout: 30s}.
   * At most 50 keys.
   * Rule: names of settings have small letters, digits and '_', and those of extensions one dot.
   * Rule: role and session_authorization are set by the operator.
   * Rule: settings of modules that watch sessions or run code are for the server's administrators.
   */
  readonly config?: Readonly<Record<string, string>>
  /**
   * Where the password comes from; exactly one of them. Without it the operator makes one of 32 letters and digits.
   * Rule: give exactly one of generate, secretRef and disabled: true.
   */
  readonly password?: DatabaseUserSpecPasswordInput
  /**
   * When and how a generated password is made anew.
   * Rule: overlap must be shorter than interval, because there are only two roles to change between.
   */
  readonly rotation?: DatabaseUserSpecRotationInput
  /**
   * The Secret in which an application finds how to log in, as servicebinding.io describes it.
   * @default {}
   */
  readonly secret?: DatabaseUserSpecSecret
  /**
   * What becomes of a role of this name that the operator did not make. Never leaves it alone and says so; Adopt takes
   * it over.
   * @default "Never"
   */
  readonly adoptionPolicy?: 'Never' | 'Adopt'
  /**
   * What becomes of the roles when the DatabaseUser is deleted. Delete drops them; Retain keeps them, unable to log in.
   * @default "Delete"
   */
  readonly deletionPolicy?: 'Retain' | 'Delete'
  /**
   * What becomes of tables and other objects that the role owns when it is dropped. ReassignToOwner gives them to the
   * database's owner; Block waits until it owns none.
   * @default "ReassignToOwner"
   */
  readonly ownedObjects?: 'ReassignToOwner' | 'Block'
  /**
   * What becomes of changes that somebody else has made on the server. Correct puts them right; Report only shows them.
   * @default "Correct"
   */
  readonly driftPolicy?: 'Correct' | 'Report'
}

/** What the user is, as last seen by the operator. */
export interface DatabaseUserStatus {
  /**
   * The generation of the spec that this status is about.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** The newest konverge.dev/reconcile-now annotation whose turn has ended. */
  readonly lastHandledReconcileAt?: string
  /** The role that holds the rights and owns what is made. */
  readonly groupRole?: string
  /**
   * The roles that log in.
   * One item for each name.
   */
  readonly loginRoles?: readonly DatabaseUserStatusLoginRoles[]
  /**
   * How many databases it may use.
   * Format int32.
   */
  readonly databases?: number
  /** What it may do there, in one word; Mixed where it differs. */
  readonly access?: string
  /** The Secret for applications. */
  readonly binding?: DatabaseUserStatusBinding
  /**
   * How many passwords there have been.
   * Format int64.
   */
  readonly passwordGeneration?: number
  /**
   * When the password was last made.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastRotatedAt?: string
  /**
   * When it will be made anew.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly nextRotationAt?: string
  /** The rotation.trigger that was last carried out. */
  readonly lastRotationTrigger?: string
  /** A hash of the login that last proved to work, which tells nothing of it. */
  readonly secretHash?: string
  /** Rights, counted. */
  readonly grants?: DatabaseUserStatusGrants
  /**
   * In which databases its rights were last given; in what a restore puts in the place of one they are given anew.
   * At most 32 items. One item for each database.
   */
  readonly grantedIn?: readonly DatabaseUserStatusGrantedIn[]
  /**
   * When the login in the Secret first succeeded after it had changed.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastVerifiedLogin?: string
  /**
   * What is there of it outside the cluster. The operator's own record, which it needs to go on after a crash.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly DatabaseUserStatusExternal[]
  /**
   * Ready, Progressing and Degraded always, with SecretReady, RoleReady, GrantsInSync and LoginVerified as far as they
   * are known; RotationDue, DeletionBlocked, Reconciling and Stalled while they are true.
   * One item for each type.
   */
  readonly conditions?: readonly DatabaseUserStatusConditions[]
}

/** Rule: give grants with access Custom, and with no other. */
export interface DatabaseUserSpecDatabases {
  /**
   * The name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The namespace of the Database, which must allow it by its allowedNamespaces. Without it the user's own.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
  /**
   * What it may do in the schemas. ReadOnly reads tables; ReadWrite changes what is in them as well; Owner also makes
   * and changes the tables, and owns them; Custom is what grants say.
   */
  readonly access: 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'
  /**
   * The schemas that access and grants are about, also for tables that are made later.
   * At least 1 item. At most 64 items. No item twice.
   * @default ["public"]
   */
  readonly schemas: readonly string[]
  /**
   * Single rights, for access Custom.
   * At most 64 items.
   */
  readonly grants?: readonly DatabaseUserSpecDatabasesGrants[]
}

/**
 * Rule: give exactly one of names and all for Table, Sequence and Function, and neither for Schema, which means the
 * schemas, and Database.
 * Rule: the privileges on a Table are SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER and MAINTAIN.
 * Rule: the privileges on a Sequence are USAGE, SELECT and UPDATE.
 * Rule: the privilege on a Function is EXECUTE.
 * Rule: the privileges on a Schema are USAGE and CREATE.
 * Rule: the privileges on a Database are CONNECT, CREATE and TEMPORARY.
 */
export interface DatabaseUserSpecDatabasesGrants {
  /**
   * Type of the objects: GRANT … ON <type>. Table includes views, Function includes procedures. Schema means the
   * schemas of this entry, Database its database.
   */
  readonly objectType: 'Table' | 'Sequence' | 'Function' | 'Schema' | 'Database'
  /**
   * The tables, sequences or functions by name, in each of the schemas in which they are; functions of one name all
   * together.
   * At least 1 item. At most 256 items. No item twice.
   */
  readonly names?: readonly string[]
  /** All of the schemas, also those that are made later. */
  readonly all?: boolean
  /**
   * The rights, as PostgreSQL calls them. MAINTAIN needs PostgreSQL 17.
   * At least 1 item. At most 16 items. No item twice.
   */
  readonly privileges: readonly ('SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'TRUNCATE' | 'REFERENCES' | 'TRIGGER' | 'MAINTAIN' | 'USAGE' | 'EXECUTE' | 'CREATE' | 'CONNECT' | 'TEMPORARY')[]
}

/** What it may do on the server as a whole. */
export interface DatabaseUserSpecAttributes {
  /**
   * Whether it may create databases.
   * @default false
   */
  readonly createdb: boolean
  /**
   * Whether it may replicate the whole server, and so read all of it.
   * @default false
   */
  readonly replication: boolean
}

/**
 * Where the password comes from; exactly one of them. Without it the operator makes one of 32 letters and digits.
 * Rule: give exactly one of generate, secretRef and disabled: true.
 */
export interface DatabaseUserSpecPassword {
  /** The operator makes one. */
  readonly generate?: DatabaseUserSpecPasswordGenerate
  /**
   * A Secret of the same namespace with the label data.konverge.dev/usable-by-databaseuser holds one, in clear text or
   * as a SCRAM verifier (SCRAM-SHA-256$…). A change of it is carried out.
   */
  readonly secretRef?: DatabaseUserSpecPasswordSecretRef
  /** Nobody logs in with a password. */
  readonly disabled?: boolean
}

/** The operator makes one. */
export interface DatabaseUserSpecPasswordGenerate {
  /**
   * How many characters it has.
   * At least 24. At most 128. Format int32.
   * @default 32
   */
  readonly length: number
  /**
   * Of which characters: letters and digits, or all of ASCII that can be seen but the space.
   * @default "Alnum"
   */
  readonly charset: 'Alnum' | 'Printable'
}

/**
 * A Secret of the same namespace with the label data.konverge.dev/usable-by-databaseuser holds one, in clear text or as
 * a SCRAM verifier (SCRAM-SHA-256$…). A change of it is carried out.
 */
export interface DatabaseUserSpecPasswordSecretRef {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   * @default "password"
   */
  readonly key: string
}

/**
 * When and how a generated password is made anew.
 * Rule: overlap must be shorter than interval, because there are only two roles to change between.
 */
export interface DatabaseUserSpecRotation {
  /**
   * How long a password is used, such as 720h; at least 1h. Without it only trigger rotates.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: interval is at least 1h.
   */
  readonly interval?: string
  /**
   * InPlace changes the password of the role that logs in: who has the old one is refused from then on. DualRole
   * changes between two roles: the old one goes on working for the time of overlap.
   * @default "InPlace"
   */
  readonly strategy: 'InPlace' | 'DualRole'
  /**
   * With DualRole, for how long the old role still works, such as 24h. A shorter time ends an overlap that has begun
   * earlier.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly overlap: string
  /**
   * Any text; whenever it changes, the password is replaced. With InPlace, sessions of the role end before the new
   * password holds, because the former one may have leaked.
   * At most 256 characters.
   */
  readonly trigger?: string
}

/** The Secret in which an application finds how to log in, as servicebinding.io describes it. */
export interface DatabaseUserSpecSecret {
  /**
   * The Secret's name. Without it <name>-db.
   * At least 1 character. At most 253 characters. Matches
   * `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`.
   */
  readonly name?: string
  /**
   * Further labels of the Secret. Those of konverge.dev and its subdomains are reserved: to open the Secret to a kind,
   * label it with kubectl.
   * At most 64 keys.
   * Rule: keys of konverge.dev and its subdomains are reserved; set them on the object itself with kubectl.
   */
  readonly labels?: Readonly<Record<string, string>>
  /**
   * Further annotations of the Secret. Those of konverge.dev and its subdomains are reserved.
   * At most 64 keys.
   * Rule: keys of konverge.dev and its subdomains are reserved; set them on the object itself with kubectl.
   */
  readonly annotations?: Readonly<Record<string, string>>
  /**
   * Further keys of the Secret. In a value, {{host}}, {{port}}, {{database}}, {{username}}, {{password}} and the other
   * keys stand for their values. All keys and values of the Secret have at most 1,000,000 bytes together.
   * At most 32 keys.
   * Rule: keys of a Secret have letters, digits, '-', '_' and '.', at most 253 of them.
   * Rule: the keys that the operator sets itself cannot be replaced; choose another name.
   */
  readonly template?: Readonly<Record<string, string>>
}

/** Rule: give grants with access Custom, and with no other. */
export interface DatabaseUserSpecDatabasesInput {
  /**
   * The name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The namespace of the Database, which must allow it by its allowedNamespaces. Without it the user's own.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
  /**
   * What it may do in the schemas. ReadOnly reads tables; ReadWrite changes what is in them as well; Owner also makes
   * and changes the tables, and owns them; Custom is what grants say.
   */
  readonly access: 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'
  /**
   * The schemas that access and grants are about, also for tables that are made later.
   * At least 1 item. At most 64 items. No item twice.
   * @default ["public"]
   */
  readonly schemas?: readonly string[]
  /**
   * Single rights, for access Custom.
   * At most 64 items.
   */
  readonly grants?: readonly DatabaseUserSpecDatabasesGrants[]
}

/** What it may do on the server as a whole. */
export interface DatabaseUserSpecAttributesInput {
  /**
   * Whether it may create databases.
   * @default false
   */
  readonly createdb?: boolean
  /**
   * Whether it may replicate the whole server, and so read all of it.
   * @default false
   */
  readonly replication?: boolean
}

/**
 * Where the password comes from; exactly one of them. Without it the operator makes one of 32 letters and digits.
 * Rule: give exactly one of generate, secretRef and disabled: true.
 */
export interface DatabaseUserSpecPasswordInput {
  /** The operator makes one. */
  readonly generate?: DatabaseUserSpecPasswordGenerateInput
  /**
   * A Secret of the same namespace with the label data.konverge.dev/usable-by-databaseuser holds one, in clear text or
   * as a SCRAM verifier (SCRAM-SHA-256$…). A change of it is carried out.
   */
  readonly secretRef?: DatabaseUserSpecPasswordSecretRefInput
  /** Nobody logs in with a password. */
  readonly disabled?: boolean
}

/** The operator makes one. */
export interface DatabaseUserSpecPasswordGenerateInput {
  /**
   * How many characters it has.
   * At least 24. At most 128. Format int32.
   * @default 32
   */
  readonly length?: number
  /**
   * Of which characters: letters and digits, or all of ASCII that can be seen but the space.
   * @default "Alnum"
   */
  readonly charset?: 'Alnum' | 'Printable'
}

/**
 * A Secret of the same namespace with the label data.konverge.dev/usable-by-databaseuser holds one, in clear text or as
 * a SCRAM verifier (SCRAM-SHA-256$…). A change of it is carried out.
 */
export interface DatabaseUserSpecPasswordSecretRefInput {
  /**
   * The Secret's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   * @default "password"
   */
  readonly key?: string
}

/**
 * When and how a generated password is made anew.
 * Rule: overlap must be shorter than interval, because there are only two roles to change between.
 */
export interface DatabaseUserSpecRotationInput {
  /**
   * How long a password is used, such as 720h; at least 1h. Without it only trigger rotates.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: interval is at least 1h.
   */
  readonly interval?: string
  /**
   * InPlace changes the password of the role that logs in: who has the old one is refused from then on. DualRole
   * changes between two roles: the old one goes on working for the time of overlap.
   * @default "InPlace"
   */
  readonly strategy?: 'InPlace' | 'DualRole'
  /**
   * With DualRole, for how long the old role still works, such as 24h. A shorter time ends an overlap that has begun
   * earlier.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly overlap?: string
  /**
   * Any text; whenever it changes, the password is replaced. With InPlace, sessions of the role end before the new
   * password holds, because the former one may have leaked.
   * At most 256 characters.
   */
  readonly trigger?: string
}

export interface DatabaseUserStatusLoginRoles {
  /** The name of the role. */
  readonly name: string
  /** Whether it is the one in the Secret. */
  readonly active?: boolean
  /**
   * When its password ends.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly validUntil?: string
}

/** The Secret for applications. */
export interface DatabaseUserStatusBinding {
  /** The Secret's name. */
  readonly name?: string
}

/** Rights, counted. */
export interface DatabaseUserStatusGrants {
  /**
   * How many are asked for.
   * Format int32.
   */
  readonly desired?: number
  /**
   * How many of the role were seen.
   * Format int32.
   */
  readonly observed?: number
  /**
   * How many of those asked for were not there.
   * Format int32.
   */
  readonly missing?: number
  /**
   * How many were there that nobody asked for.
   * Format int32.
   */
  readonly extra?: number
}

export interface DatabaseUserStatusGrantedIn {
  /**
   * The name of the database on its server.
   * At most 63 characters.
   */
  readonly database: string
  /**
   * The number of the database on it.
   * Format int64.
   */
  readonly databaseOID: number
}

export interface DatabaseUserStatusExternal {
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
  readonly token: DatabaseUserStatusExternalToken
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
export interface DatabaseUserStatusExternalToken {
  /** The resource's uid. */
  readonly uid: string
  /**
   * The generation that first asked for it.
   * Format int64.
   */
  readonly generation: number
}

export interface DatabaseUserStatusConditions {
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
