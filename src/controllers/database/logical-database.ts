// Desired and observed database on a server, and their differences with the changes that correct each. Invariant:
// anything that the spec does not mention (other extensions, schemas, roles) stays unchanged. Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import type { ExternalChange, Token } from '../../index.ts'
import type { Change } from '../engines/change.ts'
import type { ObservedContents, ObservedDatabase, ObservedRole, ServerFacts } from '../engines/observed-server.ts'
import { type Caller, forWhom, namespaceOf, type ServerAccess } from '../engines/server-access.ts'
import type { DatabaseObject } from './server-connection.ts'
import { unmanagedMessage } from './unmanaged-roles.ts'

/** Desired database, with the access to its server. */
export interface LogicalDatabase {
  readonly access: ServerAccess
  /** Database that declares it. */
  readonly caller: Caller
  readonly name: string
  readonly owner: string
  readonly encoding?: string
  readonly locale?: string
  readonly connectionLimit: number
  readonly extensions: readonly WantedExtension[]
  readonly schemas: readonly string[]
  /** Namespaces whose users may have rights in it, including its own; absent if unknown. */
  readonly consents?: readonly string[]
  /** If the database is missing, an empty one may replace it, even on another server than before. */
  readonly recreatesIfMissing: boolean
  /** The database is to be deleted, and a left-over owner role with it. */
  readonly isLeaving: boolean
  /** Restore requests whose left-over databases are deleted with it. */
  readonly restores?: readonly string[]
  /** Last or running restore, which closes the database for a moment. Each of its steps requires an observation. */
  readonly restore?: Pick<NonNullable<DatabaseStatus['restore']>, 'requestID' | 'phase' | 'snapshot'>
  /** Databases that restores have replaced, kept for an undo. */
  readonly formers?: readonly string[]
}

export interface WantedExtension {
  readonly name: string
  readonly version?: string
  readonly schema?: string
}

/** Observed database. */
export interface ObservedLogicalDatabase {
  readonly server: ServerFacts
  /** Undefined if only its owner role is left. */
  readonly database: ObservedDatabase | undefined
  readonly ownerRole: ObservedRole | undefined
  /** Existing ones of its former databases. */
  readonly formers: readonly ObservedDatabase[]
  /** Undefined if connections are not allowed, or if the operator does not manage the database. */
  readonly contents: ObservedContents | undefined
  /** Token that distinguishes them from databases and roles of others. */
  readonly token: Token
}

/** One difference, and the changes that correct it. */
export interface Difference extends ExternalChange {
  readonly reason: DifferenceReason
  /** Changes of one place are one transaction. Places run in this order, so that a failure blocks little else. */
  readonly at: 'server' | 'schemas' | 'extensions'
  readonly changes: readonly Change[]
  /** Role that loses rights. Its sessions end if they hold what the changes wait for. */
  readonly takesFrom?: string
}

export type DifferenceReason =
  | 'OwnerRoleMissing'
  | 'OwnerRoleChanged'
  | 'OwnerChanged'
  | 'MarkMissing'
  | 'ConsentWithdrawn'
  | 'ConnectionLimitChanged'
  | 'ConnectionsRefused'
  | 'TemplateDatabase'
  | 'PreviousOpened'
  | 'PublicAccess'
  | 'SchemaMissing'
  | 'SchemaOwnerChanged'
  | 'ExtensionMissing'
  | 'ExtensionVersionChanged'
  | 'ExtensionSchemaChanged'

/** Returns the name of the database on its server. It is constant, like spec.databaseName and metadata.name. */
export function databaseNameOf({ metadata, spec }: DatabaseObject): string {
  return spec.databaseName ?? metadata.name.replaceAll('-', '_')
}

/** Returns the role that owns the database. It cannot log in. */
export function ownerRoleOf(databaseName: string): string {
  return `${databaseName}_owner`
}

export interface LogicalFacts {
  readonly restore?: DatabaseStatus['restore']
  readonly consents?: readonly string[] | undefined
}

