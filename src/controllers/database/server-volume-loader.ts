// Reads the volume and the pod of a server in the cluster, which the operator does not create itself. The volume may
// have to grow. The pod keeps serving while the StatefulSet is recreated for a larger volume.
import { type DatabaseSide, databaseVolumeName } from '../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import { childNamed, type ObserveContext, StatefulSet, valueAt } from '../../index.ts'
import { podCountsOf } from '../stateful-set/pod-counts.ts'
import { podProblemOf } from '../stateful-set/pod-problem.ts'
import {
  lacksStorageClass,
  loadClaims,
  loadPods,
  loadStorageClasses,
  type StatefulSetPlace,
} from '../stateful-set/stateful-set-loader.ts'
import { blockingPodOf } from '../stateful-set/stuck-rollout.ts'
import { growthOf } from '../stateful-set/volume-growth.ts'
import type { DatabaseObject } from './server-connection.ts'
import type { ServerVolume } from './server-volume.ts'

type Observing = Pick<ObserveContext<DatabaseSpec, DatabaseStatus>, 'object' | 'children' | 'live' | 'nowMs'>
type Storage = NonNullable<DatabaseSpec['provider']['inCluster']>['storage']

export async function loadServerVolume(
  { object, children, live, nowMs }: Observing,
  { storage: { size, storageClassName }, side }: { readonly storage: Storage; readonly side: DatabaseSide },
): Promise<ServerVolume> {
  const place = sidePlace(object, side)
  const [pods, claims] = await Promise.all([loadPods(live, place), loadClaims(live, place, databaseVolumeName)])
  const statefulSet = childNamed({ object, children }, StatefulSet, side.statefulSet)
  const storageClasses = await loadStorageClasses(live, claims)
  const trouble = podProblemOf(pods, nowMs)
  const blockingPod = blockingPodOf(pods, 1, nowMs)
  return {
    ...growthOf({ size, claims, storageClasses, statefulSet, successor: 'a new Database' }),
    hasStatefulSet: statefulSet !== undefined,
    pods: podCountsOf(pods),
    isOnLocalNode: pods.some((pod) => String(valueAt(pod, 'status', 'podIP') ?? '').startsWith('127.')),
    lacksClass: claims.length === 0 && (await lacksStorageClass(live, storageClassName)),
    ...(trouble === undefined ? {} : { trouble }),
    ...(blockingPod === undefined ? {} : { blockingPod }),
  }
}

export function sidePlace({ metadata: { namespace } }: DatabaseObject, side: DatabaseSide): StatefulSetPlace {
  return { namespace, name: side.statefulSet, labels: side.selectorLabels }
}
