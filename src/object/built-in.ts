// Which kinds does every cluster serve? Descriptors of the built-in resources that controllers meet. Their objects stay
// wire JSON; the types here name only what our own code reads of them.
import { defineResource, type Resource } from './resource.ts'

/** Groups of Kubernetes itself whose names have a dot. A group without a dot is always one of them: CRDs may not have such. */
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

/** Is the kind one of Kubernetes itself, so that its status, if it has one, is written by Kubernetes alone? */
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
  /** How long others wait after they saw the last renewal. */
  readonly leaseDurationSeconds?: number
  /** MicroTime. */
  readonly acquireTime?: string
  /** MicroTime. */
  readonly renewTime?: string
  /** How often the lease went from one holder to another. */
  readonly leaseTransitions?: number
}

export const ConfigMap = defineResource(namespaced('', 'v1', 'ConfigMap', 'configmaps'))
/** The older form of an Event, which kubelets write. */
export const CoreEvent = defineResource(namespaced('', 'v1', 'Event', 'events'))
export const Event = defineResource(namespaced('events.k8s.io', 'v1', 'Event', 'events'))
export const Namespace = defineResource(cluster('', 'v1', 'Namespace', 'namespaces'))
export const Lease = defineResource<LeaseSpec>(namespaced('coordination.k8s.io', 'v1', 'Lease', 'leases'))
export const Node = defineResource(cluster('', 'v1', 'Node', 'nodes'))
export const PersistentVolume = defineResource(cluster('', 'v1', 'PersistentVolume', 'persistentvolumes'))
export const PersistentVolumeClaim = defineResource(
  namespaced('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
)
export const Pod = defineResource(namespaced('', 'v1', 'Pod', 'pods'))
export const Secret = defineResource(namespaced('', 'v1', 'Secret', 'secrets'))
export const Service = defineResource(namespaced('', 'v1', 'Service', 'services'))
export const ServiceAccount = defineResource(namespaced('', 'v1', 'ServiceAccount', 'serviceaccounts'))
export const DaemonSet = defineResource(namespaced('apps', 'v1', 'DaemonSet', 'daemonsets'))
export const Deployment = defineResource(namespaced('apps', 'v1', 'Deployment', 'deployments'))
export const ReplicaSet = defineResource(namespaced('apps', 'v1', 'ReplicaSet', 'replicasets'))
export const StatefulSet = defineResource(namespaced('apps', 'v1', 'StatefulSet', 'statefulsets'))
export const CronJob = defineResource(namespaced('batch', 'v1', 'CronJob', 'cronjobs'))
export const Job = defineResource(namespaced('batch', 'v1', 'Job', 'jobs'))
export const PodDisruptionBudget = defineResource(
  namespaced('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
)
export const StorageClass = defineResource(cluster('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses'))
export const CustomResourceDefinition = defineResource(
  cluster('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions'),
)
