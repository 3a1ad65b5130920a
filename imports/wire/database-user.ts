// Generated from crds/database-user.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How DatabaseUser of data.konverge.dev looks on the wire.

/** Database user: roles on a PostgreSQL server, their privileges, a password, and a Secret for applications. */
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
 * Desired state of the user.
 * Rule: roleName is immutable; create another DatabaseUser.
 * Rule: rotation requires password.generate: the operator can only rotate a generated password.
 */
export interface DatabaseUserSpec {
  /**
   * Suspends reconciliation. The operator changes nothing, and a deletion waits. Logins keep working. The annotation
   * konverge.dev/paused does the same without a spec change. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Name of the group role. The group role holds the privileges, owns the created objects and cannot log in. Default:
   * metadata.name with '_' for '-'. The login roles are `<roleName>_a` and `<roleName>_b`. Immutable.
   * At least 1 character. At most 61 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: name is reserved: do not use postgres, template0, template1, public, rdsadmin or a name that starts with pg_.
   */
  readonly roleName?: string
  /**
   * Databases that the user can access, all on one server. Removing an entry revokes its access.
   * At least 1 item. At most 32 items. One item for each name.
   */
  readonly databases: readonly DatabaseUserSpecDatabases[]
  /**
   * Other roles of the server that the user is a member of.
   * At most 32 items. No item twice.
   */
  readonly memberOf?: readonly string[]
  /**
   * Maximum number of concurrent sessions of each login role. The value -1 means no limit. Default: -1.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit: number
  /**
   * Role attributes for the whole server.
   * @default {}
   */
  readonly attributes: DatabaseUserSpecAttributes
  /**
   * Session parameters by lower-case name, e.g. {search_path: shop, statement_timeout: 30s}.
   * At most 50 keys.
   * Rule: a parameter name has lower-case letters, digits and '_', and one dot if it belongs to an extension.
   * Rule: role and session_authorization are set by the operator.
   * Rule: parameter is not allowed: its module observes sessions or runs code; only the server administrator can set
   * it.
   */
  readonly config?: Readonly<Record<string, string>>
  /**
   * Source of the password. Exactly one source is required. Default: a generated password of 32 letters and digits.
   * Rule: set exactly one of generate, secretRef and disabled: true.
   */
  readonly password?: DatabaseUserSpecPassword
  /**
   * Rotation of a generated password.
   * Rule: overlap must be shorter than interval: DualRole alternates between two roles.
   */
  readonly rotation?: DatabaseUserSpecRotation
  /**
   * Secret with the connection details for applications, as specified by servicebinding.io.
   * @default {}
   */
  readonly secret: DatabaseUserSpecSecret
  /**
   * Handling of an existing role that the operator did not create. Never leaves it unchanged and reports NotOwned.
   * Adopt takes it over. Default: Never.
   * @default "Never"
   */
  readonly adoptionPolicy: 'Never' | 'Adopt'
  /**
   * Handling of the roles when the DatabaseUser is deleted. Delete drops them. Retain keeps them without login.
   * Default: Delete.
   * @default "Delete"
   */
  readonly deletionPolicy: 'Retain' | 'Delete'
  /**
   * Handling of tables and other objects that a role owns when it is dropped. ReassignToOwner reassigns them to the
   * owner of the database. Block waits until the role owns no objects. Default: ReassignToOwner.
   * @default "ReassignToOwner"
   */
  readonly ownedObjects: 'ReassignToOwner' | 'Block'
  /**
   * Handling of changes made on the server outside of this resource. Correct reverts them. Report shows them in the
   * conditions and leaves them. Default: Correct.
   * @default "Correct"
   */
  readonly driftPolicy: 'Correct' | 'Report'
}

/**
 * Desired state of the user.
 * Rule: roleName is immutable; create another DatabaseUser.
 * Rule: rotation requires password.generate: the operator can only rotate a generated password.
 */
