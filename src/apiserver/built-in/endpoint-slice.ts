// Kind EndpointSlice. Sources: k8s.io/kubernetes/pkg/registry/discovery/endpointslice,
// pkg/apis/discovery/{v1,validation}.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, invalid, required, tooMany } from '../field-error.ts'
import { dns1123Label, dns1123Subdomain, dnsSubdomainName, labelKeyFaults, labelValueFaults } from '../name-rules.ts'
import { invalids, validateImmutable, validateLabels } from '../object-meta.ts'
import { validateRequiredChoice } from './choice-rules.ts'
import { validateCoreMetadata } from './core-metadata.ts'
import { validateEndpointIp } from './endpoint-ip.ts'
import {
  eachItem,
  type FieldErrors,
  mapAt,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withDefaults,
  withItems,
  withoutField,
} from './field-walk.ts'
import { ipWarnings, parseIp, validateCanonicalIp, validateIp } from './ip-rules.ts'
import { type KindRules, nextGenerationIf, usualRules, withGeneration } from './kind-rules.ts'
import { validateProtocol } from './port-rules.ts'
import { semanticEqual } from './semantic-equality.ts'

const maxima = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8, topology: 16 }
const managedBy = 'endpointslice.kubernetes.io/managed-by'
const ownControllers = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'])

