// Endpoints of a Service on this node: a kube-proxy's view of the local pods. Source: core/v1 ServiceSpec;
// k8s.io/endpointslice/utils.go for ports by name.
import type { LiveObject } from '../object/object.ts'
import type { PodObject } from './pod.ts'

export interface ServiceSpec {
  readonly type?: string
  readonly clusterIP?: string
  readonly selector?: Readonly<Record<string, string>>
  readonly ports?: readonly ServicePort[]
}

export interface ServicePort {
  readonly port: number
  readonly protocol?: string
  readonly targetPort?: number | string
}

export type ServiceObject = LiveObject<ServiceSpec>

/** Ready pod of this node. */
export interface LocalPod {
  readonly pod: PodObject
  readonly podIp: string
}

/** Returns the ports that the node can forward: TCP, of a Service with a selector and a cluster IP. */
export function servedPorts({ spec = {} }: ServiceObject): readonly ServicePort[] {
  if (spec.type === 'ExternalName' || spec.clusterIP === 'None' || spec.selector === undefined) return []
  return (spec.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP')
}

export function isSelected({ metadata, spec }: ServiceObject, { pod }: LocalPod): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false
  const labels = pod.metadata.labels ?? {}
  return Object.entries(spec?.selector ?? {}).every(([key, value]) => labels[key] === value)
}

/** Returns the pod's port for this Service port; undefined if the pod has no port of that name. */
export function targetPortOf({ port, targetPort = port }: ServicePort, { pod }: LocalPod): number | undefined {
  if (typeof targetPort === 'number') return targetPort
  const ports = pod.spec.containers.flatMap((container) => container.ports ?? [])
  return ports.find(({ name }) => name === targetPort)?.containerPort
}
