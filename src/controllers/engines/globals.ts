// What belongs to a database and is not in it? The roles that own or use it, and who owns what; in the words of PostgreSQL's tools, its
// globals. They are read on one server so that they can be made on another, where applications find the passwords that they have.
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
    /** Who orders its texts: `c` is the operating system. */
    readonly localeProvider: string
    readonly connectionLimit: number
  }
  readonly systemIdentifier: string
  /** Those that own something of it or may do something in it, their members, and all that these are members of. None of the server's own. */
  readonly roles: readonly GlobalRole[]
  /** Of these roles, in each other and in the server's own ones. */
  readonly memberships: readonly Membership[]
  /** Of these roles and of all roles, in all databases or in this one. */
  readonly settings: readonly GlobalSetting[]
  /** On the database itself. */
  readonly grants: readonly DatabaseGrant[]
  readonly extensions: readonly GlobalExtension[]
  /** What does not belong to the database's owner, but for what came with an extension. */
  readonly owned: readonly OwnedObject[]
  /** What no dump of ours holds, or only a superuser may make: `event trigger audit`. */
  readonly immovable: readonly string[]
  /** Other databases of its server, but for those that a server is made with. */
  readonly neighbours: readonly { readonly name: string; readonly comment: string | null }[]
}

export interface GlobalExtension {
  readonly name: string
  readonly schema: string
  /** It has tables whose rows a dump holds, be it none. */
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
  /** RFC 3339, or `-infinity`; null: for ever. */
  readonly validUntil: string | null
  /** As the server keeps it, of whichever method: never a clear password (I11). */
  readonly verifier: string | null
}

/** Undefined: of all roles, or in all databases. */
export interface GlobalSetting {
  readonly role: string | undefined
  readonly database: string | undefined
  readonly name: string
  readonly value: string
}

export interface DatabaseGrant {
  /** Null: everybody. */
  readonly grantee: string | null
  readonly privilege: string
  /** It may be passed on. */
  readonly isGrantable: boolean
}

export interface OwnedObject {
  readonly sort: OwnedSort
  /** `''` for a schema. */
  readonly schema: string
  /** Of a routine with its arguments, as the server writes them. */
  readonly name: string
  readonly owner: string
}

export type OwnedSort = (typeof ownedSorts)[number]

/** Words of SQL. A `TABLE` is also a view or a sequence. */
export const ownedSorts = [
  ...(['SCHEMA', 'TABLE', 'ROUTINE', 'TYPE', 'COLLATION', 'CONVERSION', 'STATISTICS'] as const),
  ...(['TEXT SEARCH DICTIONARY', 'TEXT SEARCH CONFIGURATION'] as const),
] as const

/** Making globals anew. */
export type GlobalChange =
  /** As it was, but that it may not log in. `comment`: what stands there instead of its own. Fails with AlreadyExists. */
  | { readonly kind: 'copyRole'; readonly role: string; readonly as: GlobalRole; readonly comment: string | null }
  /** By the admin himself, as on the other server somebody was allowed to. */
  | { readonly kind: 'copySetting'; readonly database: string; readonly setting: GlobalSetting }
  /** Those of all roles in all databases: of a server that is for this database alone. */
  | { readonly kind: 'resetSettings'; readonly database: string }
  | ({ readonly kind: 'copyDatabaseGrant'; readonly database: string } & DatabaseGrant)
  /** Writes into its comment for whom it stands, by which request, which roles were made with it, and of what. */
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
