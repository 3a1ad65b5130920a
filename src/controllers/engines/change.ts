// What can be changed on a database server? Data, so that a plan can be compared, shown and tested before anything is carried
// out. All changes of one call are carried out in one transaction, in their order; all but `createRole` may be repeated.
import type { Token } from '../../index.ts'
import type { GlobalChange } from './globals.ts'
import type { DefaultGrantChange, GrantChange } from './grant.ts'
import type { Succession } from './observed-server.ts'
import type { PublicRightsChange } from './public-rights.ts'
import type { TableName } from './replication.ts'

/** What a role may do beyond logging in. Superuser and bypassing row security can be taken, and on purpose not given. */
export interface RoleAttributes {
  readonly canLogin?: boolean
  readonly inherits?: boolean
  readonly canCreateDatabases?: boolean
  readonly canCreateRoles?: boolean
  readonly canReplicate?: boolean
  /** -1: no limit. */
  readonly connectionLimit?: number
  /** RFC 3339; null: for ever. */
  readonly validUntil?: string | null
  /** A SCRAM verifier, never a password (I11); null: none, nobody can log in with a password. */
  readonly verifier?: string | null
  readonly isSuperuser?: false
  readonly bypassesRowSecurity?: false
}

export type RoleIdentity = { readonly oid: number; readonly canLogin: boolean } | { readonly verifier: string }

export type RoleChange =
  /**
   * With the token in its comment from its first moment on. An admin that is no superuser becomes a member of it in the same
   * transaction, as he could not make it an owner otherwise. Fails with AlreadyExists.
   */
  | { readonly kind: 'createRole'; readonly role: string; readonly token: Token; readonly attributes: RoleAttributes }
  | { readonly kind: 'alterRole'; readonly role: string; readonly attributes: RoleAttributes }
  /** What it owns and may do stays; a password whose hash has the name in it (MD5) does not. */
  | { readonly kind: 'renameRole'; readonly role: string; readonly to: string }
  /** Writes the token into its comment; what stood there is lost. */
  | { readonly kind: 'markRole'; readonly role: string; readonly token: Token }
  /** The admin becomes a member, if he is none and no superuser: for roles that he has not made. */
  | { readonly kind: 'joinRole'; readonly role: string }
  /** Of the options only those given are said; before PostgreSQL 16 there is only `isAdmin`. */
  | {
      readonly kind: 'grantMembership'
      readonly role: string
      readonly member: string
      readonly isAdmin?: boolean
      readonly inherits?: boolean
      readonly canSet?: boolean
    }
  /** In the name of each of those who granted it, as observed; none: in the admin's own. */
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
   * Changes nothing: NotFound, and so nothing of the transaction, unless this very role has the name, told by its oid, if it may log in as before, or by what
   * it logs in with. It is not dropped before the transaction ends. As a superuser, as nobody else sees verifiers.
   */
  | { readonly kind: 'expectRole'; readonly role: string; readonly is: RoleIdentity }
  /** No failure if it is not there; DependentObjects while something depends on it. */
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
  /** Changes nothing: NotFound, and so nothing of the transaction, unless this very database has the name. */
  | { readonly kind: 'expectDatabase'; readonly database: string; readonly oid: number }
  | { readonly kind: 'limitConnections'; readonly database: string; readonly connectionLimit: number }
  | { readonly kind: 'allowConnections'; readonly database: string; readonly allows: boolean }
  /** A template can be copied by every role that may create databases, and not be dropped. */
  | { readonly kind: 'resetTemplate'; readonly database: string }
  /** Takes CONNECT and TEMPORARY from everybody; owners and those granted keep theirs. */
  | { readonly kind: 'hardenDatabase'; readonly database: string }
  /** DatabaseInUse while anybody is connected. Two in one call swap names atomically. */
  | { readonly kind: 'renameDatabase'; readonly database: string; readonly to: string }

/** Changes inside one database. */
export type ContentChange =
  | {
      readonly kind: 'createExtension'
      readonly extension: string
      readonly version?: string
      /** Made if it is not there, and then the admin's. Default: the extension's own, or `public`. */
      readonly schema?: string
      /** Only the admin has been in the database, whoever owns it. Default false: UnsafeSchema where a script could find what others made. */
      readonly isFresh?: boolean
    }
  | { readonly kind: 'updateExtension'; readonly extension: string; readonly version: string }
  | { readonly kind: 'moveExtension'; readonly extension: string; readonly schema: string }
  | { readonly kind: 'dropExtension'; readonly extension: string }
  /** Rows that somebody has added to tables of these extensions are in a backup, and `role` may put them there. */
  | { readonly kind: 'fillExtensions'; readonly role: string; readonly extensions: readonly string[] }
  | { readonly kind: 'createSchema'; readonly schema: string; readonly owner: string }
  | { readonly kind: 'setSchemaOwner'; readonly schema: string; readonly owner: string }
  /** DependentObjects while something is in it. */
  | { readonly kind: 'dropSchema'; readonly schema: string }
  /** Takes CREATE from everybody. */
  | { readonly kind: 'hardenSchema'; readonly schema: string }
  /** Everything that `role` owns in this database, and the database itself, becomes `to`'s. */
  | { readonly kind: 'reassignOwned'; readonly role: string; readonly to: string }
  /** Drops what `role` owns in this database and takes all its privileges there; after reassignOwned only the latter. */
  | { readonly kind: 'dropOwned'; readonly role: string }
  /** Marks of migrations that `role` restored become the admin's if they are plain tables; else they stay, and are not trusted. */
  | { readonly kind: 'adoptMarks'; readonly role: string }

/** Parts of a replication, inside one database. All but the two that drop fail with AlreadyExists. */
export type ReplicationChange =
  /** A login that reads everything in the database, row security or not, and may replicate. `verifier`: never a password (I11). */
  | {
      readonly kind: 'createReplicator'
      readonly role: string
      readonly database: string
      readonly token: Token
      readonly verifier: string
    }
  | { readonly kind: 'dropReplicator'; readonly role: string; readonly database: string }
  /** Of these tables and none of those that inherit from them. */
  | {
      readonly kind: 'createPublication'
      readonly publication: string
      readonly tables: readonly TableName[]
      readonly token: Token
    }
  | { readonly kind: 'dropPublication'; readonly publication: string }
  /**
   * To a publication and a slot that are there. `connection` holds a password, which the server has to keep in clear: only superusers
   * can read it there. On the way into it, it is kept out of logs and statistics as far as the admin may.
   */
  | {
      readonly kind: 'createSubscription'
      readonly subscription: string
      readonly publication: string
      readonly slot: string
      readonly connection: string
      readonly token: Token
    }
  /** It goes on from where it is. */
  | { readonly kind: 'redirectSubscription'; readonly subscription: string; readonly connection: string }
  /** Without a word to the source, whose slot stays. */
  | { readonly kind: 'dropSubscription'; readonly subscription: string }

/** Roles and databases can be changed from inside any database, the rest only in its own. */
export type Change =
  | RoleChange
  | DatabaseChange
  | ContentChange
  | GrantChange
  | DefaultGrantChange
  | PublicRightsChange
  | ReplicationChange
  | GlobalChange
