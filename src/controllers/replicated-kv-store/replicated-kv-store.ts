// The controller of ReplicatedKVStore, as anybody could write it with the public door: which kinds it makes and looks at, and
// the functions that say what should be and how it stands.
import { KvCluster, kvClusterProps, kvSelectorLabel } from '../../../constructs/index.ts'
import {
  ReplicatedKVStore,
  type ReplicatedKVStoreSpec,
  type ReplicatedKVStoreStatus,
} from '../../../imports/wire/replicated-kv-store.ts'
import {
  defineController,
  isOf,
  type KubeObject,
  keyFor,
  type LiveReader,
  type ObserveContext,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
} from '../../index.ts'
import { type KvStoreFacts, retentionNote, unusedClaimsOf } from './kv-store-facts.ts'
import { kvStoreStatus } from './kv-store-status.ts'
import { podTroubleOf, troubleOf } from './pod-trouble.ts'
import { blockingPodOf, stuckRolloutRepair } from './stuck-rollout.ts'

export const replicatedKvStore = defineController(ReplicatedKVStore, {
  owns: [
    StatefulSet,
    { resource: Service, statusMatters: false },
    { resource: PodDisruptionBudget, statusMatters: false },
    ServiceAccount,
  ],
  indexes: { storageClassName: ({ spec }) => (spec.storageClassName === undefined ? [] : [spec.storageClassName]) },
  watches: [
    {
      resource: Pod,
      labelSelector: kvSelectorLabel,
      keysFor: storeOfLabel,
      digest: (pod) => ({ ...troubleOf(pod) }),
      keep: ({ spec: _, ...pod }) => pod,
      repairMayDelete: true,
    },
    { resource: PersistentVolumeClaim, labelSelector: kvSelectorLabel, keysFor: storeOfLabel, digest: () => null },
    {
      resource: StorageClass,
      keysFor: ({ metadata }, lookup) => lookup('storageClassName', metadata.name),
      digest: () => null,
    },
  ],
  isSuspended: ({ spec }) => spec.suspend === true,
  observe,
  refuse: ({ object, facts }) =>
    facts.isStorageClassMissing
      ? { reason: 'InvalidSpec', message: `StorageClass '${object.spec.storageClassName}' not found` }
      : undefined,
  desired: (chart, { object }) => {
    new KvCluster(chart, 'store', kvClusterProps(object.metadata.name, object.spec))
  },
  repair: ({ facts, children }) =>
    stuckRolloutRepair(children.find(({ object }) => isOf(StatefulSet, object))?.object, facts.blockingPod),
  status: kvStoreStatus,
  cleanup: async ({ object, live, nowMs, report }) => {
    const { unusedClaims } = await observe({ object, live, nowMs })
    // With Delete the claims are the StatefulSet's, and the garbage collector is on its way to them.
    if (unusedClaims.length > 0 && object.spec.pvcRetention.whenDeleted === 'Retain') {
      report({ type: 'Normal', reason: 'VolumesRetained', action: 'Delete', note: retentionNote(unusedClaims) })
    }
    return { kind: 'done' }
  },
})

type Observed = Pick<ObserveContext<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus>, 'object' | 'live' | 'nowMs'>

async function observe({ object, live, nowMs }: Observed): Promise<KvStoreFacts> {
  const { namespace, name, deletionTimestamp } = object.metadata
  const selection = { namespace, labels: { [kvSelectorLabel]: name } }
  const [isStorageClassMissing, pods, claims] = await Promise.all([
    isMissing(live, object.spec.storageClassName),
    live.list(Pod, selection),
    live.list(PersistentVolumeClaim, selection),
  ])
  const trouble = podTroubleOf(pods, nowMs)
  const blockingPod = blockingPodOf(pods, object.spec.replicas, nowMs)
  const unusedClaims = unusedClaimsOf(claims, deletionTimestamp === undefined ? object.spec.replicas : 0)
  return {
    isStorageClassMissing,
    ...(trouble === undefined ? {} : { trouble }),
    ...(blockingPod === undefined ? {} : { blockingPod }),
    unusedClaims,
  }
}

/** Without a name the cluster's default class is taken; the empty name means volumes that exist already. */
async function isMissing(live: LiveReader, storageClassName: string | undefined): Promise<boolean> {
  if (storageClassName === undefined || storageClassName === '') return false
  return (await live.find(StorageClass, { name: storageClassName })) === undefined
}

/** Pods and claims are the StatefulSet's; they carry the store's name in a label. */
function storeOfLabel({ metadata }: KubeObject) {
  const name = metadata.labels?.[kvSelectorLabel]
  return name === undefined ? [] : [keyFor(metadata.namespace, name)]
}
