// Validation of Services, at creation and update.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateService and its neighbours).
import type { JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { dns1123Label, dns1123Subdomain, dnsLabelName, labelKeyFaults } from '../name-rules.ts'
import { invalids, validateLabels } from '../object-meta.ts'
import { validateOptionalChoice, validateRequiredChoice } from './choice-rules.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import { validateEndpointIp } from './endpoint-ip.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  structAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
} from './field-walk.ts'
import { parseIp, validateCidr, validateIp } from './ip-rules.ts'
import { validatePort, validatePortNumber, validateProtocol } from './port-rules.ts'
import { validateAddressChange, validateAddresses } from './service-addresses.ts'
import {
  isExternallyAccessible,
  isExternalName,
  isHeadless,
  isLoadBalancer,
  needsHealthCheck,
  specOf,
} from './service-type.ts'

const hintsAnnotation = 'service.kubernetes.io/topology-aware-hints'
const modeAnnotation = 'service.kubernetes.io/topology-mode'
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const forLoadBalancers = "may only be used when `type` is 'LoadBalancer'"
const maxAffinitySeconds = 86_400

export function validateService(service: JsonObject): FieldErrors {
  return [
    ...validateCoreMetadata(mapAt(service, 'metadata'), { isNamespaced: true, validateName: dnsLabelName }),
    ...serviceErrors(service, undefined),
  ]
}

export function validateServiceUpdate(service: JsonObject, old: JsonObject): FieldErrors {
  const [spec, oldSpec] = [specOf(service), specOf(old)]
  const isHealthPortMoved =
    needsHealthCheck(oldSpec) &&
    needsHealthCheck(spec) &&
    integerAt(spec, 'healthCheckNodePort') !== integerAt(oldSpec, 'healthCheckNodePort')
  return [
    ...validateCoreMetadataUpdate(mapAt(service, 'metadata'), mapAt(old, 'metadata')),
    ...validateAddressChange(spec, oldSpec),
    ...classErrors(spec, oldSpec),
    ...(isHealthPortMoved ? [forbidden('spec.healthCheckNodePort', 'field is immutable')] : []),
    ...serviceErrors(service, old),
  ]
}

