// Kind Endpoints. Sources: k8s.io/kubernetes/pkg/registry/core/endpoint/strategy.go,
// pkg/apis/core/{v1,validation}.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { required } from '../field-error.ts'
import { dns1123Label, dnsSubdomainName, labelKeyFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import { validateEndpointIp } from './endpoint-ip.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  mapAt,
  optionalTextAt,
  structsAt,
  textAt,
  withItems,
  withZeroDefaults,
} from './field-walk.ts'
import { ipWarnings, validateIp } from './ip-rules.ts'
import { type KindRules, usualRules } from './kind-rules.ts'
import { validatePortNumber, validateProtocol } from './port-rules.ts'

const lists = ['addresses', 'notReadyAddresses'] as const

export const endpointsRules: KindRules = {
  ...usualRules,
  setDefaults: (endpoints) =>
    withItems(endpoints, 'subsets', (subset) =>
      withItems(subset, 'ports', (port) => withZeroDefaults(port, { protocol: 'TCP' })),
    ),
  validateCreate: (endpoints) => [...metadataErrors(endpoints), ...subsetsErrors(endpoints)],
  validateUpdate: (endpoints, old) => [
    ...validateCoreMetadataUpdate(mapAt(endpoints, 'metadata'), mapAt(old, 'metadata')),
    ...metadataErrors(endpoints),
    ...(deepEqual(structsAt(endpoints, 'subsets'), structsAt(old, 'subsets')) ? [] : subsetsErrors(endpoints)),
  ],
  warningsOnCreate: addressWarnings,
  warningsOnUpdate: addressWarnings,
  createsOnUpdate: true,
}

function metadataErrors(endpoints: JsonObject): FieldErrors {
  return validateCoreMetadata(mapAt(endpoints, 'metadata'), { isNamespaced: true, validateName: dnsSubdomainName })
}

function subsetsErrors(endpoints: JsonObject): FieldErrors {
  return eachItem(structsAt(endpoints, 'subsets'), 'subsets', (subset, path) => {
    const isEmpty = lists.every((list) => structsAt(subset, list).length === 0)
    const ports = structsAt(subset, 'ports')
    return [
      ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...lists.flatMap((list) => eachItem(structsAt(subset, list), `${path}.${list}`, addressErrors)),
      ...eachItem(ports, `${path}.ports`, (port, portPath) => portErrors(port, ports.length > 1, portPath)),
    ]
  })
}

function addressErrors(address: JsonObject, field: string): FieldErrors {
  const [ip, hostname] = [textAt(address, 'ip'), textAt(address, 'hostname')]
  const node = optionalTextAt(address, 'nodeName')
  return [
    ...validateIp(ip, `${field}.ip`),
    ...(hostname === '' ? [] : invalids(`${field}.hostname`, hostname, dns1123Label(hostname))),
    ...(node === undefined ? [] : invalids(`${field}.nodeName`, node, dnsSubdomainName(node, false))),
    ...validateEndpointIp(ip, `${field}.ip`),
  ]
}

function portErrors(port: JsonObject, needsName: boolean, field: string): FieldErrors {
  const name = textAt(port, 'name')
  const protocol = optionalTextAt(port, 'appProtocol')
  return [
    ...(name !== ''
      ? invalids(`${field}.name`, name, dns1123Label(name))
      : needsName
        ? [required(`${field}.name`)]
        : []),
    ...validatePortNumber(integerAt(port, 'port'), `${field}.port`),
    ...validateProtocol(textAt(port, 'protocol'), `${field}.protocol`),
    ...(protocol === undefined ? [] : invalids(`${field}.appProtocol`, protocol, labelKeyFaults(protocol))),
  ]
}

/** Returns no warnings for the endpoint controller, which corrects addresses itself. */
function addressWarnings(endpoints: JsonObject): readonly string[] {
  const manager = textAt(mapAt(mapAt(endpoints, 'metadata'), 'labels'), 'endpoints.kubernetes.io/managed-by')
  if (manager === 'endpoint-controller') return []
  return structsAt(endpoints, 'subsets').flatMap((subset, index) =>
    lists.flatMap((list) =>
      structsAt(subset, list).flatMap((address, at) =>
        ipWarnings(textAt(address, 'ip'), `subsets[${index}].${list}[${at}].ip`),
      ),
    ),
  )
}
