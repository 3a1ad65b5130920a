// What should there be of a user on its server? The group role, who logs in as it, and what it may do where. Data only; it holds
// the passwords with which logins are tried, so that it must not be logged (I11).
import type { CustomGrant } from '../engines/grant.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'
import type { Credential, LoginRole } from './rotation.ts'

export interface RoleWish {
  readonly access: ServerAccess
  /** The DatabaseUser that wants it. */
  readonly caller: Caller
  /** The data folder that its Databases were seen on: a server that was put in its place gets no roles. */
  readonly systemIdentifier: string
  /** The role that holds the rights. */
  readonly group: string
  /** Who may log in as it; of its two names the one that is not listed is taken away. */
  readonly logins: readonly LoginRole[]
  /** What the Secret's reader logs in with, now or as soon as it has proved to work; undefined: nobody logs in. */
  readonly credential: Credential | undefined
  /** A login with it has succeeded: no need to try as long as the verifier can be seen to be the same. */
  readonly isVerified: boolean
  /** The former password may have leaked: its sessions end before the new one takes effect. Default: false. */
  readonly endsSessions?: boolean
  /** When a login was last to expire, if it was seen to be so; nothing but a reason for another look. */
  readonly lastExpiryMs?: number
  readonly canCreateDatabases: boolean
  readonly canReplicate: boolean
  /** -1: no limit. */
  readonly connectionLimit: number
  /** Further roles whose rights it has. */
  readonly memberOf: readonly string[]
  /** What its sessions begin with, in every database. */
  readonly settings: Readonly<Record<string, string>>
  readonly databases: readonly DatabaseAccess[]
  /** A consent was withdrawn: nobody logs in, and nothing else is changed until it is given again. */
  readonly isShutOut: boolean
  readonly ownedObjects: 'ReassignToOwner' | 'Block'
  /** What becomes of it when it goes; undefined: it stays. `disable`: nobody logs in any more, and its roles stay. */
  readonly ending: 'drop' | 'disable' | undefined
}

/** What it may do in one database. */
export interface DatabaseAccess {
  /** Its name on the server. */
  readonly name: string
  /** The uid of its Database, which the server has to confirm: names and numbers of servers are soon copied. */
  readonly uid: string
  /** The very one that its Database has now: in what a restore has put there, all has to be granted anew. */
  readonly oid?: number
  /** It was put there by a restore after its rights were last given: they are missing by nobody's hand. */
  readonly isRestored?: boolean
  /** The role that owns it, and makes what is in it. */
  readonly owner: string
  readonly access: 'ReadOnly' | 'ReadWrite' | 'Owner' | 'Custom'
  readonly schemas: readonly string[]
  readonly grants: readonly CustomGrant[]
}

/** Whoever is an owner makes things as the owner, so that all owners of a database can change them: in it, it is that role. */
export function sessionRoleOf({ group }: Pick<RoleWish, 'group'>, { access, owner }: DatabaseAccess): string {
  return access === 'Owner' ? owner : group
}
