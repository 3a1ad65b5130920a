// Decides the next step of a restore. Only the server tells: which of its databases exist, whose they are, and who owns
// the copy. So a worker continues after a crash, and does nothing after the end. Pure.
//
//   nothing ──► copy owned by the restoring role ──► verified copy owned by the owner ──► live, marked
//      ▲                        │ a worker died
//      └────────────────────────┘
import { isMarkedFor } from '../engines/mark-agreement.ts'
import type { ObservedDatabase, ObservedRole, ServerObservation } from '../engines/observed-server.ts'
import { forWhom } from '../engines/server-access.ts'
import { BackupError, type BackupErrorCode } from './backup-error.ts'
import { nameTaken } from './name-taken.ts'
import { namesOf, type RestoreOrder } from './restore-order.ts'

export type RestoreStep =
  /** Makes the copy. An existing copy is a dead worker's. */
  | { readonly kind: 'restore'; readonly live: ObservedDatabase | undefined }
  | { readonly kind: 'swap'; readonly live: ObservedDatabase | undefined; readonly beside: ObservedDatabase }
  | { readonly kind: 'done'; readonly live: ObservedDatabase; readonly former: ObservedDatabase | undefined }
  | { readonly kind: 'refused'; readonly error: BackupError }

export function nextRestoreStep(order: RestoreOrder, observed: ServerObservation): RestoreStep {
  const names = namesOf(order)
  const { uid } = order.database
  const [live, beside, former] = [names.live, names.beside, names.former].map((name) => databaseOf(observed, name))
  const role = observed.roles.find(({ name }) => name === names.beside)
  if (live?.succession?.request === order.requestId && live.token?.uid === uid) return { kind: 'done', live, former }
  const others = [beside, former].find((found) => found !== undefined && !isOurs(found, uid))
  if (others !== undefined) return { kind: 'refused', error: nameTaken('database', others.name) }
  if (role !== undefined && role.token?.uid !== uid) {
    return { kind: 'refused', error: nameTaken('role', role.name) }
  }
  const error =
    rejectionOfLive(order, observed, live) ??
    rejectionOfReplication(live) ??
    rejectionOfOwner(order, observed) ??
    rejectionOfFormer(order, former)
  if (error !== undefined) return { kind: 'refused', error }
  if (beside !== undefined && !beside.isInvalid && beside.owner === order.database.owner) {
    return { kind: 'swap', live, beside }
  }
  if (order.source.kind === 'former') return { kind: 'refused', error: previousGone(names.beside) }
  return { kind: 'restore', live }
}

/** The owner has the token from its creation on. */
export function isOurs(database: ObservedDatabase, uid: string): boolean {
  return isMarkedFor(database, uid)
}

function databaseOf({ databases }: ServerObservation, name: string): ObservedDatabase | undefined {
  return databases.find((found) => found.name === name)
}

function rejectionOfLive(
  { replaces, database }: RestoreOrder,
  { server }: ServerObservation,
  live: ObservedDatabase | undefined,
): BackupError | undefined {
  const name = JSON.stringify(database.databaseName)
  if (replaces === undefined) {
    if (live === undefined) return undefined
    return rejected(
      'DatabaseExists',
      `database ${name} exists; a backup is restored to where there is none, or in place`,
    )
  }
  if (live === undefined) {
    return rejected('SourceIdentityChanged', `there is no database ${name}, so that nothing can take its place`)
  }
  const isSame = server.systemIdentifier === replaces.systemIdentifier && live.oid === replaces.databaseOid
  if (isSame && isOurs(live, database.uid)) return undefined
  const whose = isSame
    ? `was not made for Database ${database.name}${forWhom(live.token)}`
    : 'is another one than it was'
  return rejected('SourceIdentityChanged', `database ${name} ${whose}, and is not replaced`)
}

/**
 * Rejects a live database with replication. That would stay with the replaced database, to which no client can connect.
 * This server or the publisher would keep its log until the disk is full. A database with a subscription cannot be
 * dropped.
 */
function rejectionOfReplication(live: ObservedDatabase | undefined): BackupError | undefined {
  if (live === undefined || live.replication.length === 0) return undefined
  const has = `database ${JSON.stringify(live.name)} has ${live.replication.join(', ')}`
  const advice = 'end that replication and drop it first, ask with another id, and begin it again afterwards'
  return rejected('NotMovable', `${has}, which does not go over to what takes its place: ${advice}`)
}

/** Rejects an owner that was not made for this Database. If no database is replaced, the owner may be missing. */
function rejectionOfOwner({ database, replaces }: RestoreOrder, { roles }: ServerObservation): BackupError | undefined {
  const owner = roles.find(({ name }) => name === database.owner)
  if (owner === undefined || replaces !== undefined) return undefined
  return isRoleOurs(owner, database.uid) ? undefined : nameTaken('role', owner.name)
}

function isRoleOurs({ token }: ObservedRole, uid: string): boolean {
  return token?.uid === uid
}

function rejectionOfFormer({ requestId }: RestoreOrder, former: ObservedDatabase | undefined): BackupError | undefined {
  if (former === undefined) return undefined
  const message = `database ${JSON.stringify(former.name)} is there from an earlier request ${JSON.stringify(requestId)}; choose another id`
  return rejected('NameTaken', message)
}

function previousGone(name: string): BackupError {
  return rejected(
    'PreviousGone',
    `database ${JSON.stringify(name)} is not kept any more, so that nothing can be undone`,
  )
}

function rejected(code: BackupErrorCode, message: string): BackupError {
  return new BackupError({ code, message, remedy: 'stop' })
}
