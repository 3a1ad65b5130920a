// Properties that follow from a Service's type. Source: k8s.io/kubernetes/pkg/api/service/util.go.
import type { JsonObject } from '../../base/json.ts'
import { mapAt, textAt, textsAt, valueAt } from './field-walk.ts'

export function specOf(service: JsonObject): JsonObject {
  return mapAt(service, 'spec')
}

export function isExternalName(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'ExternalName'
}

export function isLoadBalancer(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer'
}

/** True if the Service's ports are open on every node. */
export function hasNodePorts(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'NodePort' || isLoadBalancer(spec)
}

/** True if the server allocates node ports that the Service does not name. */
export function drawsNodePorts(spec: JsonObject): boolean {
  return hasNodePorts(spec) && (!isLoadBalancer(spec) || valueAt(spec, 'allocateLoadBalancerNodePorts') !== false)
}

export function isExternallyAccessible(spec: JsonObject): boolean {
  return hasNodePorts(spec) || (textAt(spec, 'type') === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0)
}

export function needsHealthCheck(spec: JsonObject): boolean {
  return isLoadBalancer(spec) && textAt(spec, 'externalTrafficPolicy') === 'Local'
}

/** True if the Service has no cluster IP. */
export function isHeadless(spec: JsonObject): boolean {
  const ips = textsAt(spec, 'clusterIPs')
  return ips.length === 1 && ips[0] === 'None'
}
