// Kinds of the behaviours with their paths: built-in kinds, and `Widget`, a custom kind with every list and map type, a
// status and a
// scale.
import type { JsonObject } from '../../src/base/json.ts'

export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly isNamespaced: boolean
}

export const configMaps: Kind = builtIn('', 'v1', 'ConfigMap', 'configmaps')
export const secrets: Kind = builtIn('', 'v1', 'Secret', 'secrets')
export const services: Kind = builtIn('', 'v1', 'Service', 'services')
export const pods: Kind = builtIn('', 'v1', 'Pod', 'pods')
export const serviceAccounts: Kind = builtIn('', 'v1', 'ServiceAccount', 'serviceaccounts')
export const events: Kind = builtIn('', 'v1', 'Event', 'events')
export const claims: Kind = builtIn('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims')
export const namespaces: Kind = { ...builtIn('', 'v1', 'Namespace', 'namespaces'), isNamespaced: false }
export const deployments: Kind = builtIn('apps', 'v1', 'Deployment', 'deployments')
export const statefulSets: Kind = builtIn('apps', 'v1', 'StatefulSet', 'statefulsets')
export const jobs: Kind = builtIn('batch', 'v1', 'Job', 'jobs')
export const cronJobs: Kind = builtIn('batch', 'v1', 'CronJob', 'cronjobs')
export const autoscalers: Kind = builtIn('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers')
export const leases: Kind = builtIn('coordination.k8s.io', 'v1', 'Lease', 'leases')
export const roles: Kind = builtIn('rbac.authorization.k8s.io', 'v1', 'Role', 'roles')
export const roleBindings: Kind = builtIn('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings')
export const networkPolicies: Kind = builtIn('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies')
export const budgets: Kind = builtIn('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets')
export const definitions: Kind = {
  ...builtIn('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions'),
  isNamespaced: false,
}
export const widgetGroup = 'conformance.konverge.dev'
export const widgets: Kind = builtIn(widgetGroup, 'v1', 'Widget', 'widgets')

export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`
}

/** Returns the path of a collection; of all namespaces without `namespace`. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const scope = kind.isNamespaced && namespace !== undefined ? `/namespaces/${namespace}` : ''
  return `${root}${scope}/${kind.plural}`
}

/** Returns an object of a kind with this name. */
export function object(kind: Kind, name: string, rest: JsonObject = {}): JsonObject {
  const { metadata, ...fields } = rest as { metadata?: JsonObject } & JsonObject
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, ...metadata }, ...fields }
}

export function configMap(name: string, data: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return object(configMaps, name, { metadata, data })
}

export function widget(name: string, spec: JsonObject = {}, rest: JsonObject = {}): JsonObject {
  return object(widgets, name, { spec, ...rest })
}

const container = { name: 'main', image: 'example:1' }

export function podTemplate(app: string): JsonObject {
  return { metadata: { labels: { app } }, spec: { containers: [container] } }
}

/** Has no replicas, so that controllers create no pods. */
export function deployment(name: string, spec: JsonObject = {}): JsonObject {
  const selector = { matchLabels: { app: name } }
  return object(deployments, name, { spec: { replicas: 0, selector, template: podTemplate(name), ...spec } })
}

export function statefulSet(name: string, spec: JsonObject = {}): JsonObject {
  const selector = { matchLabels: { app: name } }
  return object(statefulSets, name, {
    spec: { replicas: 0, serviceName: name, selector, template: podTemplate(name), ...spec },
  })
}

/** Never scheduled, because its scheduler does not exist. */
export function pod(name: string, spec: JsonObject = {}): JsonObject {
  return object(pods, name, { spec: { schedulerName: 'none', containers: [container], ...spec } })
}

function builtIn(group: string, version: string, kind: string, plural: string): Kind {
  return { group, version, kind, plural, isNamespaced: true }
}