/** Returns the desired database of a spec. */
export function logicalDatabase(
  object: DatabaseObject,
  access: ServerAccess,
  { restore, consents }: LogicalFacts = {},
): LogicalDatabase {
  const { metadata, spec } = object
  const { encoding, locale, connectionLimit, extensions = [], schemas = [], recreateIfMissing } = spec
  const name = databaseNameOf(object)
  const formers = (restore?.previous ?? []).map(({ databaseName }) => databaseName)
  return {
    access,
    caller: { kind: 'Database', namespace: metadata.namespace ?? '', name: metadata.name },
    name,
    owner: ownerRoleOf(name),
    ...(encoding === undefined ? {} : { encoding }),
    ...(locale === undefined ? {} : { locale }),
    connectionLimit,
    extensions,
    schemas: schemas.map((schema) => schema.name),
    recreatesIfMissing: recreateIfMissing,
    isLeaving: false,
    ...(restore === undefined ? {} : { restore: restoreOf(restore) }),
    ...(formers.length === 0 ? {} : { formers }),
    ...(consents === undefined ? {} : { consents }),
  }
}

function restoreOf({
  requestID,
  phase,
  snapshot,
}: NonNullable<DatabaseStatus['restore']>): NonNullable<LogicalDatabase['restore']> {
  return { requestID, phase, ...(snapshot === undefined ? {} : { snapshot }) }
}

/** Returns the differences in an order in which they can be corrected. */
export function differencesOf(desired: LogicalDatabase, observed: ObservedLogicalDatabase): readonly Difference[] {
  const { database, contents } = observed
  if (database === undefined) return []
  return [
    ...ownerDifferences(desired, observed),
    ...ownershipDifferences(desired, database, observed.token),
    ...accessDifferences(desired, database),
    ...templateDifferences(database),
    ...formerDifferences(desired, observed),
    ...consentDifferences(desired, database),
    ...(contents === undefined ? [] : contentDifferences(desired, contents, observed.server)),
  ]
}

/** Attributes of a role that cannot log in and may only own the database. */
export const ownerAttributes = {
  canLogin: false,
  canCreateDatabases: false,
  canCreateRoles: false,
  canReplicate: false,
} as const

function ownerDifferences(
  { owner: role }: LogicalDatabase,
  { ownerRole, token }: ObservedLogicalDatabase,
): readonly Difference[] {
  const on = { at: 'server' } as const
  if (ownerRole === undefined) {
    const changes = [{ kind: 'createRole', role, token, attributes: ownerAttributes }] as const
    return [{ ...on, reason: 'OwnerRoleMissing', message: `role ${role} is missing`, changes }]
  }
  const gained = [
    ...(ownerRole.canLogin ? ['log in'] : []),
    ...(ownerRole.canCreateDatabases ? ['create databases'] : []),
    ...(ownerRole.canCreateRoles ? ['create roles'] : []),
    ...(ownerRole.canReplicate ? ['replicate'] : []),
  ]
  const altered: Difference = {
    ...on,
    reason: 'OwnerRoleChanged',
    message: `role ${role} may ${gained.join(', ')}`,
    changes: [{ kind: 'alterRole', role, attributes: ownerAttributes }],
  }
  const unmarked: Difference = {
    ...on,
    reason: 'MarkMissing',
    message: `role ${role} does not say whose it is`,
    changes: [
      { kind: 'joinRole', role },
      { kind: 'markRole', role, token },
    ],
  }
  return [...(gained.length === 0 ? [] : [altered]), ...(ownerRole.token?.uid === token.uid ? [] : [unmarked])]
}

