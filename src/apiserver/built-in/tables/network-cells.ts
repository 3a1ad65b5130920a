// Tables of Services and other network kinds in `kubectl get`.
// Source: kubernetes/pkg/printers/internalversion/printers.go.
import type { JsonObject } from '../../../base/json.ts'
import {
  integerAt,
  mapAt,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structIn,
  structsAt,
  textAt,
  textsAt,
} from '../field-walk.ts'
import type { Cells } from './cell.ts'
import { age, annotation, firstFew, name, slashed } from './common-cells.ts'
import { shownLabels, shownSelector } from './shown-selector.ts'

const service: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  return [
    name(object),
    textAt(spec, 'type'),
    textsAt(spec, 'clusterIPs')[0] ?? '<none>',
    externalAddress(object),
    structsAt(spec, 'ports').map(servicePort).join(',') || '<none>',
    age(object, nowMs),
    shownLabels(mapAt(spec, 'selector')),
  ]
}

function servicePort(port: JsonObject): string {
  const node = integerAt(port, 'nodePort')
  const number = `${integerAt(port, 'port')}${node > 0 ? `:${node}` : ''}`
  return `${number}/${textAt(port, 'protocol')}`
}

function externalAddress(service: JsonObject): string {
  const spec = structAt(service, 'spec')
  const external = textsAt(spec, 'externalIPs').join(',')
  const hasExternal = textsAt(spec, 'externalIPs').length > 0
  switch (textAt(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return hasExternal ? external : '<none>'
    case 'LoadBalancer': {
      const balancer = loadBalancer(structIn(service, 'status', 'loadBalancer'))
      if (hasExternal) return balancer === '' ? external : `${balancer},${external}`
      return balancer || '<pending>'
    }
    case 'ExternalName':
      return textAt(spec, 'externalName')
    default:
      return '<unknown>'
  }
}

/** Shows addresses, or hostnames for points without an address, unique and sorted. */
function loadBalancer(balancer: Struct): string {
  const points = structsAt(balancer, 'ingress').map((point) => textAt(point, 'ip') || textAt(point, 'hostname'))
  return [...new Set(points.filter((point) => point !== ''))].sort().join(',')
}

const endpoints: Cells = (object, nowMs) => {
  const subsets = structsAt(object, 'subsets')
  if (subsets.length === 0) return [name(object), '<none>', age(object, nowMs)]
  const all = subsets.flatMap((subset) => {
    const addresses = structsAt(subset, 'addresses').map((address) => textAt(address, 'ip'))
    const ports = structsAt(subset, 'ports')
    if (ports.length === 0) return addresses
    return ports.flatMap((port) => addresses.map((address) => hostPort(address, integerAt(port, 'port'))))
  })
  return [name(object), firstFew(all, 3, ','), age(object, nowMs)]
}

function hostPort(host: string, port: number): string {
  return host.includes(':') || host.includes('%') ? `[${host}]:${port}` : `${host}:${port}`
}

const endpointSlice: Cells = (object, nowMs) => {
  const ports = structsAt(object, 'ports').map((port) => {
    const number = optionalIntegerAt(port, 'port')
    return number === undefined ? (optionalTextAt(port, 'name') ?? '*') : String(number)
  })
  const addresses = structsAt(object, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'))
  return [
    name(object),
    textAt(object, 'addressType'),
    firstFew(ports, 3, ',') || '<unset>',
    firstFew(addresses, 3, ',') || '<unset>',
    age(object, nowMs),
  ]
}

const ingress: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  return [
    name(object),
    optionalTextAt(spec, 'ingressClassName') ?? '<none>',
    hosts(structsAt(spec, 'rules')),
    loadBalancer(structIn(object, 'status', 'loadBalancer')),
    structsAt(spec, 'tls').length > 0 ? '80, 443' : '80',
    age(object, nowMs),
  ]
}

/** Shows up to three hosts and the number of the remaining rules, with or without a host. */
function hosts(rules: readonly JsonObject[]): string {
  const list: string[] = []
  let hasMore = false
  for (const rule of rules) {
    if (list.length === 3) hasMore = true
    const host = textAt(rule, 'host')
    if (!hasMore && host !== '') list.push(host)
  }
  if (list.length === 0) return '*'
  return hasMore ? `${list.join(',')} + ${rules.length - 3} more...` : list.join(',')
}

const ingressClass: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const parameters = structAt(spec, 'parameters')
  const group = optionalTextAt(parameters, 'apiGroup')
  const kind = textAt(parameters, 'kind')
  const isDefault = annotation(object, 'ingressclass.kubernetes.io/is-default-class') === 'true'
  return [
    isDefault ? `${name(object)} (default)` : name(object),
    textAt(spec, 'controller'),
    parameters === undefined
      ? '<none>'
      : slashed(group === undefined ? kind : `${kind}.${group}`, textAt(parameters, 'name')),
    age(object, nowMs),
  ]
}

const networkPolicy: Cells = (object, nowMs) => [
  name(object),
  shownSelector(structIn(object, 'spec', 'podSelector')),
  age(object, nowMs),
]

export const networkCells: Readonly<Record<string, Cells>> = {
  EndpointSlice: endpointSlice,
  Endpoints: endpoints,
  Ingress: ingress,
  IngressClass: ingressClass,
  NetworkPolicy: networkPolicy,
  Service: service,
}
