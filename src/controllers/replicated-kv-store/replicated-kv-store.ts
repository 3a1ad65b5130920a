// The controller of ReplicatedKVStore, as anybody could write it with the public door: which kinds it makes and looks at, and
// the functions that say what should be and how it stands.
import { ApiObject, type Chart } from 'cdk8s'
import {
  KvCluster,
  kvClusterProps,
  kvNames,
  kvSelectorLabel,
  kvSelectorLabels,
  kvVolumeName,
} from '../../../constructs/index.ts'
import {
  ReplicatedKVStore,
  type ReplicatedKVStoreSpec,
  type ReplicatedKVStoreStatus,
} from '../../../imports/wire/replicated-kv-store.ts'
import {
  type CleanupResult,
  contribute,
  defineController,
  isBeingDeleted,
  isOf,
  type KubeObject,
  keyFor,
  type LiveObject,
  type LiveReader,
  type ObserveContext,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  recreateOnChange,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
} from '../../index.ts'
import { headlessPodStep } from '../stateful-set/headless-pods.ts'
import { isServing, numbered } from '../stateful-set/replica.ts'
import { allowsExpansion, classOf, growthDigest, growthOf } from '../stateful-set/volume-growth.ts'
import type { KvStoreFacts, PodCounts } from './kv-store-facts.ts'
import { kvStoreStatus } from './kv-store-status.ts'
import { podTroubleOf, troubleOf } from './pod-trouble.ts'
import { admissionOf, claimsInUse, olderClaimsOf, retentionNote, unusedClaimsOf } from './retained-volumes.ts'
import { blockingPodOf, stuckRolloutRepair } from './stuck-rollout.ts'

/** Stands in the index for the class of a store that names none. No class can be called so. */
const defaultClass = '(default)'

export const replicatedKvStore = defineController(ReplicatedKVStore, {
  owns: [
    StatefulSet,
    { resource: Service, statusMatters: false },
    { resource: PodDisruptionBudget, statusMatters: false },
    ServiceAccount,
  ],
  indexes: { storageClassName: ({ spec }) => [spec.storageClassName ?? defaultClass] },
  watches: [
    {
      resource: Pod,
      labelSelector: kvSelectorLabel,
      keysFor: storeOfLabel,
      digest: (pod) => ({ ...troubleOf(pod) }),
      keep: ({ spec: _, ...pod }) => pod,
      repairMayDelete: true,
    },
    {
      resource: PersistentVolumeClaim,
      labelSelector: kvSelectorLabel,
      keysFor: storeOfLabel,
      digest: growthDigest,
      contributes: true,
    },
    {
      resource: StorageClass,
      // Which class is or was the default, only the claims know.
      keysFor: ({ metadata }, lookup) =>
        [metadata.name, defaultClass].flatMap((name) => lookup('storageClassName', name)),
      digest: (storageClass) => allowsExpansion(storageClass),
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
    const storage = { ...props.storage, size: facts.volumeSize }
    const { statefulSet } = new KvCluster(chart, 'store', { ...props, replicas: facts.admittedReplicas, storage })
    // Claim templates cannot change; the pods stay, and the new StatefulSet finds them by their labels.
    recreateOnChange(statefulSet, { dependents: 'orphan' })
    for (const name of facts.claimsToGrow) {
      const claim = largerClaim(chart, name, object.spec.storage)
      // Pods without a StatefulSet wait for nothing.
      if (facts.hasStatefulSet) statefulSet.node.addDependency(claim)
    }
  },
  repair: ({ facts, children }) =>
    stuckRolloutRepair(children.find(({ object }) => isOf(StatefulSet, object))?.object, facts.blockingPod),
  status: kvStoreStatus,
  cleanup: async ({ report, ...observed }) => {
    const { object, live } = observed
    const headless = await headlessPods(object, live)
    if (headless !== undefined) return headless
    const { unusedClaims } = await observe(observed)
    // With Delete the claims are the StatefulSet's, and the garbage collector is on its way to them.
    if (unusedClaims.length > 0 && object.spec.pvcRetention.whenDeleted === 'Retain') {
      report({ type: 'Normal', reason: 'VolumesRetained', action: 'Delete', note: retentionNote(unusedClaims) })
    }
    return { kind: 'done' }
  },
})

/** Undefined when no pod is left that nobody else takes away. A StatefulSet that was left alone keeps its pods. */
async function headlessPods(object: Observing['object'], live: LiveReader): Promise<CleanupResult | undefined> {
  const { namespace, name } = object.metadata
  const pods = await podsOf(object, live)
  if (pods.length === 0) return undefined
  const statefulSet = await live.find(StatefulSet, { namespace, name: kvNames(name).statefulSet })
  return statefulSet === undefined ? headlessPodStep(pods) : undefined
}

/** What the StatefulSet made, asked for more room; first of all, so that a refusal leaves everything as it is. */
function largerClaim(chart: Chart, name: string, { size }: { readonly size: string }): ApiObject {
  const claim = new ApiObject(chart, `larger-${name}`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { resources: { requests: { storage: size } } },
  })
  contribute(claim)
  return claim
}

