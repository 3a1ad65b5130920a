// Subsets of the Endpoints of a Service: ready and not ready addresses that share the same ports.
// Source: k8s.io/kubernetes/pkg/controller/endpoint, pkg/api/v1/endpoints.
import type { Json, JsonObject } from '../../../base/json.ts'
import { canonicalJson } from '../../../base/json.ts'
import { isTrueAt, structAt, structsAt, textAt } from '../../built-in/field-walk.ts'
import { isReady } from './pod-state.ts'
import {
  addressOf,
  addressTypesOf,
  answers,
  hostnameOf,
  isHeadless,
  isSelected,
  nodeNameOf,
  type PodPort,
  podReference,
  portsOf,
} from './service-endpoints.ts'

interface Address {
  readonly address: JsonObject
  readonly isReady: boolean
}

export function endpointSubsets(service: JsonObject, pods: readonly JsonObject[]): readonly JsonObject[] {
  const spec = structAt(service, 'spec')
  const publishesAll = isTrueAt(spec, 'publishNotReadyAddresses')
  const [type = 'IPv4'] = addressTypesOf(service)
  const portless = structsAt(spec, 'ports').length === 0 && isHeadless(service)
  /** Key: the port, or `null` for addresses without ports. */
  const byPort = new Map<string, { readonly port: PodPort | null; readonly addresses: Address[] }>()
  for (const pod of pods) {
    const ip = addressOf(pod, type)
    if (ip === undefined || !isSelected(service, pod) || !answers(pod, publishesAll)) continue
    const hostname = hostnameOf(pod, service)
    const address = {
      ip,
      ...(hostname === undefined ? {} : { hostname }),
      ...nodeNameOf(pod),
      targetRef: podReference(pod),
    }
    for (const port of portless ? [null] : portsOf(pod, service)) {
      const key = canonicalJson(port === null ? null : { ...port })
      const known = byPort.get(key) ?? { port, addresses: [] }
      byPort.set(key, known)
      known.addresses.push({ address, isReady: publishesAll || isReady(pod) })
    }
  }
  return packed([...byPort.values()])
}

/** Merges ports with exactly the same addresses into one subset. */
function packed(
  offers: readonly { readonly port: PodPort | null; readonly addresses: readonly Address[] }[],
): readonly JsonObject[] {
  const subsets = new Map<string, { readonly addresses: readonly Address[]; readonly ports: PodPort[] }>()
  for (const { port, addresses } of offers) {
    const sorted = [...addresses].sort((left, right) => (ipOf(left) < ipOf(right) ? -1 : 1))
    const key = canonicalJson(sorted.map(({ address, isReady: ready }): Json => [address, ready]))
    const subset = subsets.get(key) ?? { addresses: sorted, ports: [] }
    subsets.set(key, subset)
    if (port !== null) subset.ports.push(port)
  }
  return [...subsets.values()].map(({ addresses, ports }) => {
    const ready = addresses.filter((one) => one.isReady).map(({ address }) => address)
    const others = addresses.filter((one) => !one.isReady).map(({ address }) => address)
    return {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(others.length === 0 ? {} : { notReadyAddresses: others }),
      ...(ports.length === 0 ? {} : { ports: ports.map(withoutEmptyName) }),
    }
  })
}

function ipOf({ address }: Address): string {
  return textAt(address, 'ip')
}

function withoutEmptyName({ name, ...port }: PodPort): JsonObject {
  return name === '' ? port : { name, ...port }
}