export const endpointSliceRules: KindRules = {
  ...usualRules,
  setDefaults: (slice) => withItems(slice, 'ports', (port) => withDefaults(port, { name: '', protocol: 'TCP' })),
  prepareForCreate: (slice) => withGeneration(withoutTopology(slice), 1),
  validateCreate: (slice) => sliceErrors(slice, undefined),
  warningsOnCreate: (slice) => [
    ...(textAt(slice, 'addressType') === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...addressWarnings(slice),
  ],
  prepareForUpdate: (slice, old) => {
    const isChanged = ['addressType', 'endpoints', 'ports'].some(
      (key) => !semanticEqual(valueAt(slice, key), valueAt(old, key)),
    )
    const isRelabelled = !deepEqual(labelsOf(slice), labelsOf(old))
    const areSame = semanticEqual(valueAt(slice, 'endpoints'), valueAt(old, 'endpoints'))
    return nextGenerationIf(isChanged || isRelabelled, areSame ? slice : withoutTopology(slice), old)
  },
  validateUpdate: (slice, old) => [
    ...sliceErrors(slice, old),
    ...validateImmutable(textAt(slice, 'addressType'), textAt(old, 'addressType'), 'addressType'),
  ],
  warningsOnUpdate: addressWarnings,
}

function labelsOf(slice: JsonObject): JsonObject {
  return mapAt(mapAt(slice, 'metadata'), 'labels')
}

/** `deprecatedTopology` is read-only in this API version. */
function withoutTopology(slice: JsonObject): JsonObject {
  return withItems(slice, 'endpoints', (endpoint) => withoutField(endpoint, 'deprecatedTopology'))
}

function sliceErrors(slice: JsonObject, old: JsonObject | undefined): FieldErrors {
  const endpoints = structsAt(slice, 'endpoints')
  const isKept = old !== undefined && semanticEqual(endpoints, structsAt(old, 'endpoints'))
  const type = textAt(slice, 'addressType')
  return [
    ...validateCoreMetadata(mapAt(slice, 'metadata'), { isNamespaced: true, validateName: dnsSubdomainName }),
    ...validateRequiredChoice(type, 'addressType', ['FQDN', 'IPv4', 'IPv6']),
    ...portsErrors(structsAt(slice, 'ports')),
    ...(isKept ? [] : endpointsErrors(endpoints, type)),
  ]
}

function portsErrors(ports: readonly JsonObject[]): FieldErrors {
  if (ports.length > maxima.ports) return [tooMany('ports', ports.length, maxima.ports)]
  const names = ports.map((port) => textAt(port, 'name'))
  return eachItem(ports, 'ports', (port, path, index) => {
    const name = textAt(port, 'name')
    const protocol = optionalTextAt(port, 'protocol')
    const application = optionalTextAt(port, 'appProtocol')
    return [
      ...(name === '' ? [] : invalids(`${path}.name`, name, dns1123Label(name))),
      ...(names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
      ...(protocol === undefined ? [required(`${path}.protocol`)] : protocolErrors(protocol, `${path}.protocol`)),
      ...(application === undefined ? [] : invalids(`${path}.appProtocol`, application, labelKeyFaults(application))),
    ]
  })
}

/** In this kind an empty protocol is an unsupported one. */
function protocolErrors(protocol: string, field: string): FieldErrors {
  if (protocol !== '') return validateProtocol(protocol, field)
  const [error] = validateProtocol('-', field)
  return error === undefined ? noErrors : [{ ...error, value: '' }]
}

function endpointsErrors(endpoints: readonly JsonObject[], type: string): FieldErrors {
  if (endpoints.length > maxima.endpoints) return [tooMany('endpoints', endpoints.length, maxima.endpoints)]
  return eachItem(endpoints, 'endpoints', (endpoint, path) => {
    const addresses = textsAt(endpoint, 'addresses')
    const [node, hostname] = [optionalTextAt(endpoint, 'nodeName'), optionalTextAt(endpoint, 'hostname')]
    const topology = mapAt(endpoint, 'deprecatedTopology')
    const size = Object.keys(topology).length
    return [
      ...(addresses.length === 0 ? [required(`${path}.addresses`, 'must contain at least 1 address')] : []),
      ...(addresses.length > maxima.addresses
        ? [tooMany(`${path}.addresses`, addresses.length, maxima.addresses)]
        : []),
      ...addresses.flatMap((address, index) => addressErrors(address, type, `${path}.addresses`, index)),
      ...(node === undefined ? [] : invalids(`${path}.nodeName`, node, dnsSubdomainName(node, false))),
      ...(size > maxima.topology ? [tooMany(`${path}.deprecatedTopology`, size, maxima.topology)] : []),
      ...validateLabels(topology, `${path}.deprecatedTopology`),
      ...(hostname === undefined ? [] : invalids(`${path}.hostname`, hostname, dns1123Label(hostname))),
      ...hintsErrors(structAt(endpoint, 'hints'), `${path}.hints`),
    ]
  })
}

/** Addresses of an unknown type are not validated. */
function addressErrors(address: string, type: string, list: string, index: number): FieldErrors {
  const field = `${list}[${index}]`
  if (type === 'FQDN') return domainErrors(address, field)
  if (type !== 'IPv4' && type !== 'IPv6') return noErrors
  const errors = type === 'IPv4' ? validateIp(address, field) : validateCanonicalIp(address, field)
  if (errors.length > 0) return errors
  const isOther = parseIp(address)?.family !== type
  return [
    // The server reports the list here, not the item.
    ...(isOther ? [invalid(list, address, `must be an ${type} address`)] : []),
    ...validateEndpointIp(address, field),
  ]
}

function domainErrors(address: string, field: string): readonly FieldError[] {
  if (address === '') return [required(field)]
  const domain = address.replace(/\.$/, '')
  const faults = dns1123Subdomain(domain)
  if (faults.length > 0) return [invalid(field, domain, faults.join(','))]
  const labels = domain.split('.')
  if (labels.length < 2)
    return [invalid(field, domain, 'should be a domain with at least two segments separated by dots')]
  const long = labels.find((label) => dns1123Label(label).length > 0)
  return long === undefined ? [] : [invalid(field, long, dns1123Label(long).join(','))]
}

function hintsErrors(hints: Struct, field: string): FieldErrors {
  const zones = structsAt(hints, 'forZones').map((hint) => textAt(hint, 'name'))
  if (zones.length > maxima.hints) return [tooMany(`${field}.forZones`, zones.length, maxima.hints)]
  const zoneErrors = namesErrors(zones, `${field}.forZones`, labelValueFaults)
  const nodes = structsAt(hints, 'forNodes').map((hint) => textAt(hint, 'name'))
  if (nodes.length > maxima.hints) return [...zoneErrors, tooMany(`${field}.forNodes`, nodes.length, maxima.hints)]
  return [...zoneErrors, ...namesErrors(nodes, `${field}.forNodes`, (name) => dnsSubdomainName(name, false))]
}

function namesErrors(
  names: readonly string[],
  field: string,
  faultsOf: (name: string) => readonly string[],
): FieldErrors {
  return eachItem(names, field, (name, path, index) => [
    ...(names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
    ...invalids(`${path}.name`, name, faultsOf(name)),
  ])
}

function addressWarnings(slice: JsonObject): readonly string[] {
  if (ownControllers.has(textAt(labelsOf(slice), managedBy))) return []
  return structsAt(slice, 'endpoints').flatMap((endpoint, index) =>
    textsAt(endpoint, 'addresses').flatMap((address, at) =>
      ipWarnings(address, `endpoints[${index}].addresses[${at}]`),
    ),
  )
}