function ownershipDifferences(
  { name: database, owner }: LogicalDatabase,
  found: ObservedDatabase,
  token: Token,
): readonly Difference[] {
  const disowned: Difference = {
    at: 'server',
    reason: 'OwnerChanged',
    message: `database ${database} belongs to ${found.owner} instead of ${owner}`,
    changes: [
      { kind: 'joinRole', role: owner },
      { kind: 'setDatabaseOwner', database, owner },
    ],
  }
  const unmarked: Difference = {
    at: 'server',
    reason: 'MarkMissing',
    message:
      found.token === undefined
        ? `database ${database} does not say whose it is`
        : `the comment of database ${database} was changed: it says that it was not made for this Database${forWhom(found.token)}`,
    changes: [{ kind: 'markDatabase', database, token }],
  }
  return [...(found.owner === owner ? [] : [disowned]), ...(found.token?.uid === token.uid ? [] : [unmarked])]
}

function accessDifferences(
  { name: database, connectionLimit, restore }: LogicalDatabase,
  found: ObservedDatabase,
): readonly Difference[] {
  const on = { at: 'server' } as const
  const limit: Difference = {
    ...on,
    reason: 'ConnectionLimitChanged',
    message: `the connection limit is ${found.connectionLimit} instead of ${connectionLimit}`,
    changes: [{ kind: 'limitConnections', database, connectionLimit }],
  }
  const refused: Difference = {
    ...on,
    reason: 'ConnectionsRefused',
    message: `database ${database} takes no connections`,
    changes: [{ kind: 'allowConnections', database, allows: true }],
  }
  const open: Difference = {
    ...on,
    reason: 'PublicAccess',
    message: `everybody has ${found.publicPrivileges.join(' and ')} on database ${database}`,
    changes: [{ kind: 'hardenDatabase', database }],
  }
  return [
    ...(found.connectionLimit === connectionLimit ? [] : [limit]),
    ...(found.allowsConnections || restore?.phase === 'Restoring' ? [] : [refused]),
    ...(found.publicPrivileges.length === 0 ? [] : [open]),
  ]
}

/** A template exposes its content, now and later, to other owners, so this is corrected under any drift policy. */
function templateDifferences({ name: database, isTemplate }: ObservedDatabase): readonly Difference[] {
  if (!isTemplate) return []
  const message = `database ${database} was a template, which every role that may create databases can copy`
  const changes = [{ kind: 'resetTemplate', database }] as const
  return [{ at: 'server', reason: 'TemplateDatabase', message, changes, isWished: true, isReported: true }]
}

/**
 * Databases that are kept for an undo belong to the owner role too. An owner can open them, make them templates, and
 * write their comments.
 */
function formerDifferences({ restore }: LogicalDatabase, observed: ObservedLogicalDatabase): readonly Difference[] {
  const { formers, token } = observed
  if (restore?.phase === 'Restoring') return []
  return formers
    .filter(({ ownerToken }) => ownerToken?.uid === token.uid)
    .flatMap((former): readonly Difference[] => {
      const { name: database, allowsConnections } = former
      const message = `database ${database}, which is kept for an undo, takes connections`
      const changes = [{ kind: 'allowConnections', database, allows: false }] as const
      const opened: Difference = { at: 'server', reason: 'PreviousOpened', message, changes }
      return [...templateDifferences(former), ...(allowsConnections ? [opened] : [])]
    })
}

/** A guest may pause its own DatabaseUser, so its rights are revoked here too, under any drift policy. */
function consentDifferences(
  { name: database, consents }: LogicalDatabase,
  observed: ObservedDatabase,
): readonly Difference[] {
  const { holders, owner, lockedOutSessions } = observed
  const on = { at: 'server', reason: 'ConsentWithdrawn', isWished: true, isReported: true } as const
  const namespaces = new Set(consents)
  const withdrawn = consents === undefined ? [] : holders.filter(({ token }) => isOutside(token, namespaces))
  const taken = withdrawn.map(({ role, token, grantors, privileges }): Difference => {
    const of = { schema: '', table: '', names: [database], privileges } as const
    return {
      ...on,
      takesFrom: role,
      message: `role ${role} of ${token?.holder} has rights in database ${database}, and spec.allowedNamespaces does not name its namespace`,
      changes: [
        ...(grantors.length === 0 ? [] : [{ kind: 'revokeMembership', role: owner, member: role, grantors } as const]),
        ...(privileges.length === 0 ? [] : [{ ...of, kind: 'revoke', role, on: 'Database' } as const]),
      ],
    }
  })
  const locked = `${lockedOutSessions} sessions in database ${database} are of roles that may not connect to it any more`
  const left = taken.length === 0 ? undefined : unmanagedMessage(observed)
  const notes = [...(left === undefined ? [] : [left]), ...(lockedOutSessions === 0 ? [] : [locked])]
  return [...taken, ...notes.map((message): Difference => ({ ...on, message, changes: [] }))]
}

