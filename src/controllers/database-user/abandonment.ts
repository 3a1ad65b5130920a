// Abandonment of a DatabaseUser: its deletion leaves its roles, which can still log in. Invariant: it is allowed only
// if all servers and databases of its roles belong to Databases of its own namespace. A user of another namespace would
// keep a login that the Database's namespace can no longer withdraw. Pure.
import type { DatabaseUserStatus } from '../../../imports/wire/database-user.ts'
import { abandonAnnotation, type LiveObject } from '../../index.ts'
import { databaseNameOf, type Found } from './user-target.ts'

export type Abandonment =
  /** `place`: address of the server, e.g. `db.example:5432`, if known. */
  | { readonly kind: 'allowed'; readonly place?: string }
  /** `message`: the reason and the remedy. */
  | { readonly kind: 'refused'; readonly message: string }

export interface AbandonmentInput {
  readonly object: LiveObject<unknown, DatabaseUserStatus>
  readonly found: readonly Pick<Found, 'entry' | 'database'>[]
  /** Name of the roles' journal entry in `status.external`. */
  readonly recordName: string
}

export function abandonmentOf({ object: { metadata, status }, found, recordName }: AbandonmentInput): Abandonment {
  const guest = found.find(({ entry }) => entry.namespace !== undefined && entry.namespace !== metadata.namespace)
  if (guest !== undefined) return rejected(`Database ${guest.entry.namespace}/${guest.entry.name}`)
  const own = found.flatMap(({ database }) => database ?? [])
  const servers = own.flatMap(({ status: known }) => known?.identity?.systemIdentifier ?? [])
  const providerID = status?.external?.find(({ name }) => name === recordName)?.providerID
  const isOnOwn = providerID === undefined || servers.some((server) => providerID.startsWith(`pg://${server}/`))
  if (!isOnOwn) return rejected(`the Database of the server ${providerID}`)
  // The spec may have changed; the status lists the databases in which the roles have rights.
  const names = own.map(databaseNameOf)
  const other = status?.grantedIn?.find(({ database }) => !names.includes(database))
  if (other !== undefined) return rejected(`the Database of ${other.database}`)
  const [endpoint] = own.flatMap(({ status: known }) => known?.endpoint ?? [])
  return endpoint === undefined ? { kind: 'allowed' } : { kind: 'allowed', place: `${endpoint.host}:${endpoint.port}` }
}

function rejected(database: string): Abandonment {
  const message = `the annotation ${abandonAnnotation} does not count, because spec.databases of this namespace does not cover ${database}, where its roles could still log in; remove the annotation, or abandon that Database`
  return { kind: 'refused', message }
}