export interface DatabaseUserSpecInput {
  /**
   * Suspends reconciliation. The operator changes nothing, and a deletion waits. Logins keep working. The annotation
   * konverge.dev/paused does the same without a spec change. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Name of the group role. The group role holds the privileges, owns the created objects and cannot log in. Default:
   * metadata.name with '_' for '-'. The login roles are `<roleName>_a` and `<roleName>_b`. Immutable.
   * At least 1 character. At most 61 characters. Matches `^[a-z_][a-z0-9_-]{0,62}$`.
   * Rule: name is reserved: do not use postgres, template0, template1, public, rdsadmin or a name that starts with pg_.
   */
  readonly roleName?: string
  /**
   * Databases that the user can access, all on one server. Removing an entry revokes its access.
   * At least 1 item. At most 32 items. One item for each name.
   */
  readonly databases: readonly DatabaseUserSpecDatabasesInput[]
  /**
   * Other roles of the server that the user is a member of.
   * At most 32 items. No item twice.
   */
  readonly memberOf?: readonly string[]
  /**
   * Maximum number of concurrent sessions of each login role. The value -1 means no limit. Default: -1.
   * At least -1. Format int32.
   * @default -1
   */
  readonly connectionLimit?: number
  /**
   * Role attributes for the whole server.
   * @default {}
   */
  readonly attributes?: DatabaseUserSpecAttributesInput
  /**
   * Session parameters by lower-case name, e.g. {search_path: shop, statement_timeout: 30s}.
   * At most 50 keys.
   * Rule: a parameter name has lower-case letters, digits and '_', and one dot if it belongs to an extension.
   * Rule: role and session_authorization are set by the operator.
   * Rule: parameter is not allowed: its module observes sessions or runs code; only the server administrator can set
   * it.
   */
  readonly config?: Readonly<Record<string, string>>
  /**
   * Source of the password. Exactly one source is required. Default: a generated password of 32 letters and digits.
   * Rule: set exactly one of generate, secretRef and disabled: true.
   */
  readonly password?: DatabaseUserSpecPasswordInput
  /**
   * Rotation of a generated password.
   * Rule: overlap must be shorter than interval: DualRole alternates between two roles.
   */
  readonly rotation?: DatabaseUserSpecRotationInput
  /**
   * Secret with the connection details for applications, as specified by servicebinding.io.
   * @default {}
   */
  readonly secret?: DatabaseUserSpecSecret
  /**
   * Handling of an existing role that the operator did not create. Never leaves it unchanged and reports NotOwned.
   * Adopt takes it over. Default: Never.
   * @default "Never"
   */
  readonly adoptionPolicy?: 'Never' | 'Adopt'
  /**
   * Handling of the roles when the DatabaseUser is deleted. Delete drops them. Retain keeps them without login.
   * Default: Delete.
   * @default "Delete"
   */
  readonly deletionPolicy?: 'Retain' | 'Delete'
  /**
   * Handling of tables and other objects that a role owns when it is dropped. ReassignToOwner reassigns them to the
   * owner of the database. Block waits until the role owns no objects. Default: ReassignToOwner.
   * @default "ReassignToOwner"
   */
  readonly ownedObjects?: 'ReassignToOwner' | 'Block'
  /**
   * Handling of changes made on the server outside of this resource. Correct reverts them. Report shows them in the
   * conditions and leaves them. Default: Correct.
   * @default "Correct"
   */
  readonly driftPolicy?: 'Correct' | 'Report'
}

/** Observed state of the user. */
export interface DatabaseUserStatus {
  /**
   * Generation of the spec that this status describes.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** Value of the annotation konverge.dev/reconcile-now at the last completed reconciliation. */
  readonly lastHandledReconcileAt?: string
  /** Name of the group role, which holds the privileges and owns the created objects. */
  readonly groupRole?: string
  /**
   * Login roles.
   * One item for each name.
   */
  readonly loginRoles?: readonly DatabaseUserStatusLoginRoles[]
  /**
   * Number of databases that the user can access.
   * Format int32.
   */
  readonly databases?: number
  /** Access level of all databases. Mixed if the levels differ. */
  readonly access?: string
  /** Secret for applications. */
  readonly binding?: DatabaseUserStatusBinding
  /**
   * Number of passwords so far.
   * Format int64.
   */
  readonly passwordGeneration?: number
  /**
   * Time of the last password rotation.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastRotatedAt?: string
  /**
   * Time of the next scheduled rotation.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly nextRotationAt?: string
  /** Value of rotation.trigger that was last applied. */
  readonly lastRotationTrigger?: string
  /** Hash of the last verified login. It does not reveal the password. */
  readonly secretHash?: string
  /** Number of privileges, by state. */
  readonly grants?: DatabaseUserStatusGrants
  /**
   * Databases in which the privileges were last granted. After a restore replaces one, the operator grants them again.
   * At most 32 items. One item for each database.
   */
  readonly grantedIn?: readonly DatabaseUserStatusGrantedIn[]
  /**
   * Time of the first successful login after the last change of the Secret.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastVerifiedLogin?: string
  /**
   * Operator-internal journal of external resources. Do not edit.
   * At most 64 items. One item for each name.
   */
  readonly external?: readonly DatabaseUserStatusExternal[]
  /**
   * Conditions of the DatabaseUser. Always: Ready, Progressing and Degraded. If known: SecretReady, RoleReady,
   * GrantsInSync and LoginVerified. While true: RotationDue, DeletionBlocked, Reconciling and Stalled.
   * One item for each type.
   */
  readonly conditions?: readonly DatabaseUserStatusConditions[]
}

