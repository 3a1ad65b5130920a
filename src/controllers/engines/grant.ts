// What may a role do in one database? The words for it: what somebody wants, what was found, and what makes the one the other.
// `grants.ts` compares them.

/** What has privileges of its own. A view is a `Table`, a procedure is a `Function`. */
export type GrantTarget = 'Database' | 'Schema' | 'Table' | 'Sequence' | 'Function' | 'Column'

/** What a role that creates objects can give away beforehand. */
export type DefaultTarget = 'Table' | 'Sequence' | 'Function' | 'Schema' | 'Type'

/** In capitals, as in SQL: `SELECT`. */
export type Privilege = string

/** Presets; `Custom` is nothing but the grants listed. */
export type Access = 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'

/** What a role should be able to do in one database. */
export interface GrantWish {
  readonly role: string
  readonly database: string
  readonly access: Access
  /** Where presets, and grants on tables, sequences and functions, apply. */
  readonly schemas: readonly string[]
  /** Beyond the preset. */
  readonly grants: readonly CustomGrant[]
  /** The roles that make objects here: what they make later is granted too, where a preset or a grant says all. */
  readonly creators: readonly string[]
}

export interface CustomGrant {
  readonly objectType: 'Database' | 'Schema' | 'Table' | 'Sequence' | 'Function'
  /**
   * Names without schema, which are looked for in every schema of the wish; a function also with its arguments, `area(integer)`,
   * and without them all of its name. Absent: all, also those to come. Of no meaning for Database and Schema.
   */
  readonly names?: readonly string[]
  readonly privileges: readonly Privilege[]
}

/** Objects of one kind, in one schema, on which one role holds the same. Grouped, as ten thousand tables are one line so. */
export interface GrantGroup {
  readonly role: string
  readonly on: GrantTarget
  /** `''` for Database and Schema. */
  readonly schema: string
  /** The table whose columns they are; `''` for all but Column. */
  readonly table: string
  /** Functions as the server writes them, quoted where they must be: `area(integer)`, `"Odd name"(public.box)`. */
  readonly names: readonly string[]
  /** Sorted; of an object that was asked for and on which the role holds nothing: none. */
  readonly privileges: readonly Privilege[]
  /** Those of them that it may pass on. */
  readonly grantable: readonly Privilege[]
  /** Those of them that not the owner has given, but somebody who may pass them on: only in his name can they be taken. */
  readonly passedOn?: readonly { readonly grantor: string; readonly privilege: Privilege }[]
  /** It owns them, and may do everything. */
  readonly isOwner: boolean
  /** An extension brought them, and says who may use them; they are listed only where the role holds something nonetheless. */
  readonly isOfExtension: boolean
}

/** What objects will be granted that `creator` makes. */
export interface DefaultGrant {
  readonly role: string
  readonly creator: string
  /** Only what it makes in this schema; `''`: in all of them. */
  readonly schema: string
  readonly on: DefaultTarget
  readonly privileges: readonly Privilege[]
}

/** Every privilege of the roles asked about in one database, and every object of the schemas asked about. */
export interface ObservedGrants {
  readonly majorVersion: number
  readonly groups: readonly GrantGroup[]
  readonly defaults: readonly DefaultGrant[]
  /** Of the roles, creators and schemas asked about, those that are there. */
  readonly roles: readonly string[]
  readonly schemas: readonly string[]
}

/** What to ask one database. */
export interface GrantQuestion {
  readonly roles: readonly string[]
  /** Whose objects are listed also where the roles hold nothing. */
  readonly schemas: readonly string[]
  /** Roles of which only is asked whether they are there. */
  readonly creators?: readonly string[]
}

/** One thing to give or to take. What somebody has passed on goes with what is taken from him. */
export interface GrantChange {
  /** `revokeOption`: it keeps the privileges and may no longer pass them on. */
  readonly kind: 'grant' | 'revoke' | 'revokeOption'
  readonly role: string
  readonly on: GrantTarget
  readonly schema: string
  readonly table: string
  /** As in GrantGroup. */
  readonly names: readonly string[]
  readonly privileges: readonly Privilege[]
  /** In whose names too something is taken that the owner has not given. */
  readonly grantors?: readonly string[]
}

/** One thing to give or to take beforehand. */
export interface DefaultGrantChange extends DefaultGrant {
  readonly kind: 'grantDefault' | 'revokeDefault'
}
