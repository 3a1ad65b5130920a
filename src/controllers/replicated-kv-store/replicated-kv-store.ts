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
  isBeingDeleted,
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
import type { KvStoreFacts } from './kv-store-facts.ts'
import { kvStoreStatus } from './kv-store-status.ts'
import { podTroubleOf, troubleOf } from './pod-trouble.ts'
import { admissionOf, olderClaimsOf, retentionNote, unusedClaimsOf } from './retained-volumes.ts'
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
  desired: (chart, { object, facts }) => {
    const props = kvClusterProps(object.metadata.name, object.spec)
    new KvCluster(chart, 'store', { ...props, replicas: facts.admittedReplicas })
  },
  repair: ({ facts, children }) =>
    stuckRolloutRepair(children.find(({ object }) => isOf(StatefulSet, object))?.object, facts.blockingPod),
  status: kvStoreStatus,
  cleanup: async ({ report, ...observed }) => {
    const { object } = observed
    const { unusedClaims } = await observe(observed)
    // With Delete the claims are the StatefulSet's, and the garbage collector is on its way to them.
    if (unusedClaims.length > 0 && object.spec.pvcRetention.whenDeleted === 'Retain') {
      report({ type: 'Normal', reason: 'VolumesRetained', action: 'Delete', note: retentionNote(unusedClaims) })
    }
    return { kind: 'done' }
  },
})

type Observing = ObserveContext<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus>

async function observe({ object, children, live, nowMs }: Observing): Promise<KvStoreFacts> {
  const { spec, status, metadata } = object
  const { namespace, name } = metadata
  const selection = { namespace, labels: { [kvSelectorLabel]: name } }
  const [isStorageClassMissing, pods, claims] = await Promise.all([
    isMissing(live, spec.storageClassName),
    live.list(Pod, selection),
    live.list(PersistentVolumeClaim, selection),
  ])
  const trouble = podTroubleOf(pods, nowMs)
  const blockingPod = blockingPodOf(pods, spec.replicas, nowMs)
  const admission = admissionOf({
    wanted: spec.replicas,
    statefulSet: children.find((child) => isOf(StatefulSet, child)),
    pods,
    claims,
    retainedClaims: status?.retainedPVCs ?? [],
    mayReuse: spec.storage.reuseRetained === 'Allow',
  })
  return {
    isStorageClassMissing,
    ...(trouble === undefined ? {} : { trouble }),
    ...(blockingPod === undefined ? {} : { blockingPod }),
    ...admission,
    unusedClaims: unusedClaimsOf(claims, isBeingDeleted(object) ? 0 : admission.admittedReplicas),
    olderClaims: olderClaimsOf(claims, object, admission.admittedReplicas),
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
