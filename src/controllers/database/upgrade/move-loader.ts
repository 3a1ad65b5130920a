// Reads the state of a move's work, step by step: the Backup before it, the schema worker, and a volume that has to be
// deleted. Watched kinds come from the cache.
import { type DatabaseSide, databaseServerNames } from '../../../../constructs/index.ts'
import { Backup } from '../../../../imports/wire/backup.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import {
  childNamed,
  Job,
  type ObserveContext,
  PersistentVolumeClaim,
  Pod,
  type SagaRecord,
  Service,
} from '../../../index.ts'
import { workerRun } from '../../migration/worker-run.ts'
import type { SideOrder } from '../../upgrade/new-side.ts'
import { createSnapshot, migrateData, provisionNew, replicate } from '../../upgrade/upgrade-world.ts'
import type { DatabaseFacts } from '../database-facts.ts'
import { backupBefore, ownBackupState } from '../own-backup.ts'
import type { ServerConnection } from '../server-connection.ts'
import { movingSides } from '../server-sides.ts'
import type { MoveFacts } from './move-facts.ts'
import { loadOthers } from './others-loader.ts'
import { isPreparing, prepareJob } from './prepare-job.ts'
import { accessIn, methodOf, orderOf } from './upgrade-resource.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>

interface Move {
  readonly record: SagaRecord
  readonly connection: ServerConnection
  readonly beside: DatabaseFacts['beside']
}

/** Returns the facts of a move in progress. */
export async function loadMove(context: Observing, move: Move): Promise<MoveFacts> {
  const { metadata } = context.object
  const { record } = move
  const { next } = movingSides(metadata.name, record)
  const snapshot = await loadSnapshot(context, record)
  const isNew = isDue(record, provisionNew) && !context.children.some((child) => isPreparing(child, metadata.name))
  const others = isNew ? await loadOthers(context) : []
  const prepare = others.length > 0 ? undefined : await loadPrepare(context, move, next)
  const hasNextClaim = await isThere(context, next.volumeClaim)
  return {
    ...{ hasNextClaim, others },
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(prepare === undefined ? {} : { prepare }),
  }
}

async function loadSnapshot({ object, live }: Observing, record: SagaRecord): Promise<MoveFacts['snapshot']> {
  const { snapshot, to } = record.input
  if (snapshot === 'Skip' || !isDue(record, createSnapshot)) return undefined
  const backup = backupBefore(object, to ?? '')
  if (backup === undefined) {
    return { backup, standing: { kind: 'failed', message: 'spec.snapshotTarget, where it was to be kept, is gone' } }
  }
  const { namespace } = object.metadata
  return { backup, standing: ownBackupState(object, await live.find(Backup, { namespace, name: backup.name })) }
}

async function loadPrepare(
  family: Observing,
  { record, connection, beside }: Move,
  next: DatabaseSide,
): Promise<MoveFacts['prepare']> {
  const rows = rowsDue(record)
  if (!isDue(record, provisionNew) && rows === undefined) return undefined
  const { object, live, nowMs } = family
  const { uid, namespace, name } = object.metadata
  const { old } = movingSides(name, record)
  const accessOf = ({ sideService }: DatabaseSide) => accessIn(connection, childNamed(family, Service, sideService))
  const [from, to] = [accessOf(old), accessOf(next)]
  if (from === undefined || to === undefined) return undefined
  const order = orderOf({ object, input: record.input, token: `${uid}/${record.name}/${record.id}` })
  const side = rows === undefined ? order : { ...order, holds: rows }
  const job = prepareJob({ side, old: from, next: to, adminSecret: databaseServerNames(name).adminSecret })
  const found = childNamed(family, Job, job.name)
  // A new Job waits for a ready server. An existing Job stays while the server restarts, because it has further tries.
  if (found === undefined && (beside?.volume.pods.readyReplicas ?? 0) === 0) return undefined
  const pods = found === undefined ? [] : await live.list(Pod, { namespace, labels: job.labels })
  return {
    job,
    run: workerRun(
      found,
      pods.filter((pod) => isOfJob(pod.metadata.labels, job.name)),
      nowMs,
    ),
  }
}

/**
 * Returns how a dump fills the target server: after writes to the source have stopped, or with changes that follow.
 * Undefined if no dump is needed now.
 */
function rowsDue(record: SagaRecord): SideOrder['holds'] {
  if (methodOf(record) === 'Dump') return isDue(record, migrateData) ? 'rows' : undefined
  return isDue(record, replicate) ? 'followingRows' : undefined
}

function isOfJob(labels: Readonly<Record<string, string>> | undefined, job: string): boolean {
  return labels?.['batch.kubernetes.io/job-name'] === job
}

async function isThere({ object, live }: Observing, name: string): Promise<boolean> {
  const { namespace } = object.metadata
  return (await live.find(PersistentVolumeClaim, { namespace, name })) !== undefined
}

function isDue({ state, steps }: SagaRecord, step: string): boolean {
  return state === 'Running' && steps.some(({ name, state: at }) => name === step && at === 'Running')
}
