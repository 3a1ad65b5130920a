// What is on a database server? Plain values, as one statement each reads them: the server and what it shares between its
// databases (roles and the databases themselves), what is inside one database, and who is connected.
import type { Token } from '../../index.ts'

/** The server, and what the admin may do there. */
export interface ServerFacts {
  /** As the server says it: `15.18`, `18.4`. */
  readonly version: string
  readonly majorVersion: number
  /** Made when the data folder was, and copied with it; 64 bits, in decimal. A string: it is larger than a number can hold. */
  readonly systemIdentifier: string
  /** A standby, or set to read only: nothing can be changed here. */
  readonly isReadOnly: boolean
  readonly admin: AdminRights
}

export interface AdminRights {
  readonly role: string
  readonly isSuperuser: boolean
  readonly canCreateDatabases: boolean
  readonly canCreateRoles: boolean
}

/** One statement's answer about the server. What was asked for and is not listed is not there: the catalogs are authoritative. */
export interface ServerObservation {
  readonly server: ServerFacts
  readonly databases: readonly ObservedDatabase[]
  readonly roles: readonly ObservedRole[]
}

export interface ObservedDatabase {
  readonly name: string
  /** Never used twice on a server, so that with the system identifier it names this database for good. */
  readonly oid: number
  readonly owner: string
  /** The token in its comment. */
  readonly token: Token | undefined
  /** In its comment too: set with its name, in one transaction. */
  readonly succession: Succession | undefined
  /** The token in its owner's comment: there from the first moment of the database, as its owner is. */
  readonly ownerToken: Token | undefined
  /** -1: no limit. */
  readonly connectionLimit: number
  readonly allowsConnections: boolean
  readonly isTemplate: boolean
  /** A DROP DATABASE was interrupted: nobody can connect any more, and it can only be dropped again. */
  readonly isInvalid: boolean
  readonly encoding: string
  readonly collate: string
  readonly ctype: string
  /** Undefined where the admin may not ask: he needs CONNECT there, or pg_read_all_stats. */
  readonly sizeBytes: number | undefined
  /** What everybody may do there: `CONNECT` and `TEMPORARY` unless hardened. */
  readonly publicPrivileges: readonly string[]
  /** Those of this operator not counted. */
  readonly sessions: number
  /** Roles with a token that hold rights in it by themselves: as members of its owner, or by its privileges. */
  readonly holders: readonly DatabaseHolder[]
  /** Roles without a token that were granted CONNECT, at most 1,000: not its owner, the admin or a superuser. */
  readonly unmanaged: readonly string[]
  /** Sessions of roles with a token that may not connect to it any more. */
  readonly lockedOutSessions: number
  /** What replicates it row by row, or into it: `logical replication slot debezium`, `subscription feed`. What ends with its session is left out. */
  readonly replication: readonly string[]
}

/** A role of ours that holds rights in a database. */
export interface DatabaseHolder {
  readonly role: string
  readonly token: Token | undefined
  /** Who has made it a member of the database's owner, each of whom has to take that back; none: it is no member. */
  readonly grantors: readonly string[]
  /** On the database itself, `CONNECT`. */
  readonly privileges: readonly string[]
}

/** How a database or a role came by its name. */
export interface Succession {
  /** Whose work it was: that of a restore or a move, by its id. */
  readonly request: string
  /** What had the name before, as `pg://<system identifier>/<oid>`, or `…/role/<oid>`; undefined: nothing. */
  readonly replaced?: string
}

export interface ObservedRole {
  readonly name: string
  readonly oid: number
  readonly token: Token | undefined
  /** In its comment too: it was made in the place of one on another server. */
  readonly succession: Succession | undefined
  readonly canLogin: boolean
  readonly isSuperuser: boolean
  readonly inherits: boolean
  readonly canCreateDatabases: boolean
  readonly canCreateRoles: boolean
  readonly canReplicate: boolean
  readonly bypassesRowSecurity: boolean
  /** -1: no limit. */
  readonly connectionLimit: number
  /** RFC 3339; undefined: for ever. */
  readonly validUntil: string | undefined
  readonly hasExpired: boolean
  /** Is the verifier that was asked about the stored one? Undefined where none was asked about or only a superuser may look. */
  readonly verifierMatches: boolean | undefined
  /** The roles whose member it is. */
  readonly memberOf: readonly Membership[]
  /** All that it can become by these, and by theirs in turn. */
  readonly reaches: readonly RolePower[]
  /** Those who are members of it. */
  readonly members: readonly Membership[]
  readonly settings: readonly RoleSetting[]
  /** Sessions that logged in as this role. */
  readonly sessions: number
  /** How many objects in which databases depend on it (owned, granted): what keeps it from being dropped. `''`: shared ones. */
  readonly dependents: readonly { readonly database: string; readonly owned: number; readonly granted: number }[]
}

/** What lets a role do more than it has been granted. */
export interface RolePower {
  readonly name: string
  readonly isSuperuser: boolean
  readonly bypassesRowSecurity: boolean
  readonly canCreateRoles: boolean
  readonly canReplicate: boolean
}

/** Role `member` is a member of role `role`. Before PostgreSQL 16, `inherits` is the member's own and `canSet` always true. */
export interface Membership {
  readonly role: string
  readonly member: string
  /** Who granted it; each has to take it back. Before PostgreSQL 16 it does not matter. */
  readonly grantors: readonly string[]
  readonly isAdmin: boolean
  readonly inherits: boolean
  readonly canSet: boolean
}

/** A setting that sessions of a role start with, in one database or (undefined) in all. */
export interface RoleSetting {
  readonly database: string | undefined
  readonly name: string
  readonly value: string
}

/** What is inside one database. */
export interface ObservedContents {
  readonly extensions: readonly ObservedExtension[]
  /** But for the system's own. */
  readonly schemas: readonly ObservedSchema[]
}

export interface ObservedExtension {
  readonly name: string
  readonly version: string
  readonly schema: string
  /** Can it be moved to another schema? */
  readonly isRelocatable: boolean
}

export interface ObservedSchema {
  readonly name: string
  readonly owner: string
  /** What everybody may do there: USAGE, and before PostgreSQL 15 also CREATE, in `public`. */
  readonly publicPrivileges: readonly string[]
}

export interface ObservedSession {
  readonly pid: number
  readonly role: string
  readonly database: string
  readonly applicationName: string
  /** Undefined: over a Unix socket, or hidden from this admin. */
  readonly clientAddress: string | undefined
  /** `active`, `idle`, `idle in transaction` …; undefined: hidden from this admin. */
  readonly state: string | undefined
  /** RFC 3339. */
  readonly startedAt: string | undefined
  /** It has nothing to do until its client says more: between statements, and in the middle of a COPY. Undefined: hidden. */
  readonly waitsForClient: boolean | undefined
  /** Of its statement, RFC 3339 to the microsecond. */
  readonly statementStartedAt: string | undefined
  /** Of the COPY that is under way. */
  readonly copiedBytes: number | undefined
}
