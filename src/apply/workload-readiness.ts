// Readiness of workloads: counts in the status against counts in the spec, once the controller has observed this
// generation. Source: kstatus and `kubectl rollout status`, with corrections for OnDelete and running Jobs.
import type { KubeObject } from '../object/object.ts'
import {
  conditionContent,
  conditionTrue,
  countAt,
  failed,
  numberAt,
  progressing,
  type Readiness,
  ready,
  textAt,
} from './readiness-verdict.ts'

/** A reason why a workload is not ready. The first one that holds is reported. */
interface Shortfall {
  readonly reason: string
  readonly holds: boolean
  readonly message: string
}

export function deploymentReadiness(object: KubeObject): Readiness {
  const progress = conditionContent(object, 'Progressing')
  if (progress?.reason === 'ProgressDeadlineExceeded') return failed(progress.reason, progress.message)
  const wanted = replicasWanted(object)
  const { total, updated, ready: readyNow, available } = replicaCounts(object)
  const isPaused = object.spec !== undefined && (object.spec as { paused?: unknown }).paused === true
  return settled(object, `${wanted} replicas are available`, [
    {
      reason: 'Paused',
      holds: isPaused && updated < wanted,
      message: `is paused with ${updated} of ${wanted} replicas updated`,
    },
    createFailure(object),
    { reason: 'RollingOut', holds: updated < wanted, message: `${updated} of ${wanted} replicas are updated` },
    { reason: 'ScalingIn', holds: total > updated, message: `${total - updated} old replicas have to go` },
    { reason: 'ScalingIn', holds: total > wanted, message: `${total - wanted} replicas have to go` },
    { reason: 'WaitingForReplicas', holds: readyNow < wanted, message: `${readyNow} of ${wanted} replicas are ready` },
    {
      reason: 'WaitingForReplicas',
      holds: available < wanted,
      message: `${available} of ${wanted} replicas are available`,
    },
  ])
}

/** kstatus calls every OnDelete set current; here its pods still have to be ready, but not of the newest revision. */
export function statefulSetReadiness(object: KubeObject): Readiness {
  const wanted = replicasWanted(object)
  const { total, updated, ready: readyNow, available } = replicaCounts(object)
  const isOnDelete = textAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete'
  const partition = countAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition')
  const toUpdate = isOnDelete ? 0 : Math.max(0, wanted - partition)
  const waitsAvailable = countAt(object, 'spec', 'minReadySeconds') > 0
  const [current, newest] = [textAt(object, 'status', 'currentRevision'), textAt(object, 'status', 'updateRevision')]
  const isRolling = !isOnDelete && partition === 0 && current !== newest
  return settled(object, `${wanted} replicas are ready`, [
    { reason: 'ScalingIn', holds: total > wanted, message: `${total - wanted} replicas have to go` },
    { reason: 'RollingOut', holds: updated < toUpdate, message: `${updated} of ${toUpdate} replicas are updated` },
    { reason: 'WaitingForReplicas', holds: readyNow < wanted, message: `${readyNow} of ${wanted} replicas are ready` },
    {
      reason: 'WaitingForReplicas',
      holds: waitsAvailable && available < wanted,
      message: `${available} of ${wanted} replicas are available`,
    },
    { reason: 'RollingOut', holds: isRolling, message: `revision ${newest ?? '?'} is not current yet` },
  ])
}

export function daemonSetReadiness(object: KubeObject): Readiness {
  const wanted = countAt(object, 'status', 'desiredNumberScheduled')
  const updated = countAt(object, 'status', 'updatedNumberScheduled')
  const readyNow = countAt(object, 'status', 'numberReady')
  const available = countAt(object, 'status', 'numberAvailable')
  const isOnDelete = textAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete'
  return settled(object, `${wanted} pods are available`, [
    {
      reason: 'RollingOut',
      holds: !isOnDelete && updated < wanted,
      message: `${updated} of ${wanted} pods are updated`,
    },
    { reason: 'WaitingForPods', holds: readyNow < wanted, message: `${readyNow} of ${wanted} pods are ready` },
    { reason: 'WaitingForPods', holds: available < wanted, message: `${available} of ${wanted} pods are available` },
  ])
}

export function replicaSetReadiness(object: KubeObject): Readiness {
  const wanted = replicasWanted(object)
  const { total, ready: readyNow, available } = replicaCounts(object)
  return settled(object, `${wanted} replicas are available`, [
    createFailure(object),
    { reason: 'ScalingIn', holds: total > wanted, message: `${total - wanted} replicas have to go` },
    { reason: 'WaitingForReplicas', holds: readyNow < wanted, message: `${readyNow} of ${wanted} replicas are ready` },
    {
      reason: 'WaitingForReplicas',
      holds: available < wanted,
      message: `${available} of ${wanted} replicas are available`,
    },
  ])
}

/** Ready when it is complete: kstatus calls a Job current as soon as it runs, and while it is suspended. */
export function jobReadiness(object: KubeObject): Readiness {
  const failure = conditionTrue(object, 'Failed') ?? conditionTrue(object, 'FailureTarget')
  if (failure !== undefined) return failed(failure.reason, failure.message)
  const succeeded = countAt(object, 'status', 'succeeded')
  if (conditionTrue(object, 'Complete') !== undefined) return ready('Complete', `${succeeded} pods have succeeded`)
  if (conditionTrue(object, 'Suspended') !== undefined) return progressing('Suspended', 'is suspended')
  if (textAt(object, 'status', 'startTime') === undefined) return progressing('NotStarted', 'has not started yet')
  const wanted = numberAt(object, 'spec', 'completions') ?? 1
  return progressing('Running', `${succeeded} of ${wanted} pods have succeeded`)
}

/**
 * A controller that wrote no observedGeneration has not observed the object yet, even if zero of zero replicas are
 * enough.
 */
function settled(object: KubeObject, message: string, shortfalls: readonly Shortfall[]): Readiness {
  if (numberAt(object, 'status', 'observedGeneration') === undefined) {
    return progressing('NotObserved', 'its controller has not seen it yet')
  }
  const first = shortfalls.find(({ holds }) => holds)
  return first === undefined ? ready('RolledOut', message) : progressing(first.reason, first.message)
}

/** Pods that could not be created: a quota or an admission webhook rejects them, possibly only for now. */
function createFailure(object: KubeObject): Shortfall {
  const said = conditionTrue(object, 'ReplicaFailure')
  return { reason: said?.reason ?? '', holds: said !== undefined, message: said?.message ?? '' }
}

/** The server fills in `replicas`; 1 is its default. */
function replicasWanted(object: KubeObject): number {
  return numberAt(object, 'spec', 'replicas') ?? 1
}

function replicaCounts(object: KubeObject) {
  return {
    total: countAt(object, 'status', 'replicas'),
    updated: countAt(object, 'status', 'updatedReplicas'),
    ready: countAt(object, 'status', 'readyReplicas'),
    available: countAt(object, 'status', 'availableReplicas'),
  }
}