export function validateServiceStatusUpdate(service: JsonObject, old: JsonObject): FieldErrors {
  const ingress = structsAt(structAt(structAt(service, 'status'), 'loadBalancer'), 'ingress')
  const before = structsAt(structAt(structAt(old, 'status'), 'loadBalancer'), 'ingress')
  const field = 'status.loadBalancer.ingress'
  return [
    ...validateCoreMetadataUpdate(mapAt(service, 'metadata'), mapAt(old, 'metadata')),
    ...(!isLoadBalancer(specOf(service)) && ingress.length > 0
      ? [forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")]
      : eachItem(ingress, field, (item, path) => ingressErrors(item, before, path))),
  ]
}

function serviceErrors(service: JsonObject, old: JsonObject | undefined): FieldErrors {
  const spec = specOf(service)
  const oldSpec = old === undefined ? undefined : specOf(old)
  const ports = structsAt(spec, 'ports')
  return [
    ...topologyErrors(mapAt(mapAt(service, 'metadata'), 'annotations')),
    ...(ports.length === 0 && !isHeadless(spec) && !isExternalName(spec) ? [required('spec.ports')] : []),
    ...typeErrors(spec),
    ...portsErrors(ports),
    ...validateLabels(valueAt(spec, 'selector'), 'spec.selector'),
    ...affinityErrors(spec),
    ...validateAddresses(spec, oldSpec),
    ...externalIpsErrors(spec, oldSpec),
    ...validateRequiredChoice(textAt(spec, 'type'), 'spec.type', types),
    ...uniquePortsErrors(spec, ports),
    ...sourceRangesErrors(service, old),
    ...loadBalancerErrors(spec),
    ...classErrors(spec, undefined),
    ...trafficErrors(spec),
  ]
}

function topologyErrors(annotations: JsonObject): FieldErrors {
  const [mode, hints] = [textAt(annotations, modeAnnotation), textAt(annotations, hintsAnnotation)]
  const areBoth = Object.hasOwn(annotations, modeAnnotation) && Object.hasOwn(annotations, hintsAnnotation)
  const fault = `must match annotations[${hintsAnnotation}] when both are specified`
  return areBoth && mode !== hints ? [invalid(`metadata.annotations[${modeAnnotation}]`, mode, fault)] : noErrors
}

function typeErrors(spec: JsonObject): FieldErrors {
  const type = textAt(spec, 'type')
  if (type === 'LoadBalancer' || type === 'NodePort')
    return isHeadless(spec)
      ? [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
      : noErrors
  if (type !== 'ExternalName') return noErrors
  const foreign = 'may not be set for ExternalName services'
  const name = textAt(spec, 'externalName').replace(/\.$/, '')
  return [
    ...(textsAt(spec, 'clusterIPs').length > 0 ? [forbidden('spec.clusterIPs', foreign)] : []),
    ...(textsAt(spec, 'ipFamilies').length > 0 ? [forbidden('spec.ipFamilies', foreign)] : []),
    ...(valueAt(spec, 'ipFamilyPolicy') === undefined ? [] : [forbidden('spec.ipFamilyPolicy', foreign)]),
    ...(name === '' ? [required('spec.externalName')] : invalids('spec.externalName', name, dns1123Subdomain(name))),
  ]
}

function portsErrors(ports: readonly JsonObject[]): FieldErrors {
  const names = new Set<string>()
  return eachItem(ports, 'spec.ports', (port, path) => {
    const name = textAt(port, 'name')
    const isTaken = name !== '' && names.has(name)
    names.add(name)
    const protocol = optionalTextAt(port, 'appProtocol')
    return [
      ...(name === ''
        ? ports.length > 1
          ? [required(`${path}.name`)]
          : []
        : invalids(`${path}.name`, name, dns1123Label(name))),
      ...(isTaken ? [duplicate(`${path}.name`, name)] : []),
      ...validatePortNumber(integerAt(port, 'port'), `${path}.port`),
      ...validateProtocol(textAt(port, 'protocol'), `${path}.protocol`),
      ...validatePort(valueAt(port, 'targetPort'), `${path}.targetPort`),
      ...(protocol === undefined ? [] : invalids(`${path}.appProtocol`, protocol, labelKeyFaults(protocol))),
    ]
  })
}

function affinityErrors(spec: JsonObject): FieldErrors {
  const affinity = textAt(spec, 'sessionAffinity')
  const config = structAt(spec, 'sessionAffinityConfig')
  const choice = validateRequiredChoice(affinity, 'spec.sessionAffinity', ['ClientIP', 'None'])
  if (affinity === 'None' && config !== undefined)
    return [...choice, forbidden('spec.sessionAffinityConfig', 'must not be set when session affinity is None')]
  if (affinity !== 'ClientIP') return choice
  const seconds = optionalIntegerAt(structAt(config, 'clientIP'), 'timeoutSeconds') ?? 0
  const range = `must be greater than 0 and less than ${maxAffinitySeconds}`
  return seconds > 0 && seconds <= maxAffinitySeconds
    ? choice
    : [...choice, invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, range)]
}

function externalIpsErrors(spec: JsonObject, oldSpec: JsonObject | undefined): FieldErrors {
  const before = oldSpec === undefined ? [] : textsAt(oldSpec, 'externalIPs')
  return eachItem(textsAt(spec, 'externalIPs'), 'spec.externalIPs', (ip, path) => {
    const errors = validateIp(ip, path, before)
    return errors.length > 0 ? errors : validateEndpointIp(ip, path)
  })
}

function uniquePortsErrors(spec: JsonObject, ports: readonly JsonObject[]): FieldErrors {
  const isInternal = textAt(spec, 'type') === 'ClusterIP'
  const [nodePorts, own] = [new Set<string>(), new Set<string>()]
  const isSeen = (seen: Set<string>, key: string): boolean => {
    if (seen.has(key)) return true
    seen.add(key)
    return false
  }
  return eachItem(ports, 'spec.ports', (port, path) => {
    const [protocol, number] = [textAt(port, 'protocol'), integerAt(port, 'port')]
    const nodePort = integerAt(port, 'nodePort')
    return [
      ...(isInternal && nodePort !== 0
        ? [forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : []),
      ...(nodePort !== 0 && isSeen(nodePorts, `${protocol}/${nodePort}`)
        ? [duplicate(`${path}.nodePort`, nodePort)]
        : []),
      ...(isSeen(own, `${protocol}/${number}`) ? [duplicate(path, shownPort(protocol, number))] : []),
    ]
  })
}

/** Returns a port in the internal form, which error messages show. */
function shownPort(protocol: string, port: number): JsonObject {
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }
}

function sourceRangesErrors(service: JsonObject, old: JsonObject | undefined): FieldErrors {
  const spec = specOf(service)
  const ranges = textsAt(spec, 'loadBalancerSourceRanges')
  if (ranges.length === 0) return annotatedRangesErrors(service, old)
  const field = 'spec.LoadBalancerSourceRanges'
  const before = old === undefined ? [] : textsAt(specOf(old), 'loadBalancerSourceRanges').map((range) => range.trim())
  return [
    ...(isLoadBalancer(spec) ? [] : [forbidden(field, forLoadBalancers)]),
    ...eachItem(ranges, field, (range, path) => validateCidr(range.trim(), path, before)),
  ]
}

function annotatedRangesErrors(service: JsonObject, old: JsonObject | undefined): FieldErrors {
  const text = optionalTextAt(mapAt(mapAt(service, 'metadata'), 'annotations'), rangesAnnotation)
  if (text === undefined) return noErrors
  const before = old === undefined ? undefined : textAt(mapAt(mapAt(old, 'metadata'), 'annotations'), rangesAnnotation)
  const field = `metadata.annotations[${rangesAnnotation}]`
  const isUnchecked = text === before || text.trim() === ''
  return [
    ...(isLoadBalancer(specOf(service)) ? [] : [forbidden(field, forLoadBalancers)]),
    ...(isUnchecked
      ? []
      : text
          .trim()
          .split(',')
          .flatMap((range) => validateCidr(range.trim(), field))),
  ]
}

function loadBalancerErrors(spec: JsonObject): FieldErrors {
  const isSet = valueAt(spec, 'allocateLoadBalancerNodePorts') !== undefined
  if (isSet && !isLoadBalancer(spec)) return [forbidden('spec.allocateLoadBalancerNodePorts', forLoadBalancers)]
  return !isSet && isLoadBalancer(spec) ? [required('allocateLoadBalancerNodePorts')] : noErrors
}

function classErrors(spec: JsonObject, oldSpec: JsonObject | undefined): FieldErrors {
  const field = 'spec.loadBalancerClass'
  const name = optionalTextAt(spec, 'loadBalancerClass')
  const isKept =
    oldSpec === undefined ||
    !isLoadBalancer(oldSpec) ||
    !isLoadBalancer(spec) ||
    optionalTextAt(oldSpec, 'loadBalancerClass') === name
  return [
    ...(isKept ? [] : [invalid(field, name ?? null, 'may not change once set')]),
    ...(name === undefined
      ? []
      : isLoadBalancer(spec)
        ? invalids(field, name, labelKeyFaults(name))
        : [forbidden(field, forLoadBalancers)]),
  ]
}

function trafficErrors(spec: JsonObject): FieldErrors {
  const external = textAt(spec, 'externalTrafficPolicy')
  const isInternalNeeded = types.includes(textAt(spec, 'type')) && !isExternalName(spec)
  const internal = optionalTextAt(spec, 'internalTrafficPolicy')
  const policies = ['Cluster', 'Local']
  return [
    ...(isExternallyAccessible(spec)
      ? validateRequiredChoice(external, 'spec.externalTrafficPolicy', policies)
      : external === ''
        ? []
        : [invalid('spec.externalTrafficPolicy', external, 'may only be set for externally-accessible services')]),
    ...healthPortErrors(spec),
    ...(internal === undefined && isInternalNeeded ? [required('spec.internalTrafficPolicy')] : []),
    ...validateOptionalChoice(internal, 'spec.internalTrafficPolicy', policies),
    ...validateOptionalChoice(optionalTextAt(spec, 'trafficDistribution'), 'spec.trafficDistribution', [
      'PreferClose',
      'PreferSameZone',
      'PreferSameNode',
    ]),
  ]
}

function healthPortErrors(spec: JsonObject): readonly FieldError[] | FieldErrors {
  const port = integerAt(spec, 'healthCheckNodePort')
  const field = 'spec.healthCheckNodePort'
  const fault = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
  if (!needsHealthCheck(spec)) return port === 0 ? noErrors : [invalid(field, port, fault)]
  return port === 0 ? [required(field)] : validatePortNumber(port, field)
}

function ingressErrors(ingress: JsonObject, before: readonly JsonObject[], field: string): FieldErrors {
  const [ip, hostname] = [textAt(ingress, 'ip'), textAt(ingress, 'hostname')]
  const mode = optionalTextAt(ingress, 'ipMode')
  const known = before.map((item) => textAt(item, 'ip')).filter((address) => address !== '')
  return [
    ...(ip === '' ? [] : validateIp(ip, `${field}.ip`, known)),
    ...(mode === undefined
      ? ip === ''
        ? []
        : [required(`${field}.ipMode`, 'must be specified when `ip` is set')]
      : ip === ''
        ? [forbidden(`${field}.ipMode`, 'may not be specified when `ip` is not set')]
        : validateOptionalChoice(mode, `${field}.ipMode`, ['Proxy', 'VIP'])),
    ...(hostname === '' ? [] : invalids(`${field}.hostname`, hostname, dns1123Subdomain(hostname))),
    ...(parseIp(hostname) === undefined
      ? []
      : [invalid(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address')]),
  ]
}
