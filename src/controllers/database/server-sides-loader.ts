// Reads the StatefulSets, pods and volumes of a Database's servers in the cluster, from the cache.
import { type DatabaseSide, laterDatabaseSide } from '../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import {
  childNamed,
  type InvalidSpec,
  isBeingDeleted,
  type LiveObject,
  type ObserveContext,
  PersistentVolumeClaim,
  type SagaRecord,
  StatefulSet,
} from '../../index.ts'
import { isOwnedClaim } from '../stateful-set/claim-retention.ts'
import { templateSizeOf } from '../stateful-set/volume-growth.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { passwordLost } from './server-secrets.ts'
import { movingSides, type SideClaim, servedSide, serverSides, upgradeName } from './server-sides.ts'
import { loadServerVolume } from './server-volume-loader.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>
type Storage = NonNullable<DatabaseSpec['provider']['inCluster']>['storage']
type SideFacts = Pick<DatabaseFacts, 'sides' | 'serverVolume' | 'beside' | 'images'>

export async function loadSides(
  context: Observing,
  { storage, begunWith }: { readonly storage: Storage; readonly begunWith: DatabaseSide | undefined },
): Promise<SideFacts & { readonly record: SagaRecord | undefined }> {
  const { object, nowMs } = context
  const record = context.sagas.find(({ name }) => name === upgradeName)?.record
  const previousClaim = await loadPreviousClaim(context, record)
  const sides = serverSides({ object, record, previousClaim, begunWith, nowMs })
  const { serving, beside } = sides
  const volumeOf = (side: DatabaseSide) => loadServerVolume(context, { storage, side })
  const others = [serving, ...(beside === undefined ? [] : [beside.side])].filter(
    ({ version }) => version !== object.spec.version,
  )
  return {
    record,
    sides,
    serverVolume: await volumeOf(serving),
    ...(beside === undefined
      ? {}
      : {
          beside: {
            volume: await volumeOf(beside.side),
            templateSize: templateSizeOf(statefulSetOf(context, beside.side)),
          },
        }),
    images: Object.fromEntries(others.flatMap((side) => imageOf(context, side))),
  }
}

/**
 * Returns the first server of a Database: the one with the default name, or the one whose volume an earlier Database
 * has retained.
 */
export async function loadBeginning(context: Observing, hasPassword: boolean): Promise<Beginning> {
  const { object } = context
  const { side, refusal } = await loadFirst(context)
  if (refusal !== undefined || hasPassword || isBeingDeleted(object)) return { side, refusal }
  const isLost = (await loadSideClaim(context, side)) !== 'gone'
  return { side, refusal: isLost ? passwordLost(object.metadata.name, side.volumeClaim) : undefined }
}

export interface Beginning {
  readonly side: DatabaseSide
  /** Reason that no server starts. */
  readonly refusal: InvalidSpec | undefined
}

async function loadFirst(context: Observing): Promise<Beginning> {
  const { object } = context
  const first = servedSide(object)
  const begins = (side: DatabaseSide, refusal?: InvalidSpec): Beginning => ({ side, refusal })
  if (object.status?.server !== undefined || statefulSetOf(context, first) !== undefined) return begins(first)
  const moved = laterDatabaseSide(object.metadata.name, first.version)
  if (statefulSetOf(context, moved) !== undefined) return begins(moved)
  if (isBeingDeleted(object) || (await loadSideClaim(context, moved)) !== 'kept') return begins(first)
  if ((await loadSideClaim(context, first)) === 'gone') return begins(moved)
  const message =
    `the volume claims ${first.volumeClaim} and ${moved.volumeClaim} are both there, and it cannot be told which of them the database is on; ` +
    'delete the one that nobody needs'
  return begins(first, { reason: 'VolumeInUse', message })
}

/** Returns the state of the previous server's volume. Without a completed move it reads nothing. */
async function loadPreviousClaim(context: Observing, record: SagaRecord | undefined): Promise<SideClaim> {
  if (record?.state !== 'Completed') return 'gone'
  return await loadSideClaim(context, movingSides(context.object.metadata.name, record).old)
}

export async function loadSideClaim(
  { object: { metadata }, live }: Pick<Observing, 'object' | 'live'>,
  { volumeClaim: name }: DatabaseSide,
): Promise<SideClaim> {
  const claim = await live.find(PersistentVolumeClaim, { namespace: metadata.namespace, name })
  if (claim === undefined || isBeingDeleted(claim)) return 'gone'
  return isOwnedClaim(claim) ? 'owned' : 'kept'
}

function imageOf(context: Observing, side: DatabaseSide): readonly (readonly [string, string])[] {
  // Safe: the API server validates StatefulSets.
  const spec = statefulSetOf(context, side)?.spec as PodTemplated | undefined
  const image = spec?.template.spec.containers[0]?.image
  return image === undefined ? [] : [[side.statefulSet, image]]
}

function statefulSetOf(context: Observing, { statefulSet }: DatabaseSide): LiveObject | undefined {
  return childNamed(context, StatefulSet, statefulSet)
}

interface PodTemplated {
  readonly template: { readonly spec: { readonly containers: readonly { readonly image?: string }[] } }
}
