// Catalogue of built-in resources, as discovery lists them. Only data: the strategy of a kind defines its behavior.
// Groups are in the real server's order. A group lists its preferred version first, and resources by name.
// Source: the discovery documents of v1.36.3; a real test compares them.
import { createHash } from 'node:crypto'

/** Subresource as discovery lists it: `pods/eviction` has the kind Eviction of policy/v1. */
export interface CatalogueSubresource {
  readonly name: string
  readonly kind: string
  /** Group and version of the subresource's kind if they differ from the resource's. */
  readonly of: { readonly group: string; readonly version: string } | undefined
  readonly verbs: readonly string[]
}

export interface CatalogueEntry {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly isNamespaced: boolean
  readonly verbs: readonly string[]
  /** Sorted by name. */
  readonly subresources: readonly CatalogueSubresource[]
  /** Group and version of the stored objects. Several resources may share one store (Events). */
  readonly storage: { readonly group: string; readonly version: string }
}

/** Returns the hash by which clients detect resources that share a store, or a changed storage version. */
export function storageVersionHash({ kind, storage }: Pick<CatalogueEntry, 'kind' | 'storage'>): string {
  const name = `${storage.group}/${storage.version}/${kind}`
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64')
}

interface Particulars {
  readonly group?: string
  readonly version?: string
  readonly short?: readonly string[]
  readonly isInAll?: boolean
  readonly categories?: readonly string[]
  readonly isClusterScoped?: boolean
  readonly verbs?: readonly string[]
  readonly below?: readonly CatalogueSubresource[]
  readonly storage?: { readonly group: string; readonly version: string }
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const object = ['get', 'patch', 'update']
const stream = ['create', 'get']
const proxy = ['create', 'delete', 'get', 'patch', 'update']

const autoscaling = { group: 'autoscaling', version: 'v1' }
const autoscalingV2 = { group: 'autoscaling', version: 'v2' }
const coreV1 = { group: '', version: 'v1' }

function below(name: string, kind: string, verbs: readonly string[], of?: CatalogueSubresource['of']) {
  return { name, kind, verbs, of }
}

const status = (kind: string) => below('status', kind, object)
const scale = below('scale', 'Scale', object, autoscaling)

function entry(kind: string, plural: string, particulars: Particulars = {}): CatalogueEntry {
  const { group = '', version = 'v1', isInAll = false, isClusterScoped = false } = particulars
  return {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: particulars.short ?? [],
    categories: particulars.categories ?? (isInAll ? ['all'] : []),
    isNamespaced: !isClusterScoped,
    verbs: particulars.verbs ?? allVerbs,
    subresources: particulars.below ?? [],
    storage: particulars.storage ?? { group, version },
  }
}

const pod = [
  below('attach', 'PodAttachOptions', stream),
  below('binding', 'Binding', ['create']),
  below('ephemeralcontainers', 'Pod', object),
  below('eviction', 'Eviction', ['create'], { group: 'policy', version: 'v1' }),
  below('exec', 'PodExecOptions', stream),
  below('log', 'Pod', ['get']),
  below('portforward', 'PodPortForwardOptions', stream),
  below('proxy', 'PodProxyOptions', proxy),
  below('resize', 'Pod', object),
  status('Pod'),
]
const token = below('token', 'TokenRequest', ['create'], { group: 'authentication.k8s.io', version: 'v1' })

const core = [
  entry('ConfigMap', 'configmaps', { short: ['cm'] }),
  entry('Endpoints', 'endpoints', { short: ['ep'] }),
  entry('Event', 'events', { short: ['ev'] }),
  entry('Namespace', 'namespaces', {
    short: ['ns'],
    isClusterScoped: true,
    verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
    below: [below('finalize', 'Namespace', ['update']), status('Namespace')],
  }),
  entry('Node', 'nodes', {
    short: ['no'],
    isClusterScoped: true,
    below: [below('proxy', 'NodeProxyOptions', proxy), status('Node')],
  }),
  entry('PersistentVolumeClaim', 'persistentvolumeclaims', {
    short: ['pvc'],
    below: [status('PersistentVolumeClaim')],
  }),
  entry('PersistentVolume', 'persistentvolumes', {
    short: ['pv'],
    isClusterScoped: true,
    below: [status('PersistentVolume')],
  }),
  entry('Pod', 'pods', { short: ['po'], isInAll: true, below: pod }),
  entry('Secret', 'secrets'),
  entry('ServiceAccount', 'serviceaccounts', { short: ['sa'], below: [token] }),
  entry('Service', 'services', {
    short: ['svc'],
    isInAll: true,
    below: [below('proxy', 'ServiceProxyOptions', proxy), status('Service')],
  }),
]

const apps = [
  entry('ControllerRevision', 'controllerrevisions', { group: 'apps' }),
  entry('DaemonSet', 'daemonsets', { group: 'apps', short: ['ds'], isInAll: true, below: [status('DaemonSet')] }),
  entry('Deployment', 'deployments', {
    group: 'apps',
    short: ['deploy'],
    isInAll: true,
    below: [scale, status('Deployment')],
  }),
  entry('ReplicaSet', 'replicasets', {
    group: 'apps',
    short: ['rs'],
    isInAll: true,
    below: [scale, status('ReplicaSet')],
  }),
  entry('StatefulSet', 'statefulsets', {
    group: 'apps',
    short: ['sts'],
    isInAll: true,
    below: [scale, status('StatefulSet')],
  }),
]

const horizontalPodAutoscaler = {
  short: ['hpa'],
  isInAll: true,
  below: [status('HorizontalPodAutoscaler')],
  storage: autoscalingV2,
}

/** Returns the entry of a review, which the server answers and never stores. */
function review(group: string, kind: string, isClusterScoped = true): CatalogueEntry {
  return entry(kind, `${kind.toLowerCase()}s`, { group, isClusterScoped, verbs: ['create'] })
}

/** All resources in discovery. */
export const builtInCatalogue: readonly CatalogueEntry[] = [
  ...core,
  ...apps,
  entry('Event', 'events', { group: 'events.k8s.io', short: ['ev'], storage: coreV1 }),
  review('authentication.k8s.io', 'SelfSubjectReview'),
  review('authentication.k8s.io', 'TokenReview'),
  review('authorization.k8s.io', 'LocalSubjectAccessReview', false),
  review('authorization.k8s.io', 'SelfSubjectAccessReview'),
  review('authorization.k8s.io', 'SelfSubjectRulesReview'),
  review('authorization.k8s.io', 'SubjectAccessReview'),
  entry('HorizontalPodAutoscaler', 'horizontalpodautoscalers', { ...autoscalingV2, ...horizontalPodAutoscaler }),
  entry('HorizontalPodAutoscaler', 'horizontalpodautoscalers', { ...autoscaling, ...horizontalPodAutoscaler }),
  entry('CronJob', 'cronjobs', { group: 'batch', short: ['cj'], isInAll: true, below: [status('CronJob')] }),
  entry('Job', 'jobs', { group: 'batch', isInAll: true, below: [status('Job')] }),
  entry('IngressClass', 'ingressclasses', { group: 'networking.k8s.io', isClusterScoped: true }),
  entry('Ingress', 'ingresses', { group: 'networking.k8s.io', short: ['ing'], below: [status('Ingress')] }),
  entry('NetworkPolicy', 'networkpolicies', { group: 'networking.k8s.io', short: ['netpol'] }),
  entry('PodDisruptionBudget', 'poddisruptionbudgets', {
    group: 'policy',
    short: ['pdb'],
    below: [status('PodDisruptionBudget')],
  }),
  entry('ClusterRoleBinding', 'clusterrolebindings', { group: 'rbac.authorization.k8s.io', isClusterScoped: true }),
  entry('ClusterRole', 'clusterroles', { group: 'rbac.authorization.k8s.io', isClusterScoped: true }),
  entry('RoleBinding', 'rolebindings', { group: 'rbac.authorization.k8s.io' }),
  entry('Role', 'roles', { group: 'rbac.authorization.k8s.io' }),
  entry('StorageClass', 'storageclasses', { group: 'storage.k8s.io', short: ['sc'], isClusterScoped: true }),
  entry('CustomResourceDefinition', 'customresourcedefinitions', {
    group: 'apiextensions.k8s.io',
    short: ['crd', 'crds'],
    categories: ['api-extensions'],
    isClusterScoped: true,
    below: [status('CustomResourceDefinition')],
    // The real server still stores definitions in v1beta1, which it no longer serves. Only the hash shows it.
    storage: { group: 'apiextensions.k8s.io', version: 'v1beta1' },
  }),
  entry('PriorityClass', 'priorityclasses', { group: 'scheduling.k8s.io', short: ['pc'], isClusterScoped: true }),
  entry('Lease', 'leases', { group: 'coordination.k8s.io' }),
  entry('RuntimeClass', 'runtimeclasses', { group: 'node.k8s.io', isClusterScoped: true }),
  entry('EndpointSlice', 'endpointslices', { group: 'discovery.k8s.io' }),
]

/** Kinds whose objects are stored. */
export const keptKinds: readonly CatalogueEntry[] = builtInCatalogue.filter(({ verbs }) => verbs.includes('get'))
