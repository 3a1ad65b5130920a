// Types of the privileges of a role in one database: desired, observed, and the changes between them. `grants.ts`
// compares them.

/** Objects with privileges of their own. A view is a `Table`, a procedure a `Function`. */
export type GrantTarget = 'Database' | 'Schema' | 'Table' | 'Sequence' | 'Function' | 'Column'

/** Object types of ALTER DEFAULT PRIVILEGES. */
export type DefaultTarget = 'Table' | 'Sequence' | 'Function' | 'Schema' | 'Type'

/** In upper case, as in SQL: `SELECT`. */
export type Privilege = string

/** Presets. `Custom` consists only of the listed grants. */
export type Access = 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'

/** Desired privileges of a role in one database. */
export interface DesiredGrant {
  readonly role: string
  readonly database: string
  readonly access: Access
  /** Scope of presets and of grants on tables, sequences and functions. */
  readonly schemas: readonly string[]
  /** In addition to the preset. */
  readonly grants: readonly CustomGrant[]
  /**
   * Roles that create objects here. Their future objects are granted too, where a preset or a grant covers all objects.
   */
  readonly creators: readonly string[]
}

export interface CustomGrant {
  readonly objectType: 'Database' | 'Schema' | 'Table' | 'Sequence' | 'Function'
  /**
   * Names without schema, looked up in every schema of `schemas`. A function name may include arguments, e.g.
   * `area(integer)`; without arguments it means all overloads. Absent: all objects, including future ones. Ignored for
   * Database and Schema.
   */
  readonly names?: readonly string[]
  readonly privileges: readonly Privilege[]
}

/**
 * Objects of one type in one schema on which one role holds equal privileges. Grouped, so that ten thousand tables can
 * be one row.
 */
export interface GrantGroup {
  readonly role: string
  readonly on: GrantTarget
  /** `''` for Database and Schema. */
  readonly schema: string
  /** Table of the columns; `''` except for Column. */
  readonly table: string
  /** Functions are as the server writes them, quoted where necessary: `area(integer)`, `"Odd name"(public.box)`. */
  readonly names: readonly string[]
  /** Sorted. Empty for requested objects on which the role holds no privilege. */
  readonly privileges: readonly Privilege[]
  /** The subset with grant option. */
  readonly grantable: readonly Privilege[]
  /** The subset that a role other than the owner granted. Only REVOKE as that grantor removes it. */
  readonly passedOn?: readonly { readonly grantor: string; readonly privilege: Privilege }[]
  /** The role owns the objects and has all privileges. */
  readonly isOwner: boolean
  /**
   * An extension created the objects and manages their privileges. They are listed only where the role holds a
   * privilege.
   */
  readonly isOfExtension: boolean
}

/** Default privileges on future objects of `creator`. */
export interface DefaultGrant {
  readonly role: string
  readonly creator: string
  /** Only for objects in this schema. `''`: in all schemas. */
  readonly schema: string
  readonly on: DefaultTarget
  readonly privileges: readonly Privilege[]
}

/** All privileges of the requested roles in one database, and all objects of the requested schemas. */
export interface ObservedGrants {
  readonly majorVersion: number
  readonly groups: readonly GrantGroup[]
  readonly defaults: readonly DefaultGrant[]
  /** The requested roles, creators and schemas that exist. */
  readonly roles: readonly string[]
  readonly schemas: readonly string[]
}

/** A question to one database. */
export interface GrantQuestion {
  readonly roles: readonly string[]
  /** Schemas whose objects are listed even if the roles hold no privileges on them. */
  readonly schemas: readonly string[]
  /** Roles for which only existence is checked. */
  readonly creators?: readonly string[]
}

/** A GRANT or REVOKE. REVOKE cascades to privileges that the role granted to others. */
export interface GrantChange {
  /** `revokeOption`: the role keeps the privileges without grant option. */
  readonly kind: 'grant' | 'revoke' | 'revokeOption'
  readonly role: string
  readonly on: GrantTarget
  readonly schema: string
  readonly table: string
  /** As in GrantGroup. */
  readonly names: readonly string[]
  readonly privileges: readonly Privilege[]
  /** Grantors other than the owner, as which privileges are revoked too. */
  readonly grantors?: readonly string[]
}

/** A change of default privileges. */
export interface DefaultGrantChange extends DefaultGrant {
  readonly kind: 'grantDefault' | 'revokeDefault'
}
