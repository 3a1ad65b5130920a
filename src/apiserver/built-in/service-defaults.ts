// Defaults of Services.
// Source: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go.
import type { JsonObject } from '../../base/json.ts'
import {
  optionalTextAt,
  structIn,
  textAt,
  valueAt,
  withDefaults,
  withEmbedded,
  withField,
  withItems,
  withoutField,
  withStruct,
  withZeroDefaults,
} from './field-walk.ts'
import { isExternallyAccessible, isExternalName, isLoadBalancer, specOf } from './service-type.ts'

const affinitySeconds = 10_800
const internalTypes = new Set(['NodePort', 'LoadBalancer', 'ClusterIP'])

export function serviceDefaults(service: JsonObject): JsonObject {
  const specified = withEmbedded(service, 'spec', specDefaults)
  if (!isLoadBalancer(specOf(specified))) return specified
  return withStruct(specified, 'status', (status) =>
    withStruct(status, 'loadBalancer', (balancer) =>
      withItems(balancer, 'ingress', (ingress) =>
        textAt(ingress, 'ip') === '' ? ingress : withDefaults(ingress, { ipMode: 'VIP' }),
      ),
    ),
  )
}

function specDefaults(spec: JsonObject): JsonObject {
  const typed = affinityDefaults(withZeroDefaults(spec, { sessionAffinity: 'None', type: 'ClusterIP' }))
  const opened = withItems(typed, 'ports', portDefaults)
  const external = isExternallyAccessible(opened)
    ? withZeroDefaults(opened, { externalTrafficPolicy: 'Cluster' })
    : opened
  const internal = internalTypes.has(textAt(external, 'type'))
    ? withDefaults(external, { internalTrafficPolicy: 'Cluster' })
    : external
  return isLoadBalancer(internal) ? withDefaults(internal, { allocateLoadBalancerNodePorts: true }) : internal
}

function affinityDefaults(spec: JsonObject): JsonObject {
  const affinity = textAt(spec, 'sessionAffinity')
  if (affinity === 'None') return withoutField(spec, 'sessionAffinityConfig')
  const seconds = valueAt(structIn(spec, 'sessionAffinityConfig', 'clientIP'), 'timeoutSeconds')
  return affinity === 'ClientIP' && seconds === undefined
    ? withField(spec, 'sessionAffinityConfig', { clientIP: { timeoutSeconds: affinitySeconds } })
    : spec
}

function portDefaults(port: JsonObject): JsonObject {
  const number = valueAt(port, 'port') ?? 0
  return withZeroDefaults(port, { protocol: 'TCP', targetPort: number })
}

/** Returns a Service without stored fields that its type does not use; the status subresource shows all fields. */
export function shownService(service: JsonObject, subresource: string): JsonObject {
  if (subresource === 'status') return service
  return withStruct(service, 'spec', (spec) =>
    isExternalName(spec) && optionalTextAt(spec, 'internalTrafficPolicy') !== undefined
      ? withoutField(spec, 'internalTrafficPolicy')
      : spec,
  )
}
