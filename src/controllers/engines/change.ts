// Changes to a database server, as data, so that a plan can be compared, shown and tested before it runs. All changes
// of one call run in order in one transaction. All except `createRole` are idempotent.
import type { Token } from '../../index.ts'
import type { GlobalChange } from './globals.ts'
import type { DefaultGrantChange, GrantChange } from './grant.ts'
import type { Succession } from './observed-server.ts'
import type { PublicRightsChange } from './public-rights.ts'
import type { TableName } from './replication.ts'

/** Attributes of a role, as in CREATE ROLE. SUPERUSER and BYPASSRLS can only be revoked, never granted. */
export interface RoleAttributes {
  readonly canLogin?: boolean
  readonly inherits?: boolean
  readonly canCreateDatabases?: boolean
  readonly canCreateRoles?: boolean
  readonly canReplicate?: boolean
  /** -1: no limit. */
  readonly connectionLimit?: number
  /** RFC 3339. Null: the password never expires. */
  readonly validUntil?: string | null
  /** A SCRAM verifier, never a password (I11). Null: no password, so that password logins fail. */
  readonly verifier?: string | null
  readonly isSuperuser?: false
  readonly bypassesRowSecurity?: false
}

export type RoleIdentity = { readonly oid: number; readonly canLogin: boolean } | { readonly verifier: string }

export type RoleChange =
  /**
   * Creates the role and writes the token into its comment in the same transaction. An admin that is not a superuser
   * also becomes a member, because otherwise the admin could not make the role an owner. Fails with AlreadyExists.
   */
  | { readonly kind: 'createRole'; readonly role: string; readonly token: Token; readonly attributes: RoleAttributes }
  | { readonly kind: 'alterRole'; readonly role: string; readonly attributes: RoleAttributes }
  /** The role keeps its objects and privileges. It loses an MD5 password, because the hash contains the name. */
  | { readonly kind: 'renameRole'; readonly role: string; readonly to: string }
  /** Overwrites the role's comment with the token. */
  | { readonly kind: 'markRole'; readonly role: string; readonly token: Token }
  /**
   * Makes the admin a member unless the admin is a superuser or already a member. For roles that the admin did not
   * create.
   */
  | { readonly kind: 'joinRole'; readonly role: string }
  /** Sets only the given options. Before PostgreSQL 16 the only option is `isAdmin`. */
  | {
      readonly kind: 'grantMembership'
      readonly role: string
      readonly member: string
      readonly isAdmin?: boolean
      readonly inherits?: boolean
      readonly canSet?: boolean
    }
  /** Revokes the membership as each of `grantors`, as observed. Default: as the admin. */
  | {
      readonly kind: 'revokeMembership'
      readonly role: string
      readonly member: string
      readonly grantors?: readonly string[]
    }
  | {
      readonly kind: 'setRoleSetting'
      readonly role: string
      readonly database: string | undefined
      readonly name: string
      readonly value: string
    }
  | {
      readonly kind: 'resetRoleSetting'
      readonly role: string
      readonly database: string | undefined
      readonly name: string
    }
  /**
   * An assertion: fails with NotFound, and rolls the transaction back, unless the name belongs to this role. `is`
   * identifies the role by its OID and LOGIN attribute, or by its verifier. The role cannot be dropped before the
   * transaction ends. Requires a superuser, because only superusers can read verifiers.
   */
  | { readonly kind: 'expectRole'; readonly role: string; readonly is: RoleIdentity }
  /** Succeeds if the role does not exist. Fails with DependentObjects while objects depend on the role. */
  | { readonly kind: 'dropRole'; readonly role: string }

export type DatabaseChange =
  /** The admin has to be a member of the new owner; see joinRole. */
  | { readonly kind: 'setDatabaseOwner'; readonly database: string; readonly owner: string }
  | {
      readonly kind: 'markDatabase'
      readonly database: string
      readonly token: Token
      readonly succession?: Succession
    }
  /**
   * An assertion: fails with NotFound, and rolls the transaction back, unless the database with this name has this OID.
   */
  | { readonly kind: 'expectDatabase'; readonly database: string; readonly oid: number }
  | { readonly kind: 'limitConnections'; readonly database: string; readonly connectionLimit: number }
  | { readonly kind: 'allowConnections'; readonly database: string; readonly allows: boolean }
  /** Clears IS_TEMPLATE. Every role with CREATEDB can copy a template, and a template cannot be dropped. */
  | { readonly kind: 'resetTemplate'; readonly database: string }
  /** Revokes CONNECT and TEMPORARY from PUBLIC. Owners and explicit grantees keep theirs. */
  | { readonly kind: 'hardenDatabase'; readonly database: string }
  /** Fails with DatabaseInUse while a session is connected. Two renames in one call swap names atomically. */
  | { readonly kind: 'renameDatabase'; readonly database: string; readonly to: string }

