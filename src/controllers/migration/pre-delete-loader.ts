// Loads the cluster's state for the pre-delete work of a migration: both servers of each replication, and the report of
// the worker.
// It ignores the steps, which may be invalid.
import { Database } from '../../../imports/wire/database.ts'
import type { MigrationSpec, MigrationStatus } from '../../../imports/wire/migration.ts'
import { isBeingDeleted, Namespace, type ObserveContext } from '../../index.ts'
import { type ConnectionReader, loadConnection } from '../database/connection-loader.ts'
import { moveOf } from '../database/moving.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { ReferencePolicy } from '../references/reference-policy.ts'
import { type MigrationObject, orderOf, workerOf } from './desired-worker.ts'
import type { ObservedMarks } from './mark-driver.ts'
import { knownPlace, type Place, type Problem } from './migration-place.ts'
import { followedBy, heldBy, isFree, type PreDeleteFacts, preDeleteAttempt, reached } from './migration-pre-delete.ts'
import { loadRun } from './run-loader.ts'

type Observing = ObserveContext<MigrationSpec, MigrationStatus>

export interface MigrationSurroundings {
  /** Markers when they were last read. */
  readonly seen: ObservedMarks | undefined
  /** Policy of the operator for references in a Database. */
  readonly policy: ReferencePolicy
}

export async function loadPreDelete(
  context: Observing,
  { seen, policy }: MigrationSurroundings,
): Promise<PreDeleteFacts> {
  const { live, children, nowMs } = context
  const object = context.object as MigrationObject // The CRD requires a spec.
  const { namespace: home = 'default' } = object.metadata
  const followed = followedBy(object, { record: seen?.record ?? [], children })
  if (isFree(object, followed)) {
    const isDone = object.status?.phase === 'Parted'
    return { kind: 'free', abandoned: isDone ? [] : followed }
  }
  const target = await loadPlace({ live, policy }, { home, name: object.spec.databaseRef.name, folder: 'target' })
  if (target.kind !== 'place') {
    // No object can be created in a namespace that is being deleted, so the wait would never end.
    const namespace = await live.find(Namespace, { name: home })
    const isLost = namespace === undefined || isBeingDeleted(namespace)
    return isLost ? { kind: 'free', abandoned: followed } : heldBy(target, followed)
  }
  const names = [...new Set(followed.map(({ source }) => source.slice(home.length + 1)))]
  const sources = await Promise.all(
    names.map((name, at) => loadPlace({ live, policy }, { home, name, folder: `source-${at + 1}` })),
  )
  const moving = sources.find((place) => place.kind !== 'place' && place.reason === 'DatabaseMoving')
  if (moving !== undefined && moving.kind !== 'place') return heldBy(moving, followed)
  const places = { target, sources: reached(sources), parting: preDeleteAttempt(object, nowMs) }
  const worker = workerOf(object, orderOf(object, []), places)
  return { kind: 'worker', worker, run: await loadRun(context, worker.name) }
}

interface PlaceAsk {
  readonly home: string
  readonly name: string
  readonly folder: string
}

/** Accepts a Database that is being deleted or is unavailable: the worker finds out what exists. */
async function loadPlace(
  { live, policy }: ConnectionReader,
  { home, name, folder }: PlaceAsk,
): Promise<Place | Problem> {
  const waiting = (reason: string, message: string): Problem => ({ kind: 'waiting', reason, message })
  const found = await live.find(Database, { namespace: home, name })
  if (found === undefined) return waiting('DatabaseMissing', `there is no Database ${name}`)
  const database = found as DatabaseObject // The CRD requires a spec.
  const move = moveOf(database.status)
  if (move !== undefined) return waiting('DatabaseMoving', `Database ${name} ${move}`)
  const connection = await loadConnection(database, { live, policy })
  if (connection.kind !== 'known') return waiting(connection.reason, `Database ${name}: ${connection.message}`)
  return knownPlace({ folder, database, access: connection.access })
}