function isOutside(token: Token | undefined, namespaces: ReadonlySet<string>): boolean {
  const namespace = namespaceOf(token)
  return namespace !== undefined && !namespaces.has(namespace)
}

function contentDifferences(
  { owner, schemas, extensions }: LogicalDatabase,
  contents: ObservedContents,
  server: ServerFacts,
): readonly Difference[] {
  const foundSchemas = new Map(contents.schemas.map((schema) => [schema.name, schema]))
  const foundExtensions = new Map(contents.extensions.map((extension) => [extension.name, extension]))
  const isOpen = foundSchemas.get('public')?.publicPrivileges.includes('CREATE') === true
  const open: Difference = {
    at: 'schemas',
    reason: 'PublicAccess',
    message: 'everybody may create objects in schema public',
    changes: [{ kind: 'hardenSchema', schema: 'public' }],
  }
  return [
    // Before PostgreSQL 15 a superuser owns this schema, and only superusers can revoke privileges on it.
    ...(isOpen && (server.majorVersion >= 15 || server.admin.isSuperuser) ? [open] : []),
    ...schemas.flatMap((schema) => schemaDifferences(schema, owner, foundSchemas.get(schema))),
    // Last, because an extension may belong in one of these schemas.
    ...extensions.flatMap((extension) => extensionDifferences(extension, foundExtensions.get(extension.name))),
  ]
}

function schemaDifferences(
  schema: string,
  owner: string,
  found: ObservedContents['schemas'][number] | undefined,
): readonly Difference[] {
  const on = { at: 'schemas' } as const
  if (found === undefined) {
    const changes = [{ kind: 'createSchema', schema, owner }] as const
    return [{ ...on, reason: 'SchemaMissing', message: `schema ${schema} is missing`, changes }]
  }
  if (found.owner === owner) return []
  const message = `schema ${schema} belongs to ${found.owner} instead of ${owner}`
  return [{ ...on, reason: 'SchemaOwnerChanged', message, changes: [{ kind: 'setSchemaOwner', schema, owner }] }]
}

function extensionDifferences(
  { name: extension, version, schema }: WantedExtension,
  found: ObservedContents['extensions'][number] | undefined,
): readonly Difference[] {
  const on = { at: 'extensions' } as const
  if (found === undefined) {
    const placed = { ...(version === undefined ? {} : { version }), ...(schema === undefined ? {} : { schema }) }
    const changes = [{ kind: 'createExtension', extension, ...placed }] as const
    return [{ ...on, reason: 'ExtensionMissing', message: `extension ${extension} is missing`, changes }]
  }
  const differences: Difference[] = []
  if (version !== undefined && found.version !== version) {
    const message = `extension ${extension} has version ${found.version} instead of ${version}`
    const changes = [{ kind: 'updateExtension', extension, version }] as const
    differences.push({ ...on, reason: 'ExtensionVersionChanged', message, changes })
  }
  if (schema !== undefined && found.schema !== schema) {
    const message = `extension ${extension} is in schema ${found.schema} instead of ${schema}`
    const changes = [{ kind: 'moveExtension', extension, schema }] as const
    differences.push({ ...on, reason: 'ExtensionSchemaChanged', message, changes })
  }
  return differences
}
