// Descriptors of Kubernetes' own resources, by group. Their objects stay wire JSON; the types here name only the fields
// that konverge reads. Invariant: each descriptor has a stable version of its group.
import { defineResource, type Resource } from './resource.ts'

/**
 * Groups of Kubernetes whose names have a dot. A group without a dot always belongs to Kubernetes: CRDs may not have
 * one.
 */
const dottedGroups: ReadonlySet<string> = new Set(
  [
    'admissionregistration',
    'apiextensions',
    'apiregistration',
    'authentication',
    'authorization',
    'certificates',
    'coordination',
    'discovery',
    'events',
    'flowcontrol.apiserver',
    'internal.apiserver',
    'networking',
    'node',
    'rbac.authorization',
    'resource',
    'scheduling',
    'storage',
    'storagemigration',
  ].map((name) => `${name}.k8s.io`),
)

/** True for a kind of Kubernetes itself: only Kubernetes writes its status, if it has one. */
export function isBuiltIn({ group }: Pick<Resource, 'group'>): boolean {
  return !group.includes('.') || dottedGroups.has(group)
}

const namespaced = (group: string, version: string, kind: string, plural: string) =>
  ({ group, version, kind, plural, scope: 'Namespaced' }) as const
const cluster = (group: string, version: string, kind: string, plural: string) =>
  ({ group, version, kind, plural, scope: 'Cluster' }) as const

/** Source: coordination.k8s.io/v1 LeaseSpec. */
export interface LeaseSpec {
  readonly holderIdentity?: string
  /** Time that others wait after the last observed renewal. */
  readonly leaseDurationSeconds?: number
  /** MicroTime. */
  readonly acquireTime?: string
  /** MicroTime. */
  readonly renewTime?: string
  /** Number of changes of the holder. */
  readonly leaseTransitions?: number
}

const rbac = 'rbac.authorization.k8s.io'
const admission = 'admissionregistration.k8s.io'

export const ConfigMap = defineResource(namespaced('', 'v1', 'ConfigMap', 'configmaps'))
/** The older form of an Event, which kubelets write. */
export const CoreEvent = defineResource(namespaced('', 'v1', 'Event', 'events'))
/** The older form of EndpointSlices. */
export const Endpoints = defineResource(namespaced('', 'v1', 'Endpoints', 'endpoints'))
export const LimitRange = defineResource(namespaced('', 'v1', 'LimitRange', 'limitranges'))
export const Namespace = defineResource(cluster('', 'v1', 'Namespace', 'namespaces'))
export const Node = defineResource(cluster('', 'v1', 'Node', 'nodes'))
export const PersistentVolume = defineResource(cluster('', 'v1', 'PersistentVolume', 'persistentvolumes'))
export const PersistentVolumeClaim = defineResource(
  namespaced('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
)
export const Pod = defineResource(namespaced('', 'v1', 'Pod', 'pods'))
export const ResourceQuota = defineResource(namespaced('', 'v1', 'ResourceQuota', 'resourcequotas'))
export const Secret = defineResource(namespaced('', 'v1', 'Secret', 'secrets'))
export const Service = defineResource(namespaced('', 'v1', 'Service', 'services'))
export const ServiceAccount = defineResource(namespaced('', 'v1', 'ServiceAccount', 'serviceaccounts'))
export const MutatingWebhookConfiguration = defineResource(
  cluster(admission, 'v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'),
)
export const ValidatingAdmissionPolicy = defineResource(
  cluster(admission, 'v1', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
)
export const ValidatingAdmissionPolicyBinding = defineResource(
  cluster(admission, 'v1', 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
)
export const ValidatingWebhookConfiguration = defineResource(
  cluster(admission, 'v1', 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'),
)
export const CustomResourceDefinition = defineResource(
  cluster('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions'),
)
export const APIService = defineResource(cluster('apiregistration.k8s.io', 'v1', 'APIService', 'apiservices'))
export const ControllerRevision = defineResource(namespaced('apps', 'v1', 'ControllerRevision', 'controllerrevisions'))
export const DaemonSet = defineResource(namespaced('apps', 'v1', 'DaemonSet', 'daemonsets'))
export const Deployment = defineResource(namespaced('apps', 'v1', 'Deployment', 'deployments'))
export const ReplicaSet = defineResource(namespaced('apps', 'v1', 'ReplicaSet', 'replicasets'))
export const StatefulSet = defineResource(namespaced('apps', 'v1', 'StatefulSet', 'statefulsets'))
export const HorizontalPodAutoscaler = defineResource(
  namespaced('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
)
export const CronJob = defineResource(namespaced('batch', 'v1', 'CronJob', 'cronjobs'))
export const Job = defineResource(namespaced('batch', 'v1', 'Job', 'jobs'))
export const CertificateSigningRequest = defineResource(
  cluster('certificates.k8s.io', 'v1', 'CertificateSigningRequest', 'certificatesigningrequests'),
)
export const Lease = defineResource<LeaseSpec>(namespaced('coordination.k8s.io', 'v1', 'Lease', 'leases'))
export const EndpointSlice = defineResource(namespaced('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices'))
export const Event = defineResource(namespaced('events.k8s.io', 'v1', 'Event', 'events'))
export const Ingress = defineResource(namespaced('networking.k8s.io', 'v1', 'Ingress', 'ingresses'))
export const IngressClass = defineResource(cluster('networking.k8s.io', 'v1', 'IngressClass', 'ingressclasses'))
export const NetworkPolicy = defineResource(namespaced('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies'))
export const RuntimeClass = defineResource(cluster('node.k8s.io', 'v1', 'RuntimeClass', 'runtimeclasses'))
export const PodDisruptionBudget = defineResource(
  namespaced('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
)
export const ClusterRole = defineResource(cluster(rbac, 'v1', 'ClusterRole', 'clusterroles'))
export const ClusterRoleBinding = defineResource(cluster(rbac, 'v1', 'ClusterRoleBinding', 'clusterrolebindings'))
export const Role = defineResource(namespaced(rbac, 'v1', 'Role', 'roles'))
export const RoleBinding = defineResource(namespaced(rbac, 'v1', 'RoleBinding', 'rolebindings'))
export const PriorityClass = defineResource(cluster('scheduling.k8s.io', 'v1', 'PriorityClass', 'priorityclasses'))
export const CSIDriver = defineResource(cluster('storage.k8s.io', 'v1', 'CSIDriver', 'csidrivers'))
export const StorageClass = defineResource(cluster('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses'))
export const VolumeAttachment = defineResource(cluster('storage.k8s.io', 'v1', 'VolumeAttachment', 'volumeattachments'))
