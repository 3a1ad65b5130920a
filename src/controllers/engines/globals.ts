// Global objects of a database: roles that own or use it, their settings, and owners of objects. They are read on one
// server and recreated on another one, where applications keep their passwords.
import type { Token } from '../../index.ts'
import type { LogPosition } from './log-position.ts'
import type { Membership } from './observed-server.ts'

export interface DatabaseGlobals {
  readonly database: {
    readonly name: string
    readonly oid: number
    readonly owner: string
    readonly encoding: string
    readonly collate: string
    readonly ctype: string
    /** Collation provider; `c` is libc. */
    readonly localeProvider: string
    readonly connectionLimit: number
  }
  readonly systemIdentifier: string
  /**
   * Roles that own objects in the database or have privileges there, their members, and all roles of which these are
   * members. Excludes predefined roles.
   */
  readonly roles: readonly GlobalRole[]
  /** Memberships of these roles in each other and in predefined roles. */
  readonly memberships: readonly Membership[]
  /** Settings of these roles and of all roles, in all databases or in this one. */
  readonly settings: readonly GlobalSetting[]
  /** Privileges on the database itself. */
  readonly grants: readonly DatabaseGrant[]
  readonly extensions: readonly GlobalExtension[]
  /** Objects whose owner is not the database's owner, except members of extensions. */
  readonly owned: readonly OwnedObject[]
  /** Objects that the operator's dumps omit, or that only a superuser may create, e.g. `event trigger audit`. */
  readonly immovable: readonly string[]
  /** Other databases of the server, except those that initdb creates. */
  readonly neighbours: readonly { readonly name: string; readonly comment: string | null }[]
}

export interface GlobalExtension {
  readonly name: string
  readonly schema: string
  /** The extension has configuration tables, whose rows a dump contains. */
  readonly hasRows: boolean
}

export interface GlobalRole {
  readonly name: string
  readonly oid: number
  readonly comment: string | null
  readonly canLogin: boolean
  readonly isSuperuser: boolean
  readonly inherits: boolean
  readonly canCreateDatabases: boolean
  readonly canCreateRoles: boolean
  readonly canReplicate: boolean
  readonly bypassesRowSecurity: boolean
  readonly connectionLimit: number
  /** RFC 3339, or `-infinity`. Null: the password never expires. */
  readonly validUntil: string | null
  /** The stored password hash, of any method; never a clear-text password (I11). */
  readonly verifier: string | null
}

/** Undefined `role`: all roles. Undefined `database`: all databases. */
export interface GlobalSetting {
  readonly role: string | undefined
  readonly database: string | undefined
  readonly name: string
  readonly value: string
}

export interface DatabaseGrant {
  /** Null: PUBLIC. */
  readonly grantee: string | null
  readonly privilege: string
  /** With grant option. */
  readonly isGrantable: boolean
}

export interface OwnedObject {
  readonly sort: OwnedSort
  /** `''` for a schema. */
  readonly schema: string
  /** A routine's name includes its arguments, as the server writes them. */
  readonly name: string
  readonly owner: string
}

export type OwnedSort = (typeof ownedSorts)[number]

/** SQL object types. `TABLE` includes views and sequences. */
export const ownedSorts = [
  ...(['SCHEMA', 'TABLE', 'ROUTINE', 'TYPE', 'COLLATION', 'CONVERSION', 'STATISTICS'] as const),
  ...(['TEXT SEARCH DICTIONARY', 'TEXT SEARCH CONFIGURATION'] as const),
] as const

/** Changes that recreate globals. */
export type GlobalChange =
  /** Creates the role as it was, but NOLOGIN. `comment` replaces its comment. Fails with AlreadyExists. */
  | { readonly kind: 'copyRole'; readonly role: string; readonly as: GlobalRole; readonly comment: string | null }
  /** Set by the admin, because the original server allowed the setting. */
  | { readonly kind: 'copySetting'; readonly database: string; readonly setting: GlobalSetting }
  /** Resets settings of all roles in all databases. For a server that is dedicated to this database. */
  | { readonly kind: 'resetSettings'; readonly database: string }
  | ({ readonly kind: 'copyDatabaseGrant'; readonly database: string } & DatabaseGrant)
  /** Writes provenance into the role's comment: its owner, the request, the roles created with it, and their source. */
  | {
      readonly kind: 'noteRoles'
      readonly role: string
      readonly token: Token
      readonly request: string
      readonly roles: readonly string[]
      readonly holds: 'schema' | 'rows'
      readonly from?: LogPosition | undefined
    }
  | ({ readonly kind: 'setOwner' } & OwnedObject)
