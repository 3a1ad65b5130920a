// Observations of a database server, as plain values, one type for each statement. They cover the server with its
// shared objects (roles and databases), the contents of one database, and sessions.
import type { Token } from '../../index.ts'

/** The server, and the admin's privileges there. */
export interface ServerFacts {
  /** As the server reports it: `15.18`, `18.4`. */
  readonly version: string
  readonly majorVersion: number
  /**
   * Identity of the data directory and of its copies: 64 bits, in decimal. A string, because it exceeds the range of a
   * JavaScript number.
   */
  readonly systemIdentifier: string
  /** A standby, or set to read-only. It cannot be changed. */
  readonly isReadOnly: boolean
  readonly admin: AdminRights
}

export interface AdminRights {
  readonly role: string
  readonly isSuperuser: boolean
  readonly canCreateDatabases: boolean
  readonly canCreateRoles: boolean
}

/**
 * Answer of one statement about the server. A requested object that is not listed does not exist, because the catalogs
 * are authoritative.
 */
export interface ServerObservation {
  readonly server: ServerFacts
  readonly databases: readonly ObservedDatabase[]
  readonly roles: readonly ObservedRole[]
}

export interface ObservedDatabase {
  readonly name: string
  /** Unique on a server forever: with the system identifier it identifies this database. */
  readonly oid: number
  readonly owner: string
  /** Token in its comment. */
  readonly token: Token | undefined
  /** Also in its comment. Set together with its name, in one transaction. */
  readonly succession: Succession | undefined
  /** Token in the comment of its owner role. The owner exists since CREATE DATABASE, and so does this marker. */
  readonly ownerToken: Token | undefined
  /** -1: no limit. */
  readonly connectionLimit: number
  readonly allowsConnections: boolean
  readonly isTemplate: boolean
  /** A DROP DATABASE was interrupted. Connections fail, and the only possible action is another drop. */
  readonly isInvalid: boolean
  readonly encoding: string
  readonly collate: string
  readonly ctype: string
  /** Undefined if the admin may not read it. The admin needs CONNECT there, or pg_read_all_stats. */
  readonly sizeBytes: number | undefined
  /** Privileges of PUBLIC: `CONNECT` and `TEMPORARY` unless hardened. */
  readonly publicPrivileges: readonly string[]
  /** Without the operator's own sessions. */
  readonly sessions: number
  /** Marked roles with direct rights in it: members of its owner, or holders of privileges on it. */
  readonly holders: readonly DatabaseHolder[]
  /** Unmarked roles with CONNECT, at most 1,000. Excludes its owner, the admin and superusers. */
  readonly unmanaged: readonly string[]
  /** Number of sessions of marked roles that may no longer connect to it. */
  readonly lockedOutSessions: number
  /**
   * Logical replication from or into it, e.g. `logical replication slot debezium`, `subscription feed`. Excludes
   * temporary slots.
   */
  readonly replication: readonly string[]
}

/** A role of the operator with rights in a database. */
export interface DatabaseHolder {
  readonly role: string
  readonly token: Token | undefined
  /** Grantors of its membership in the database's owner. Each has to revoke it. Empty: not a member. */
  readonly grantors: readonly string[]
  /** Privileges on the database itself: `CONNECT`. */
  readonly privileges: readonly string[]
}

/** Origin of the current name of a database or role. */
export interface Succession {
  /** Id of the restore or move that assigned the name. */
  readonly request: string
  /** Previous holder of the name, as `pg://<system identifier>/<oid>` or `…/role/<oid>`. Undefined: none. */
  readonly replaced?: string
}

export interface ObservedRole {
  readonly name: string
  readonly oid: number
  readonly token: Token | undefined
  /** Also in its comment. The role replaces one of another server. */
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
  /** RFC 3339. Undefined: the password never expires. */
  readonly validUntil: string | undefined
  readonly hasExpired: boolean
  /**
   * The verifier in the question equals the stored one. Undefined without a verifier in the question, or if the admin
   * is not a superuser.
   */
  readonly verifierMatches: boolean | undefined
  /** Roles of which it is a direct member. */
  readonly memberOf: readonly Membership[]
  /** All roles that it can become by direct or indirect membership. */
  readonly reaches: readonly RolePower[]
  /** Direct members of it. */
  readonly members: readonly Membership[]
  readonly settings: readonly RoleSetting[]
  /** Sessions that logged in as this role. */
  readonly sessions: number
  /** Number of dependent objects by database (owned, granted), which prevent DROP ROLE. `''`: shared objects. */
  readonly dependents: readonly { readonly database: string; readonly owned: number; readonly granted: number }[]
}

/** Attributes that give a role more rights than its grants. */
export interface RolePower {
  readonly name: string
  readonly isSuperuser: boolean
  readonly bypassesRowSecurity: boolean
  readonly canCreateRoles: boolean
  readonly canReplicate: boolean
}

/**
 * Role `member` is a member of role `role`. Before PostgreSQL 16, `inherits` is the member's attribute and `canSet` is
 * always true.
 */
export interface Membership {
  readonly role: string
  readonly member: string
  /** Grantors, each of whom has to revoke it. Irrelevant before PostgreSQL 16. */
  readonly grantors: readonly string[]
  readonly isAdmin: boolean
  readonly inherits: boolean
  readonly canSet: boolean
}

/** Setting of a role for new sessions, in one database, or in all if undefined. */
export interface RoleSetting {
  readonly database: string | undefined
  readonly name: string
  readonly value: string
}

/** Contents of one database. */
export interface ObservedContents {
  readonly extensions: readonly ObservedExtension[]
  /** Without system schemas. */
  readonly schemas: readonly ObservedSchema[]
}

export interface ObservedExtension {
  readonly name: string
  readonly version: string
  readonly schema: string
  /** True if ALTER EXTENSION … SET SCHEMA is possible. */
  readonly isRelocatable: boolean
}

export interface ObservedSchema {
  readonly name: string
  readonly owner: string
  /** Privileges of PUBLIC: USAGE on `public`, before PostgreSQL 15 also CREATE. */
  readonly publicPrivileges: readonly string[]
}

export interface ObservedSession {
  readonly pid: number
  readonly role: string
  readonly database: string
  readonly applicationName: string
  /** Undefined for a Unix socket, or if this admin may not see it. */
  readonly clientAddress: string | undefined
  /** `active`, `idle`, `idle in transaction` …; undefined if this admin may not see it. */
  readonly state: string | undefined
  /** RFC 3339. */
  readonly startedAt: string | undefined
  /**
   * The session waits for its client: between statements, or in the middle of a COPY. Undefined if this admin may not
   * see it.
   */
  readonly waitsForClient: boolean | undefined
  /** Start of its statement, RFC 3339 to the microsecond. */
  readonly statementStartedAt: string | undefined
  /** Bytes of the COPY in progress. */
  readonly copiedBytes: number | undefined
}
