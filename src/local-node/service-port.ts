// Which programs of this node answer for a Service, and on which ports? A kube-proxy's view of the pods that run here.
// Source: core/v1 ServiceSpec; k8s.io/endpointslice/utils.go for ports by name.
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

/** A pod of this node whose programs are ready. */
export interface LocalPod {
  readonly pod: PodObject
  readonly podIp: string
}

/** The ports that can be handed on: TCP, of a Service that selects pods and has an address of its own. */
export function servedPorts({ spec = {} }: ServiceObject): readonly ServicePort[] {
  if (spec.type === 'ExternalName' || spec.clusterIP === 'None' || spec.selector === undefined) return []
  return (spec.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP')
}

export function isSelected({ metadata, spec }: ServiceObject, { pod }: LocalPod): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false
  const labels = pod.metadata.labels ?? {}
  return Object.entries(spec?.selector ?? {}).every(([key, value]) => labels[key] === value)
}

/** Where the pod listens for this port; undefined if it has no port of that name. */
export function targetPortOf({ port, targetPort = port }: ServicePort, { pod }: LocalPod): number | undefined {
  if (typeof targetPort === 'number') return targetPort
  const ports = pod.spec.containers.flatMap((container) => container.ports ?? [])
  return ports.find(({ name }) => name === targetPort)?.containerPort
}