/** Rule: grants is required for access Custom, and not allowed for other access. */
export interface DatabaseUserSpecDatabases {
  /**
   * Name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Namespace of the Database, which must list the user's namespace in allowedNamespaces. Default: the user's
   * namespace.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
  /**
   * Access level in the schemas. ReadOnly reads tables and sequences. ReadWrite also changes rows, runs functions and
   * uses sequences. Owner also creates and alters tables, and owns them; it holds for the whole database. Custom has
   * the privileges in grants.
   */
  readonly access: 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'
  /**
   * Schemas that access and grants apply to, including objects that are created later. Default: [public].
   * At least 1 item. At most 64 items. No item twice.
   * @default ["public"]
   */
  readonly schemas: readonly string[]
  /**
   * Privileges for access Custom.
   * At most 64 items.
   */
  readonly grants?: readonly DatabaseUserSpecDatabasesGrants[]
}

/**
 * Rule: set exactly one of names and all for Table, Sequence and Function; set neither for Schema and Database.
 * Rule: privileges on a Table must be SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER or MAINTAIN.
 * Rule: privileges on a Sequence must be USAGE, SELECT or UPDATE.
 * Rule: privileges on a Function must be EXECUTE.
 * Rule: privileges on a Schema must be USAGE or CREATE.
 * Rule: privileges on a Database must be CONNECT, CREATE or TEMPORARY.
 */
export interface DatabaseUserSpecDatabasesGrants {
  /**
   * Type of the objects, as in GRANT ... ON <type>. Table includes views. Function includes procedures. Schema means
   * the schemas of this entry, Database its database.
   */
  readonly objectType: 'Table' | 'Sequence' | 'Function' | 'Schema' | 'Database'
  /**
   * Names of tables, sequences or functions. A name applies to each schema of this entry that has such an object. A
   * function name applies to all its overloads.
   * At least 1 item. At most 256 items. No item twice.
   */
  readonly names?: readonly string[]
  /** Selects all objects of the type in the schemas, including objects that are created later. */
  readonly all?: boolean
  /**
   * PostgreSQL privileges. MAINTAIN requires PostgreSQL 17.
   * At least 1 item. At most 16 items. No item twice.
   */
  readonly privileges: readonly ('SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'TRUNCATE' | 'REFERENCES' | 'TRIGGER' | 'MAINTAIN' | 'USAGE' | 'EXECUTE' | 'CREATE' | 'CONNECT' | 'TEMPORARY')[]
}

/** Role attributes for the whole server. */
export interface DatabaseUserSpecAttributes {
  /**
   * Allows the user to create databases. Default: false.
   * @default false
   */
  readonly createdb: boolean
  /**
   * Allows the user to replicate the whole server, and thus to read all its data. Default: false.
   * @default false
   */
  readonly replication: boolean
}

/**
 * Source of the password. Exactly one source is required. Default: a generated password of 32 letters and digits.
 * Rule: set exactly one of generate, secretRef and disabled: true.
 */
export interface DatabaseUserSpecPassword {
  /** Password generated by the operator. */
  readonly generate?: DatabaseUserSpecPasswordGenerate
  /**
   * Secret with the password in clear text or as a SCRAM-SHA-256 verifier, in the same namespace. It must have the
   * label data.konverge.dev/usable-by-databaseuser. The operator applies changes of the Secret.
   */
  readonly secretRef?: DatabaseUserSpecPasswordSecretRef
  /** Disables password login. */
  readonly disabled?: boolean
}

/** Password generated by the operator. */
export interface DatabaseUserSpecPasswordGenerate {
  /**
   * Length of the password in characters. Range: 24 to 128. Default: 32.
   * At least 24. At most 128. Format int32.
   * @default 32
   */
  readonly length: number
  /**
   * Character set. Alnum: letters and digits. Printable: printable ASCII characters except the space. Default: Alnum.
   * @default "Alnum"
   */
  readonly charset: 'Alnum' | 'Printable'
}

/**
 * Secret with the password in clear text or as a SCRAM-SHA-256 verifier, in the same namespace. It must have the label
 * data.konverge.dev/usable-by-databaseuser. The operator applies changes of the Secret.
 */
export interface DatabaseUserSpecPasswordSecretRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the Secret. Default: password.
   * At least 1 character. At most 253 characters.
   * @default "password"
   */
  readonly key: string
}

