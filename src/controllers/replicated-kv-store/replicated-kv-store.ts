// Controller of ReplicatedKVStore, written only with the public API: its owned and watched kinds, and functions for
// desired state and status.
import type { Chart } from 'cdk8s'
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
  type Child,
  type Controller,
  childNamed,
  defineController,
  type Family,
  isBeingDeleted,
  type LiveObject,
  type ObserveContext,
  PodDisruptionBudget,
  type ResourceContext,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from '../../index.ts'
import { labelledSecrets, type ReferencePolicy } from '../references/reference-policy.ts'
import { holdDeletion } from '../references/server-rejection.ts'
import { isOwnedClaim, isRetentionUnsettled } from '../stateful-set/claim-retention.ts'
import { growClaims } from '../stateful-set/larger-claims.ts'
import { podCountsOf } from '../stateful-set/pod-counts.ts'
import { podProblemOf, problemOf } from '../stateful-set/pod-problem.ts'
import {
  lacksStorageClass,
  loadClaims,
  loadPods,
  loadStorageClasses,
  type StatefulSetPlace,
  takeHeadlessPods,
} from '../stateful-set/stateful-set-loader.ts'
import { blockingPodOf, stuckRolloutRepair } from '../stateful-set/stuck-rollout.ts'
import { growthOf } from '../stateful-set/volume-growth.ts'
import { storageClassKey, watchesOf } from '../stateful-set/watches.ts'
import { loadKvRejection } from './kv-rejection-loader.ts'
import type { KvStoreFacts } from './kv-store-facts.ts'
import { kvStoreStatus } from './kv-store-status.ts'
import { admissionOf, claimsInUse, olderClaimsOf, retentionNote, unusedClaimsOf } from './retained-volumes.ts'

export interface KvStoreOptions {
  /** The operator's policy for references in a spec. */
  readonly policy?: ReferencePolicy | undefined
}

export function replicatedKvStore({ policy = labelledSecrets }: KvStoreOptions = {}): Controller {
  return defineController(ReplicatedKVStore, {
    owns: [
      StatefulSet,
      { resource: Service, statusMatters: false },
      { resource: PodDisruptionBudget, statusMatters: false },
      ServiceAccount,
    ],
    indexes: { storageClassName: ({ spec }) => [storageClassKey(spec.storageClassName)] },
    watches: watchesOf(kvSelectorLabel, (pod) => ({ ...problemOf(pod) })),
    isSuspended: ({ spec }) => spec.suspend === true,
    reads: [Secret],
    observe: (context) => observe(context, policy),
    validate: ({ object, facts }) => {
      if (facts.rejection !== undefined) return facts.rejection
      return facts.isStorageClassMissing
        ? { reason: 'InvalidSpec', message: `StorageClass '${object.spec.storageClassName}' not found` }
        : undefined
    },
    desired,
    preDelete: (chart, context) => {
      const { isStatefulSetUnsettled, rejection } = context.facts
      if (!isStatefulSetUnsettled) return
      if (rejection === undefined) desired(chart, context)
      else holdDeletion(chart, StatefulSet, rejection)
    },
    repair: (context) => stuckRolloutRepair(statefulSetOf(context)?.object, context.facts.blockingPod),
    status: kvStoreStatus,
    cleanup: async ({ report, ...observed }) => {
      const { object, live } = observed
      const headless = await takeHeadlessPods(live, placeOf(object))
      if (headless !== undefined) return headless
      const { unusedClaims } = await observe(observed, policy)
      // With Delete, the StatefulSet owns the claims, and the garbage collector deletes them.
      if (unusedClaims.length > 0 && object.spec.pvcRetention.whenDeleted === 'Retain') {
        report({ type: 'Normal', reason: 'VolumesRetained', action: 'Delete', note: retentionNote(unusedClaims) })
      }
      return { kind: 'done' }
    },
  })
}

function desired(
  chart: Chart,
  { object, facts }: ResourceContext<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus, KvStoreFacts>,
): void {
  const props = kvClusterProps(object.metadata.name, object.spec)
  const storage = { ...props.storage, size: facts.volumeSize }
  const { statefulSet } = new KvCluster(chart, 'store', { ...props, replicas: facts.admittedReplicas, storage })
  growClaims(chart, { statefulSet, size: object.spec.storage.size, ...facts })
}

type Observing = ObserveContext<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus>

/** No watch reports a new label on a Secret: the right to watch Secrets is the right to read all of them. */
const recheckMs = 15_000

function statefulSetOf<T extends LiveObject | Child>(family: Family<T>): T | undefined {
  return childNamed(family, StatefulSet, kvNames(family.object.metadata.name).statefulSet)
}

async function observe({ object, children, live, nowMs }: Observing, policy: ReferencePolicy): Promise<KvStoreFacts> {
  const { spec, status } = object
  const place = placeOf(object)
  const [rejection, isStorageClassMissing, pods, claims] = await Promise.all([
    loadKvRejection(object, live, policy),
    lacksStorageClass(live, spec.storageClassName),
    loadPods(live, place),
    loadClaims(live, place, kvVolumeName),
  ])
  const trouble = podProblemOf(pods, nowMs)
  const blockingPod = blockingPodOf(pods, spec.replicas, nowMs)
  const statefulSet = statefulSetOf({ object, children })
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
    ...(rejection === undefined ? {} : { rejection, lookAgainAtMs: nowMs + recheckMs }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(blockingPod === undefined ? {} : { blockingPod }),
    ...admission,
    ...growthOf({
      size: spec.storage.size,
      claims: used,
      storageClasses: await loadStorageClasses(live, used),
      statefulSet,
      successor: 'a new store',
    }),
    hasStatefulSet: statefulSet !== undefined,
    isStatefulSetUnsettled:
      isBeingDeleted(object) &&
      isRetentionUnsettled({
        statefulSet,
        whenDeleted: spec.pvcRetention.whenDeleted,
        ownsClaims: used.some(isOwnedClaim),
      }),
    ...(pods.length === 0 ? {} : { pods: podCountsOf(pods) }),
    unusedClaims: unusedClaimsOf(claims, isBeingDeleted(object) ? 0 : admission.admittedReplicas),
    olderClaims: olderClaimsOf(claims, object, admission.admittedReplicas),
  }
}

function placeOf({ metadata: { namespace, name } }: Observing['object']): StatefulSetPlace {
  return { namespace, name: kvNames(name).statefulSet, labels: kvSelectorLabels(name) }
}
