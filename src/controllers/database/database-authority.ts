// Ownership of a database by its markers. The owner of a database on the server can write its comment. Invariant:
// thereby the owner neither takes the database from its Database nor claims it for another one. Pure.
import type { Token } from '../../index.ts'
import type { ObservedDatabase, ObservedRole } from '../engines/observed-server.ts'

export interface Markers {
  /** Token of the Database that asks. */
  readonly token: Token
  /** Provider ID in its status; undefined if the status has none yet. */
  readonly recorded: string | undefined
  /** Provider ID of the existing database. */
  readonly providerID: string
  readonly database: ObservedDatabase
  /** Role with the name of this database's owner role. */
  readonly ownerRole: ObservedRole | undefined
}

export type Authority =
  | { readonly kind: 'known'; readonly owner: Token | undefined }
  /** The markers name two Databases, and the status does not confirm one. */
  | { readonly kind: 'disputed'; readonly message: string }

export function authorityOf({ token, recorded, providerID, database, ownerRole }: Markers): Authority {
  const [byRole, byDatabase] = [ownerRole?.token, database.token]
  const isRecorded = recorded === providerID
  if (byRole === undefined) {
    // Without a marker on the role, a comment that names the asking Database counts only if the status confirms it.
    const isClaim = byDatabase?.uid === token.uid
    return known(isClaim && !isRecorded ? undefined : byDatabase)
  }
  const isRoleOurs = byRole.uid === token.uid
  if (byDatabase !== undefined && byDatabase.uid !== byRole.uid) {
    return isRoleOurs && isRecorded ? known(byRole) : { kind: 'disputed', message: disputed(database, byRole) }
  }
  if (!isRoleOurs || byDatabase !== undefined || isRecorded) return known(byRole)
  // Interrupted between CREATE DATABASE and its comment. A replacement by another creator or owner does not count.
  const isFresh = recorded === undefined && database.owner === ownerRole?.name
  return known(isFresh ? byRole : undefined)
}

function known(owner: Token | undefined): Authority {
  return { kind: 'known', owner }
}

function disputed({ name, token }: ObservedDatabase, byRole: Token): string {
  const [ofDatabase, ofRole] = [token, byRole].map((mark) => mark?.holder ?? `uid ${mark?.uid}`)
  return (
    `database ${name}: its comment names ${ofDatabase} and the comment of its owner role names ${ofRole}; the owner of a database can write ` +
    `its comment, so neither is believed and nothing is changed. Run COMMENT ON DATABASE "${name}" IS NULL if ${ofRole} is right`
  )
}
