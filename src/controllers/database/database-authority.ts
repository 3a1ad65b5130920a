// Ownership of a database by its markers. Invariant: whoever owns a database on the server, and so writes its comment, takes it neither from the
// Database that it was made for nor for another one. Pure.
import type { Token } from '../../index.ts'
import type { ObservedDatabase, ObservedRole } from '../engines/observed-server.ts'

export interface Markers {
  /** The Database that asks. */
  readonly token: Token
  /** As its status has it; undefined: it has none yet. */
  readonly recorded: string | undefined
  /** Of the database that is there. */
  readonly providerID: string
  readonly database: ObservedDatabase
  /** Of the name that the owner role of this database has. */
  readonly ownerRole: ObservedRole | undefined
}

export type Authority =
  | { readonly kind: 'known'; readonly owner: Token | undefined }
  /** The markers name two, and the status does not say which one is right. */
  | { readonly kind: 'disputed'; readonly message: string }

export function authorityOf({ token, recorded, providerID, database, ownerRole }: Markers): Authority {
  const [byRole, byDatabase] = [ownerRole?.token, database.token]
  const isRecorded = recorded === providerID
  if (byRole === undefined) {
    // Only the status proves then that the comment is right where it says what the asker wants to hear.
    const isClaim = byDatabase?.uid === token.uid
    return known(isClaim && !isRecorded ? undefined : byDatabase)
  }
  const isRoleOurs = byRole.uid === token.uid
  if (byDatabase !== undefined && byDatabase.uid !== byRole.uid) {
    return isRoleOurs && isRecorded ? known(byRole) : { kind: 'disputed', message: disputed(database, byRole) }
  }
  if (!isRoleOurs || byDatabase !== undefined || isRecorded) return known(byRole)
  // Between CREATE DATABASE and its comment; but not one that somebody else has made in the place of ours, or under another owner.
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
