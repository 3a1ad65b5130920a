// Which database is it about, may it be changed from here, and can it be reached? Read from a Database and what its connection is made
// of: what an order says of it, which keys a worker needs, and how the operator itself gets there. Pure.
import type { WorkerCredentials } from '../../../constructs/index.ts'
import { isBeingDeleted } from '../../index.ts'
import { moveOf } from '../database/moving.ts'
import { connectionSource, type DatabaseObject, type ServerConnection } from '../database/server-connection.ts'
import { databaseNameOf } from '../database-user/user-target.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import { authorityKey, credentialKeys, type OrderedDatabase } from './worker-order.ts'

export interface PlaceInput {
  readonly name: string
  /** Of its credentials, in a worker. */
  readonly folder: string
  readonly database: DatabaseObject | undefined
  readonly connection: ServerConnection | undefined
  /** May it be one that is being deleted, as long as it is there? */
  readonly mayLeave?: boolean
  /** May it be one on its move to another server? */
  readonly mayMove?: boolean
}

export interface Place {
  readonly kind: 'place'
  readonly ordered: OrderedDatabase
  readonly credentials: WorkerCredentials
  readonly access: ServerAccess
  /** Of its server, if it has been asked. */
  readonly systemIdentifier: string | undefined
}

/** `refused`: somebody has to change something. `waiting`: it comes by itself. */
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

/** Of a source: rows that are to be copied; or parts of a replication are there, which are to be removed; or nothing any more. */
export type Need = 'rows' | 'parts' | 'nothing'

/**
 * Where rows come from. Once all of them are there it may be unwell, on its move or gone (undefined); as long as it can be reached the order
 * speaks of it as before, so that no other worker is started. Of one that has parts of a replication it is waited for, as nobody would look for them
 * later; also while it is being deleted, which they may keep from its end.
 */
export function sourceOf(input: PlaceInput, need: Need): Place | Problem | undefined {
  const { folder, database, connection } = input
  if (need === 'rows') return placeOf(input)
  if (database === undefined) return undefined
  if (need === 'parts') return placeOf({ ...input, mayLeave: true })
  return connection?.kind === 'known' ? knownPlace({ folder, database, access: connection.access }) : undefined
}

/** Of a server that is there, whatever becomes of the database on it. */
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