/**
 * Rotation of a generated password.
 * Rule: overlap must be shorter than interval: DualRole alternates between two roles.
 */
export interface DatabaseUserSpecRotation {
  /**
   * Maximum age of a password, e.g. 720h. Minimum: 1h. Default: rotation by trigger only.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: interval must be at least 1h.
   */
  readonly interval?: string
  /**
   * Rotation strategy. InPlace changes the password of the login role; the server rejects the old password from then
   * on. DualRole alternates between two login roles; the old role can log in until overlap ends. Default: InPlace.
   * @default "InPlace"
   */
  readonly strategy: 'InPlace' | 'DualRole'
  /**
   * Time for which the old login role remains valid with DualRole, e.g. 24h. A shorter value also shortens a running
   * overlap. Default: 24h.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly overlap: string
  /**
   * Rotation token. A new value rotates the password immediately. With InPlace, the operator ends all sessions of the
   * login role before the new password takes effect.
   * At most 256 characters.
   */
  readonly trigger?: string
}

/** Secret with the connection details for applications, as specified by servicebinding.io. */
export interface DatabaseUserSpecSecret {
  /**
   * Name of the Secret. Default: <name>-db.
   * At least 1 character. At most 253 characters. Matches
   * `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`.
   */
  readonly name?: string
  /**
   * Additional labels of the Secret. Keys of konverge.dev and its subdomains are reserved. To open the Secret to
   * another kind, label it with kubectl.
   * At most 64 keys.
   * Rule: keys of konverge.dev and its subdomains are reserved; set them on the object with kubectl.
   */
  readonly labels?: Readonly<Record<string, string>>
  /**
   * Additional annotations of the Secret. Keys of konverge.dev and its subdomains are reserved.
   * At most 64 keys.
   * Rule: keys of konverge.dev and its subdomains are reserved; set them on the object with kubectl.
   */
  readonly annotations?: Readonly<Record<string, string>>
  /**
   * Additional keys of the Secret. Values can refer to keys of the Secret, e.g. {{host}}, {{port}}, {{database}},
   * {{username}} or {{password}}. All keys and values of the Secret have at most 1,000,000 bytes.
   * At most 32 keys.
   * Rule: a key of a Secret must have 1 to 253 letters, digits, '-', '_' and '.'.
   * Rule: the operator sets this key; use another key.
   */
  readonly template?: Readonly<Record<string, string>>
}

/** Rule: grants is required for access Custom, and not allowed for other access. */
export interface DatabaseUserSpecDatabasesInput {
  /**
   * Name of the Database.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Namespace of the Database, which must list the user's namespace in allowedNamespaces. Default: the user's
   * namespace.
   * At least 1 character. At most 63 characters.
   */
  readonly namespace?: string
  /**
   * Access level in the schemas. ReadOnly reads tables and sequences. ReadWrite also changes rows, runs functions and
   * uses sequences. Owner also creates and alters tables, and owns them; it holds for the whole database. Custom has
   * the privileges in grants.
   */
  readonly access: 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'
  /**
   * Schemas that access and grants apply to, including objects that are created later. Default: [public].
   * At least 1 item. At most 64 items. No item twice.
   * @default ["public"]
   */
  readonly schemas?: readonly string[]
  /**
   * Privileges for access Custom.
   * At most 64 items.
   */
  readonly grants?: readonly DatabaseUserSpecDatabasesGrants[]
}

/** Role attributes for the whole server. */
export interface DatabaseUserSpecAttributesInput {
  /**
   * Allows the user to create databases. Default: false.
   * @default false
   */
  readonly createdb?: boolean
  /**
   * Allows the user to replicate the whole server, and thus to read all its data. Default: false.
   * @default false
   */
  readonly replication?: boolean
}

