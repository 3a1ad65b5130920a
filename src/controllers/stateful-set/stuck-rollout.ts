// Which pod keeps a rollout from going on for ever? A StatefulSet goes through its replicas in order, waits at the first that
// is not ready, and so never comes to replace that very pod with the revision that would mend it: after a bad rollout a
// reverted spec alone does nothing (kubernetes/kubernetes#67250). That pod, and no other, is to be deleted. Pure.
import { isBeingDeleted, type KubeObject, type LiveObject, type Repair, valueAt } from '../../index.ts'
import { problemOf } from './pod-problem.ts'
import { isServing, ordinalOf, podConditionOf } from './replica.ts'

/** A pod as far as a fact must hold it: what a delete has to name, and what the decision reads. */
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
  /** The ControllerRevision that it was made from. */
  readonly revision: string
  /** The uid of its StatefulSet. */
  readonly ownerUid: string
}

/** A pod that says nothing of its trouble has failed when it is not ready for this long. Milliseconds. */
export const failedAfterMs = 30_000

/**
 * The first replica that does not serve, if it has failed and all before it serve. None while a replica is on its way out or
 * missing below it: one at a time, and whoever is gone already comes back first.
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
 * Has the blocking pod to go? Only if it is this StatefulSet's, the StatefulSet has seen its newest spec, and it would make
 * the pod from another revision than the one that failed; a pod that fails in the revision it should have is left to people.
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

/** From which revision the StatefulSet would make this replica now. Source: its controller's newVersionedStatefulSetPod. */
function revisionAt(statefulSet: KubeObject, ordinal: number): unknown {
  const partition = Number(valueAt(statefulSet, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0)
  return valueAt(statefulSet, 'status', ordinal < partition ? 'currentRevision' : 'updateRevision')
}
