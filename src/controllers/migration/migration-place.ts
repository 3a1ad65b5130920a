// Database of a migration, as target or source: its entry in an order, the credentials for a worker, and the operator's
// own access. Or the problem that prevents its use. Read from a Database and its connection. Pure.
import type { WorkerCredentials } from '../../../constructs/index.ts'
import { isBeingDeleted } from '../../index.ts'
import { moveOf } from '../database/moving.ts'
import { connectionSource, type DatabaseObject, type ServerConnection } from '../database/server-connection.ts'
import { databaseNameOf } from '../database-user/user-target.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import { authorityKey, credentialKeys, type OrderedDatabase } from './worker-order.ts'

export interface PlaceInput {
  readonly name: string
  /** Folder of its credentials in a worker. */
  readonly folder: string
  readonly database: DatabaseObject | undefined
  readonly connection: ServerConnection | undefined
  /** Accepts a Database that is being deleted. */
  readonly mayLeave?: boolean
  /** Accepts a Database that moves to another server. */
  readonly mayMove?: boolean
}

export interface Place {
  readonly kind: 'place'
  readonly ordered: OrderedDatabase
  readonly credentials: WorkerCredentials
  readonly access: ServerAccess
  /** System identifier of its server; undefined before the first observation. */
  readonly systemIdentifier: string | undefined
}

/** `refused`: a user must change the spec or the Database. `waiting`: resolves without a change. */
export interface Problem {
  readonly kind: 'refused' | 'waiting'
  readonly reason: string
  readonly message: string
}

export function placeOf({
  name,
  folder,
  database,
  connection,
  mayLeave = false,
  mayMove = false,
}: PlaceInput): Place | Problem {
  if (database === undefined) return waiting('DatabaseMissing', `there is no Database ${name}`)
  if (isBeingDeleted(database) && !mayLeave) return waiting('DatabaseNotReady', `Database ${name} is being deleted`)
  if (connection?.kind !== 'known') {
    const { reason = 'DatabaseNotReady', message = 'it has not been looked at yet' } = connection ?? {}
    return waiting(reason, `Database ${name}: ${message}`)
  }
  const { phase = 'Pending', identity, conditions = [] } = database.status ?? {}
  const move = moveOf(database.status) ?? (phase === 'Upgrading' ? 'is saved before it moves' : undefined)
  if (move !== undefined && !mayMove)
    return waiting('DatabaseMoving', `Database ${name} ${move}; it is its turn again afterwards`)
  const isUsable =
    (mayMove && phase === 'Upgrading') ||
    phase === 'Ready' ||
    phase === 'Configuring' ||
    (mayLeave && phase === 'Deleting')
  if (identity?.systemIdentifier === undefined || !isUsable) {
    const ready = conditions.find(({ type }) => type === 'Ready')
    return waiting('DatabaseNotReady', `Database ${name} is not ready: ${ready?.message || 'it is not there yet'}`)
  }
  return knownPlace({ folder, database, access: connection.access })
}

/** Use of a source: `rows` to copy, `parts` of a replication to remove, or `nothing`. */
export type Need = 'rows' | 'parts' | 'nothing'

/**
 * Returns the source of a copy; undefined if the source is missing and no rows are needed.
 *
 * - `nothing`: the source may be unready, moving or missing. A reachable source stays in the order, because a changed
 *   order would start another worker.
 * - `parts`: the source must become ready, because no later run removes the parts. A source that is being deleted
 *   counts too, because the parts can block its deletion.
 */
export function sourceOf(input: PlaceInput, need: Need): Place | Problem | undefined {
  const { folder, database, connection } = input
  if (need === 'rows') return placeOf(input)
  if (database === undefined) return undefined
  if (need === 'parts') return placeOf({ ...input, mayLeave: true })
  return connection?.kind === 'known' ? knownPlace({ folder, database, access: connection.access }) : undefined
}

/** Returns the place of a database on a known server, regardless of the Database's phase. */
export function knownPlace({
  folder,
  database,
  access,
}: {
  readonly folder: string
  readonly database: DatabaseObject
  readonly access: ServerAccess
}): Place {
  const { metadata } = database
  const { dial, tls, maintenanceDatabase, ca } = access
  const source = connectionSource(database)
  const secret = source?.secret ?? ''
  const authority = source?.caSecret ?? { name: secret, key: authorityKey }
  const inside = databaseNameOf(database)
  return {
    kind: 'place',
    ordered: {
      ...{ name: `${metadata.namespace}/${metadata.name}`, folder, database: inside },
      ...{ owner: `${inside}_owner`, maintenanceDatabase, tls },
      hasAuthority: ca !== undefined,
      ...(dial === undefined ? {} : { dial }),
    },
    credentials: {
      folder,
      files: [
        ...credentialKeys.map((key) => ({ secret, key, file: key })),
        ...(ca === undefined ? [] : [{ secret: authority.name, key: authority.key, file: authorityKey }]),
      ],
    },
    access,
    systemIdentifier: database.status?.identity?.systemIdentifier,
  }
}

function waiting(reason: string, message: string): Problem {
  return { kind: 'waiting', reason, message }
}
