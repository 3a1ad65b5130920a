// Endpoints of a Service: pods, addresses and ports.
// Sources: k8s.io/endpointslice/utils.go, k8s.io/kubernetes/pkg/controller/endpoint.
import { type JsonObject, own } from '../../../base/json.ts'
import { mapAt, structAt, structsAt, textAt, textsAt, valueAt } from '../../built-in/field-walk.ts'
import { isTerminating, labelsOf, metadataText } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { type KindClient, keyOf } from './kind-client.ts'
import { isFinished, nodeOf } from './pod-state.ts'

export type AddressType = 'IPv4' | 'IPv6'

const headlessLabel = 'service.kubernetes.io/headless'

/** True for a Service with a selector; the controllers create no endpoints for others. */
export function selectsPods(service: JsonObject): boolean {
  const spec = structAt(service, 'spec')
  return textAt(spec, 'type') !== 'ExternalName' && structAt(spec, 'selector') !== undefined
}

export function isSelected(service: JsonObject, pod: JsonObject): boolean {
  const labels = labelsOf(pod)
  return Object.entries(mapAt(structAt(service, 'spec'), 'selector')).every(
    ([key, value]) => own(labels, key) === value,
  )
}

/** True if the pod is not finished and has an address. A terminating pod counts only with `includesTerminating`. */
export function answers(pod: JsonObject, includesTerminating: boolean): boolean {
  return !isFinished(pod) && addressesOf(pod).length > 0 && (includesTerminating || !isTerminating(pod))
}

/** Returns the pod's address of an IP family; undefined if it has none. */
export function addressOf(pod: JsonObject, type: AddressType): string | undefined {
  return addressesOf(pod).find((address) => (type === 'IPv6') === address.includes(':'))
}

export function addressTypesOf(service: JsonObject): readonly AddressType[] {
  const families = textsAt(structAt(service, 'spec'), 'ipFamilies')
  return families.length === 0 ? ['IPv4'] : families.map((family) => (family === 'IPv6' ? 'IPv6' : 'IPv4'))
}

/** Returns the pod's hostname if the pod's subdomain is the Service. */
export function hostnameOf(pod: JsonObject, service: JsonObject): string | undefined {
  const spec = structAt(pod, 'spec')
  const hostname = textAt(spec, 'hostname')
  return hostname !== '' && textAt(spec, 'subdomain') === metadataText(service, 'name') ? hostname : undefined
}

export function podReference(pod: JsonObject): JsonObject {
  return {
    kind: 'Pod',
    namespace: metadataText(pod, 'namespace'),
    name: metadataText(pod, 'name'),
    uid: metadataText(pod, 'uid'),
  }
}

export interface PodPort {
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol?: string
}

/** Returns the Service's ports as port numbers of this pod; omits ports that the pod lacks. */
export function portsOf(pod: JsonObject, service: JsonObject): readonly PodPort[] {
  return structsAt(structAt(service, 'spec'), 'ports').flatMap((port) => {
    const number = portNumber(pod, port)
    const appProtocol = textAt(port, 'appProtocol')
    if (number === undefined) return []
    return [
      {
        ...{ name: textAt(port, 'name'), port: number, protocol: textAt(port, 'protocol') },
        ...(appProtocol === '' ? {} : { appProtocol }),
      },
    ]
  })
}

export function isHeadless(service: JsonObject): boolean {
  const address = textAt(structAt(service, 'spec'), 'clusterIP')
  return address === '' || address === 'None'
}

/** Returns the Service's labels and `ours`, with the headless label if the Service has no cluster IP. */
export function endpointLabels(service: JsonObject, ours: Readonly<Record<string, string>>): JsonObject {
  const { [headlessLabel]: _, ...labels } = labelsOf(service)
  return { ...labels, ...(isHeadless(service) ? { [headlessLabel]: '' } : {}), ...ours }
}

/**
 * Returns the keys of the Services that a commit concerns: the Service itself, or those that select the pod before or
 * after it.
 */
export function serviceKeys(entry: LogEntry, services: KindClient): readonly string[] {
  const { shelf, namespace, name } = entry.place
  if (shelf === 'services') return [`${namespace}/${name}`]
  if (shelf !== 'pods') return []
  const pods = [entry.before, entry.now].flatMap((state) => (state === undefined ? [] : [state.object]))
  return pods
    .flatMap((pod) => services.perhapsChoosing(pod))
    .filter((service) => selectsPods(service) && pods.some((pod) => isSelected(service, pod)))
    .map(keyOf)
}

export function nodeNameOf(pod: JsonObject): { readonly nodeName?: string } {
  const nodeName = nodeOf(pod)
  return nodeName === '' ? {} : { nodeName }
}

function addressesOf(pod: JsonObject): readonly string[] {
  return structsAt(structAt(pod, 'status'), 'podIPs').map((address) => textAt(address, 'ip'))
}

function portNumber(pod: JsonObject, port: JsonObject): number | undefined {
  const wanted = valueAt(port, 'targetPort')
  if (typeof wanted === 'number') return wanted
  const spec = structAt(pod, 'spec')
  const sidecars = structsAt(spec, 'initContainers').filter((one) => textAt(one, 'restartPolicy') === 'Always')
  const found = [...structsAt(spec, 'containers'), ...sidecars]
    .flatMap((container) => structsAt(container, 'ports'))
    .find((one) => textAt(one, 'name') === wanted && textAt(one, 'protocol') === textAt(port, 'protocol'))
  const number = valueAt(found, 'containerPort')
  return typeof number === 'number' ? number : undefined
}
