// Desired roles of a user on its server: group role, logins and privileges. Data only.
// Invariant: it contains passwords for login tests, so it must not be logged (I11).
import type { CustomGrant } from '../engines/grant.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'
import type { Credential, LoginRole } from './rotation.ts'

export interface DesiredRole {
  readonly access: ServerAccess
  /** DatabaseUser that the roles are for. */
  readonly caller: Caller
  /** System identifier of its Databases' server: another server at the same address gets no roles. */
  readonly systemIdentifier: string
  /** Role with the privileges. */
  readonly group: string
  /** Desired login roles; the other one of the two names is removed. */
  readonly logins: readonly LoginRole[]
  /** Credential of the Secret, current or next; undefined if no login is desired. */
  readonly credential: Credential | undefined
  /** A login with it succeeded: no further test while the verifier is visibly unchanged. */
  readonly isVerified: boolean
  /** The former password may have leaked: its sessions end before the new one takes effect. Default: false. */
  readonly endsSessions?: boolean
  /** Last observed expiry of a login; it only triggers another observation. */
  readonly lastExpiryMs?: number
  readonly canCreateDatabases: boolean
  readonly canReplicate: boolean
  /** -1: no limit. */
  readonly connectionLimit: number
  /** Additional roles whose privileges it gets. */
  readonly memberOf: readonly string[]
  /** Default settings of its sessions, in all databases. */
  readonly settings: Readonly<Record<string, string>>
  readonly databases: readonly DatabaseAccess[]
  /** A Database withdrew its consent: no login, and no other change until the consent returns. */
  readonly isShutOut: boolean
  readonly ownedObjects: 'ReassignToOwner' | 'Block'
  /** Removal of the roles; undefined: none. `disable`: they stay without login. */
  readonly ending: 'drop' | 'disable' | undefined
}

/** Desired privileges in one database. */
export interface DatabaseAccess {
  /** Name on the server. */
  readonly name: string
  /** Uid of its Database, which the server must confirm: names and identifiers of servers are easily copied. */
  readonly uid: string
  /** Current oid of its Database: after a restore all privileges are granted again. */
  readonly oid?: number
  /** A restore replaced it since privileges were granted: missing ones are no drift. */
  readonly isRestored?: boolean
  /** Role that owns the database and creates its objects. */
  readonly owner: string
  readonly access: 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'
  readonly schemas: readonly string[]
  readonly grants: readonly CustomGrant[]
}

/** With access Owner, sessions run as the owner role, so that all owners can change each object. */
export function sessionRoleOf({ group }: Pick<DesiredRole, 'group'>, { access, owner }: DatabaseAccess): string {
  return access === 'Owner' ? owner : group
}
