// What is there of the servers that a Database has in the cluster? Their StatefulSets, pods and volumes, read from memory.
import type { DatabaseSide } from '../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import {
  isOf,
  type LiveObject,
  type ObserveContext,
  PersistentVolumeClaim,
  type SagaRecord,
  StatefulSet,
} from '../../index.ts'
import { templateSizeOf } from '../stateful-set/volume-growth.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { movingSides, type SideClaim, serverSides, upgradeName } from './server-sides.ts'
import { loadServerVolume } from './server-volume-loader.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>
type Storage = NonNullable<DatabaseSpec['provider']['inCluster']>['storage']
type SideFacts = Pick<DatabaseFacts, 'sides' | 'serverVolume' | 'beside' | 'images'>

export async function loadSides(
  context: Observing,
  storage: Storage,
): Promise<SideFacts & { readonly record: SagaRecord | undefined }> {
  const { object, children, nowMs } = context
  const record = context.sagas.find(({ name }) => name === upgradeName)?.record
  const sides = serverSides({ object, record, previousClaim: await loadPreviousClaim(context, record), nowMs })
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
            templateSize: templateSizeOf(statefulSetOf(children, beside.side)),
          },
        }),
    images: Object.fromEntries(others.flatMap((side) => imageOf(children, side))),
  }
}

/** The volume of the server that served before; nothing is asked where there was none. */
async function loadPreviousClaim(context: Observing, record: SagaRecord | undefined): Promise<SideClaim> {
  if (record?.state !== 'Completed') return 'gone'
  return await loadSideClaim(context, movingSides(context.object.metadata.name, record).old)
}

export async function loadSideClaim(
  { object: { metadata }, live }: Pick<Observing, 'object' | 'live'>,
  { volumeClaim: name }: DatabaseSide,
): Promise<SideClaim> {
  const claim = await live.find(PersistentVolumeClaim, { namespace: metadata.namespace, name })
  if (claim === undefined) return 'gone'
  return claim.metadata.ownerReferences?.some(({ kind }) => kind === StatefulSet.kind) === true ? 'owned' : 'kept'
}

function imageOf(children: readonly LiveObject[], side: DatabaseSide): readonly (readonly [string, string])[] {
  // Sound: the API server validates StatefulSets.
  const spec = statefulSetOf(children, side)?.spec as PodTemplated | undefined
  const image = spec?.template.spec.containers[0]?.image
  return image === undefined ? [] : [[side.statefulSet, image]]
}

function statefulSetOf(children: readonly LiveObject[], { statefulSet }: DatabaseSide): LiveObject | undefined {
  return children.find((child) => isOf(StatefulSet, child) && child.metadata.name === statefulSet)
}

interface PodTemplated {
  readonly template: { readonly spec: { readonly containers: readonly { readonly image?: string }[] } }
}