type Observing = ObserveContext<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus>

async function observe({ object, children, live, nowMs }: Observing): Promise<KvStoreFacts> {
  const { spec, status, metadata } = object
  const { namespace, name } = metadata
  const { statefulSet: prefix } = kvNames(name)
  const [isStorageClassMissing, pods, labelled] = await Promise.all([
    isMissing(live, spec.storageClassName),
    podsOf(object, live),
    live.list(PersistentVolumeClaim, { namespace, labels: kvSelectorLabels(name) }),
  ])
  const claims = numbered(`${kvVolumeName}-${prefix}`, labelled)
  const trouble = podTroubleOf(pods, nowMs)
  const blockingPod = blockingPodOf(pods, spec.replicas, nowMs)
  const statefulSet = children.find((child) => isOf(StatefulSet, child))
  const admission = admissionOf({
    wanted: spec.replicas,
    statefulSet,
    pods,
    claims,
    retainedClaims: status?.retainedPVCs ?? [],
    mayReuse: spec.storage.reuseRetained === 'Allow',
  })
  const used = claimsInUse(claims, admission.admittedReplicas)
  return {
    isStorageClassMissing,
    ...(trouble === undefined ? {} : { trouble }),
    ...(blockingPod === undefined ? {} : { blockingPod }),
    ...admission,
    ...growthOf({ size: spec.storage.size, claims: used, storageClasses: await classesOf(live, used), statefulSet }),
    hasStatefulSet: statefulSet !== undefined,
    ...(pods.length === 0 ? {} : { pods: countsOf(pods) }),
    unusedClaims: unusedClaimsOf(claims, isBeingDeleted(object) ? 0 : admission.admittedReplicas),
    olderClaims: olderClaimsOf(claims, object, admission.admittedReplicas),
  }
}

async function podsOf({ metadata }: Observing['object'], live: LiveReader): Promise<readonly LiveObject[]> {
  const { namespace, name } = metadata
  return numbered(kvNames(name).statefulSet, await live.list(Pod, { namespace, labels: kvSelectorLabels(name) }))
}

/** The classes of these claims that exist, by name. A claim remembers the one it got where the store names none. */
async function classesOf(live: LiveReader, claims: readonly LiveObject[]): Promise<ReadonlyMap<string, LiveObject>> {
  const names = [...new Set(claims.map(classOf))].filter((name) => name !== '')
  const found = await Promise.all(names.map((name) => live.find(StorageClass, { name })))
  return new Map(found.flatMap((storageClass) => (storageClass ? [[storageClass.metadata.name, storageClass]] : [])))
}

function countsOf(pods: readonly LiveObject[]): PodCounts {
  const there = pods.filter((pod) => !isBeingDeleted(pod))
  return { replicas: there.length, readyReplicas: there.filter(isServing).length }
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
