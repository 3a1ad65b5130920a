// Readiness rules of further built-in kinds, and of a few common custom ones, by group kind. Load balancers and
// ingresses need an address, autoscalers their metrics; kstatus requires neither.
import { isJsonObject } from '../base/json.ts'
import { type KubeObject, valueAt } from '../object/object.ts'
import { podReadiness } from './pod-readiness.ts'
import {
  type ConditionContent,
  conditionContent,
  failed,
  isOlder,
  notObserved,
  numberAt,
  objectsAt,
  progressing,
  type Readiness,
  type ReadinessRule,
  ready,
  textAt,
  textOf,
} from './readiness-verdict.ts'
import {
  daemonSetReadiness,
  deploymentReadiness,
  jobReadiness,
  replicaSetReadiness,
  statefulSetReadiness,
} from './workload-readiness.ts'

/** Rules by group kind; kinds of built-in groups without one are ready when they exist. */
export const readinessRules: ReadonlyMap<string, ReadinessRule> = new Map([
  ['APIService.apiregistration.k8s.io', (object) => byCondition(conditionContent(object, 'Available'))],
  ['CustomResourceDefinition.apiextensions.k8s.io', crdReadiness],
  ['DaemonSet.apps', daemonSetReadiness],
  ['Deployment.apps', deploymentReadiness],
  ['Gateway.gateway.networking.k8s.io', gatewayReadiness],
  ['HorizontalPodAutoscaler.autoscaling', autoscalerReadiness],
  ['Ingress.networking.k8s.io', addressReadiness],
  ['Job.batch', jobReadiness],
  ['Namespace', (object) => byPhase(object, 'Active')],
  ['PersistentVolumeClaim', claimReadiness],
  ['Pod', podReadiness],
  ['PodDisruptionBudget.policy', disruptionBudgetReadiness],
  ['ReplicaSet.apps', replicaSetReadiness],
  ['ReplicationController', replicaSetReadiness],
  ['Service', serviceReadiness],
  ['StatefulSet.apps', statefulSetReadiness],
  ['VolumeSnapshot.snapshot.storage.k8s.io', snapshotReadiness],
])

const builtInGroups: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
])

/**
 * True for a group of Kubernetes itself. Some groups that end in k8s.io are not: Gateway and VolumeSnapshot come as
 * CRDs.
 */
export function isBuiltInGroup(group: string): boolean {
  return builtInGroups.has(group)
}

/** Ready if the condition is True; else progressing with its reason. */
export function byCondition(said: ConditionContent | undefined): Readiness {
  if (said === undefined) return progressing('NotObserved', 'its controller has not seen it yet')
  return said.status === 'True' ? ready(said.reason, said.message) : progressing(said.reason, said.message)
}

function byPhase(object: KubeObject, wanted: string): Readiness {
  const phase = textAt(object, 'status', 'phase')
  return phase === wanted ? ready(phase, `is ${phase}`) : progressing(phase ?? 'Pending', `is ${phase ?? 'pending'}`)
}

/**
 * A claim of a StorageClass that binds on first use stays Pending until a pod uses it. No object that creates the pod
 * may wait for the claim.
 */
function claimReadiness(object: KubeObject): Readiness {
  if (textAt(object, 'status', 'phase') === 'Lost') return failed('Lost', 'its volume is lost')
  return byPhase(object, 'Bound')
}

function serviceReadiness(object: KubeObject): Readiness {
  return textAt(object, 'spec', 'type') === 'LoadBalancer' ? addressReadiness(object) : ready('Exists', 'exists')
}

function addressReadiness(object: KubeObject): Readiness {
  const addresses = objectsAt(object, 'status', 'loadBalancer', 'ingress').flatMap(
    ({ ip, hostname }) => textOf(ip) ?? textOf(hostname) ?? [],
  )
  if (addresses.length > 0) return ready('AddressAssigned', `has the address ${addresses.join(', ')}`)
  return progressing('AddressPending', 'has no load balancer address yet')
}

function autoscalerReadiness(object: KubeObject): Readiness {
  const able = conditionContent(object, 'AbleToScale')
  if (able?.status === 'False') return failed(able.reason, able.message)
  const active = conditionContent(object, 'ScalingActive')
  // At zero replicas, scaling is off on purpose.
  if (active?.reason === 'ScalingDisabled') return ready(active.reason, active.message)
  return byCondition(active)
}

/** A budget that allows no disruption now is in effect. */
function disruptionBudgetReadiness(object: KubeObject): Readiness {
  const said = conditionContent(object, 'DisruptionAllowed')
  if (said?.reason === 'SyncFailed') return failed(said.reason, said.message)
  if (numberAt(object, 'status', 'observedGeneration') === undefined) {
    return progressing('NotObserved', 'its controller has not seen it yet')
  }
  return ready('Observed', 'guards its pods')
}

function crdReadiness(object: KubeObject): Readiness {
  const names = conditionContent(object, 'NamesAccepted')
  if (names?.status === 'False') return failed(names.reason, names.message)
  return byCondition(conditionContent(object, 'Established'))
}

/** Its status has no observedGeneration; each condition has one. */
function gatewayReadiness(object: KubeObject): Readiness {
  const accepted = conditionContent(object, 'Accepted')
  const programmed = conditionContent(object, 'Programmed')
  if ([accepted, programmed].some((said) => isOlder(object, said?.observedGeneration))) return notObserved()
  // Every controller leaves a Gateway of another controller at Unknown/Pending.
  if (accepted?.status === 'False') return failed(accepted.reason, accepted.message)
  return byCondition(programmed)
}

function snapshotReadiness(object: KubeObject): Readiness {
  if (valueAt(object, 'status', 'readyToUse') === true) return ready('ReadyToUse', 'is ready to use')
  const error = valueAt(object, 'status', 'error')
  if (isJsonObject(error)) return failed('SnapshotFailed', textOf(error.message) ?? 'the snapshot has failed')
  return progressing('NotReadyToUse', 'is not ready to use yet')
}
