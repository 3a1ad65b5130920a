// What does a service's type bring with it? Source: k8s.io/kubernetes/pkg/api/service/util.go.
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

/** Its ports are opened on every node. */
export function hasNodePorts(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'NodePort' || isLoadBalancer(spec)
}

/** Those that it does not name are drawn for it. */
export function drawsNodePorts(spec: JsonObject): boolean {
  return hasNodePorts(spec) && (!isLoadBalancer(spec) || valueAt(spec, 'allocateLoadBalancerNodePorts') !== false)
}

export function isExternallyAccessible(spec: JsonObject): boolean {
  return hasNodePorts(spec) || (textAt(spec, 'type') === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0)
}

export function needsHealthCheck(spec: JsonObject): boolean {
  return isLoadBalancer(spec) && textAt(spec, 'externalTrafficPolicy') === 'Local'
}

/** It has no address of its own. */
export function isHeadless(spec: JsonObject): boolean {
  const ips = textsAt(spec, 'clusterIPs')
  return ips.length === 1 && ips[0] === 'None'
}