/** Changes inside one database. */
export type ContentChange =
  | {
      readonly kind: 'createExtension'
      readonly extension: string
      readonly version?: string
      /**
       * Schema of the extension, created with the admin as owner if it is missing. Default: the extension's own schema,
       * or `public`.
       */
      readonly schema?: string
      /**
       * True: only the admin has ever connected to the database, whoever owns it. Default: false, which fails with
       * UnsafeSchema if the extension's script could resolve names to objects of other roles.
       */
      readonly isFresh?: boolean
    }
  | { readonly kind: 'updateExtension'; readonly extension: string; readonly version: string }
  | { readonly kind: 'moveExtension'; readonly extension: string; readonly schema: string }
  | { readonly kind: 'dropExtension'; readonly extension: string }
  /** Lets `role` restore rows that users added to configuration tables of these extensions. */
  | { readonly kind: 'fillExtensions'; readonly role: string; readonly extensions: readonly string[] }
  | { readonly kind: 'createSchema'; readonly schema: string; readonly owner: string }
  | { readonly kind: 'setSchemaOwner'; readonly schema: string; readonly owner: string }
  /** Fails with DependentObjects while the schema contains objects. */
  | { readonly kind: 'dropSchema'; readonly schema: string }
  /** Revokes CREATE from PUBLIC. */
  | { readonly kind: 'hardenSchema'; readonly schema: string }
  /** Reassigns the database, and all objects in it that `role` owns, to `to`. */
  | { readonly kind: 'reassignOwned'; readonly role: string; readonly to: string }
  /**
   * Drops all objects that `role` owns in this database and revokes its privileges there. After reassignOwned only
   * privileges remain.
   */
  | { readonly kind: 'dropOwned'; readonly role: string }
  /**
   * Makes the admin the owner of migration markers that `role` restored, if they are plain tables. Other markers keep
   * their owner and are not trusted.
   */
  | { readonly kind: 'adoptMarks'; readonly role: string }

/** Parts of a replication, inside one database. All except the two drops fail with AlreadyExists. */
export type ReplicationChange =
  /**
   * A login with REPLICATION that can read all rows of the database, also under row security. `verifier`: never a
   * password (I11).
   */
  | {
      readonly kind: 'createReplicator'
      readonly role: string
      readonly database: string
      readonly token: Token
      readonly verifier: string
    }
  | { readonly kind: 'dropReplicator'; readonly role: string; readonly database: string }
  /** Publishes exactly these tables, without tables that inherit from them. */
  | {
      readonly kind: 'createPublication'
      readonly publication: string
      readonly tables: readonly TableName[]
      readonly token: Token
    }
  | { readonly kind: 'dropPublication'; readonly publication: string }
  /**
   * Subscribes to an existing publication and slot. `connection` contains a password, which the server stores in clear
   * text and only superusers can read. The statement is kept out of logs and statistics as far as the admin's
   * privileges allow.
   */
  | {
      readonly kind: 'createSubscription'
      readonly subscription: string
      readonly publication: string
      readonly slot: string
      readonly connection: string
      readonly token: Token
    }
  /** Changes the connection string. Replication continues from its position. */
  | { readonly kind: 'redirectSubscription'; readonly subscription: string; readonly connection: string }
  /** Drops the subscription without contacting the source, which keeps its slot. */
  | { readonly kind: 'dropSubscription'; readonly subscription: string }

/** Roles and databases can be changed from any database, all other objects only from their own. */
export type Change =
  | RoleChange
  | DatabaseChange
  | ContentChange
  | GrantChange
  | DefaultGrantChange
  | PublicRightsChange
  | ReplicationChange
  | GlobalChange
