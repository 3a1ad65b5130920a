// Finds the pod that blocks a rollout permanently. A StatefulSet updates its replicas in order, and waits at the first
// that is not ready. So it never replaces that pod with the revision that would repair it. After a bad rollout a
// reverted spec alone does nothing (kubernetes/kubernetes#67250).
// Invariant: only that pod is deleted. Pure.
import { isBeingDeleted, type KubeObject, type LiveObject, type Repair, valueAt } from '../../index.ts'
import { problemOf } from './pod-problem.ts'
import { isServing, ordinalOf, podConditionOf } from './replica.ts'

/** Part of a pod that a fact holds: the fields that a delete names, and those that the decision reads. */
export interface BlockingPod {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
  }
  readonly ordinal: number
  /** ControllerRevision that the pod was made from. */
  readonly revision: string
  /** Uid of its StatefulSet. */
  readonly ownerUid: string
}

/** A pod that reports no problem has failed if it is not ready for this long. Milliseconds. */
export const failedAfterMs = 30_000

/**
 * Returns the first replica that does not serve, if it has failed and all before it serve. Undefined while a replica is
 * being deleted, or is missing below it: one is deleted at a time, and missing ones come back first.
 */
export function blockingPodOf(pods: readonly LiveObject[], replicas: number, nowMs: number): BlockingPod | undefined {
  const wanted = pods.filter((pod) => (ordinalOf(pod.metadata.name) ?? replicas) < replicas)
  if (wanted.some(isBeingDeleted)) return undefined
  const byOrdinal = new Map(wanted.map((pod) => [ordinalOf(pod.metadata.name), pod]))
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined) return undefined
    if (!isServing(pod)) return hasFailed(pod, nowMs) ? asFact(pod, ordinal) : undefined
  }
  return undefined
}

function hasFailed(pod: KubeObject, nowMs: number): boolean {
  if (problemOf(pod) !== undefined) return true
  const since = podConditionOf(pod, 'Ready')?.lastTransitionTime ?? pod.metadata.creationTimestamp
  return nowMs - Date.parse(String(since)) >= failedAfterMs
}

function asFact({ apiVersion, kind, metadata }: LiveObject, ordinal: number): BlockingPod | undefined {
  const { name, namespace, uid, resourceVersion, labels, ownerReferences } = metadata
  const revision = labels?.['controller-revision-hash']
  const ownerUid = ownerReferences?.find(({ controller }) => controller === true)?.uid
  if (revision === undefined || ownerUid === undefined) return undefined
  const identity = { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion }
  return { apiVersion, kind, metadata: identity, ordinal, revision, ownerUid }
}

/**
 * Returns the repair that deletes the blocking pod. It requires that the pod belongs to this StatefulSet, which has
 * observed its newest spec. The StatefulSet must also make the pod from another revision than the one that failed. A
 * pod that fails in its desired revision is left to the user.
 */
export function stuckRolloutRepair(
  statefulSet: LiveObject | undefined,
  pod: BlockingPod | undefined,
): Repair | undefined {
  if (statefulSet === undefined || pod === undefined || isBeingDeleted(statefulSet)) return undefined
  const { uid, generation, name } = statefulSet.metadata
  if (pod.ownerUid !== uid || valueAt(statefulSet, 'status', 'observedGeneration') !== generation) return undefined
  const revision = revisionAt(statefulSet, pod.ordinal)
  if (typeof revision !== 'string' || revision === pod.revision) return undefined
  const note =
    `deleted pod ${pod.metadata.name}, which was not ready and of revision ${pod.revision}: ` +
    `StatefulSet ${name} waited for it and could not bring revision ${revision}`
  const { apiVersion, kind, metadata } = pod
  return {
    delete: { apiVersion, kind, metadata },
    event: { type: 'Normal', reason: 'StuckPodDeleted', action: 'Rollout', note },
  }
}

/**
 * Returns the revision from which the StatefulSet would make this replica now. Source: its controller's
 * newVersionedStatefulSetPod.
 */
function revisionAt(statefulSet: KubeObject, ordinal: number): unknown {
  const partition = Number(valueAt(statefulSet, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0)
  return valueAt(statefulSet, 'status', ordinal < partition ? 'currentRevision' : 'updateRevision')
}