/**
 * Source of the password. Exactly one source is required. Default: a generated password of 32 letters and digits.
 * Rule: set exactly one of generate, secretRef and disabled: true.
 */
export interface DatabaseUserSpecPasswordInput {
  /** Password generated by the operator. */
  readonly generate?: DatabaseUserSpecPasswordGenerateInput
  /**
   * Secret with the password in clear text or as a SCRAM-SHA-256 verifier, in the same namespace. It must have the
   * label data.konverge.dev/usable-by-databaseuser. The operator applies changes of the Secret.
   */
  readonly secretRef?: DatabaseUserSpecPasswordSecretRefInput
  /** Disables password login. */
  readonly disabled?: boolean
}

/** Password generated by the operator. */
export interface DatabaseUserSpecPasswordGenerateInput {
  /**
   * Length of the password in characters. Range: 24 to 128. Default: 32.
   * At least 24. At most 128. Format int32.
   * @default 32
   */
  readonly length?: number
  /**
   * Character set. Alnum: letters and digits. Printable: printable ASCII characters except the space. Default: Alnum.
   * @default "Alnum"
   */
  readonly charset?: 'Alnum' | 'Printable'
}

/**
 * Secret with the password in clear text or as a SCRAM-SHA-256 verifier, in the same namespace. It must have the label
 * data.konverge.dev/usable-by-databaseuser. The operator applies changes of the Secret.
 */
export interface DatabaseUserSpecPasswordSecretRefInput {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the Secret. Default: password.
   * At least 1 character. At most 253 characters.
   * @default "password"
   */
  readonly key?: string
}

/**
 * Rotation of a generated password.
 * Rule: overlap must be shorter than interval: DualRole alternates between two roles.
 */
export interface DatabaseUserSpecRotationInput {
  /**
   * Maximum age of a password, e.g. 720h. Minimum: 1h. Default: rotation by trigger only.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * Rule: interval must be at least 1h.
   */
  readonly interval?: string
  /**
   * Rotation strategy. InPlace changes the password of the login role; the server rejects the old password from then
   * on. DualRole alternates between two login roles; the old role can log in until overlap ends. Default: InPlace.
   * @default "InPlace"
   */
  readonly strategy?: 'InPlace' | 'DualRole'
  /**
   * Time for which the old login role remains valid with DualRole, e.g. 24h. A shorter value also shortens a running
   * overlap. Default: 24h.
   * At most 20 characters. Matches `^([0-9]{1,5}(h|m|s)){1,3}$`.
   * @default "24h"
   */
  readonly overlap?: string
  /**
   * Rotation token. A new value rotates the password immediately. With InPlace, the operator ends all sessions of the
   * login role before the new password takes effect.
   * At most 256 characters.
   */
  readonly trigger?: string
}

export interface DatabaseUserStatusLoginRoles {
  /** Name of the role. */
  readonly name: string
  /** True for the role in the Secret. */
  readonly active?: boolean
  /**
   * End of the overlap, for a replaced login role.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly validUntil?: string
}

/** Secret for applications. */
export interface DatabaseUserStatusBinding {
  /** Name of the Secret. */
  readonly name?: string
}

/** Number of privileges, by state. */
export interface DatabaseUserStatusGrants {
  /**
   * Privileges in the spec.
   * Format int32.
   */
  readonly desired?: number
  /**
   * Privileges that the role has.
   * Format int32.
   */
  readonly observed?: number
  /**
   * Privileges in the spec that the role does not have.
   * Format int32.
   */
  readonly missing?: number
  /**
   * Privileges that the role has and the spec does not contain.
   * Format int32.
   */
  readonly extra?: number
}

export interface DatabaseUserStatusGrantedIn {
  /**
   * Name of the database on the server.
   * At most 63 characters.
   */
  readonly database: string
  /**
   * OID of the database.
   * Format int64.
   */
  readonly databaseOID: number
}

export interface DatabaseUserStatusExternal {
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
  readonly token: DatabaseUserStatusExternalToken
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
export interface DatabaseUserStatusExternalToken {
  /** UID of the owning object. */
  readonly uid: string
  /**
   * Generation of the owning object that first requested the resource.
   * Format int64.
   */
  readonly generation: number
}

export interface DatabaseUserStatusConditions {
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
