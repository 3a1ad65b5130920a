// Desired EndpointSlices of a Service. Endpoints stay in their slice, new ones fill slices with room, and an emptied
// slice is reused
// before a new one is created. At least one slice always remains.
// Source: k8s.io/endpointslice/reconciler.go.
import { canonicalJson, deepEqual, type Json, type JsonObject } from '../../../base/json.ts'
import { isTrueAt, structAt, structsAt, textAt, valueAt } from '../../built-in/field-walk.ts'
import { isTerminating, labelsOf, metadataText, withMetadata } from '../../metadata.ts'
import { controllerReference } from './membership.ts'
import { isReady } from './pod-state.ts'
import {
  type AddressType,
  addressOf,
  addressTypesOf,
  answers,
  endpointLabels,
  hostnameOf,
  isSelected,
  nodeNameOf,
  type PodPort,
  podReference,
  portsOf,
} from './service-endpoints.ts'

export const serviceNameLabel = 'kubernetes.io/service-name'
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
export const sliceManager = 'endpointslice-controller.k8s.io'
const maxEndpoints = 100

export interface SlicePlan {
  readonly create: readonly JsonObject[]
  /** Existing slices in their desired state. */
  readonly update: readonly JsonObject[]
  readonly remove: readonly JsonObject[]
}

export interface SliceFacts {
  readonly service: JsonObject
  readonly pods: readonly JsonObject[]
  /** Returns the zone of a node name. */
  readonly zoneOf: (node: string) => string | undefined
  /** Slices of the Service that this controller manages. */
  readonly slices: readonly JsonObject[]
}

export function slicePlan(facts: SliceFacts): SlicePlan {
  const types = addressTypesOf(facts.service)
  const plans = types.map((type) => planOfType(facts, type))
  const others = facts.slices.filter((slice) => !types.some((type) => type === textAt(slice, 'addressType')))
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    remove: [...plans.flatMap(({ remove }) => remove), ...others],
  }
}

/** Endpoints that share their ports, by the pod's uid. */
interface Group {
  readonly ports: readonly PodPort[]
  readonly endpoints: Map<string, JsonObject>
}

function planOfType({ service, pods, zoneOf, slices }: SliceFacts, type: AddressType): SlicePlan {
  const live = slices.filter((slice) => textAt(slice, 'addressType') === type)
  const groups = groupsOf(service, pods, { type, zoneOf })
  const kept: JsonObject[] = []
  const emptied: JsonObject[] = []
  for (const slice of live) {
    const group = groups.get(portsKey(valueAt(slice, 'ports') ?? []))
    const endpoints = structsAt(slice, 'endpoints').flatMap((endpoint) => take(group, endpoint))
    if (endpoints.length === 0) emptied.push(slice)
    else kept.push({ ...slice, endpoints })
  }
  const fresh = [...groups.values()].flatMap((group) => spread(service, group, { kept, type }))
  if (kept.length + fresh.length === 0) fresh.push(newSlice(service, { type, ports: [], endpoints: [] }))
  const reused = fresh.slice(0, emptied.length).map((slice, index) => renamed(slice, emptied[index] ?? slice))
  return {
    create: fresh.slice(emptied.length),
    update: [...kept, ...reused].map((slice) => labelled(slice, service)).filter((slice) => !isThere(slice, live)),
    remove: emptied.slice(fresh.length),
  }
}

function groupsOf(
  service: JsonObject,
  pods: readonly JsonObject[],
  { type, zoneOf }: { readonly type: AddressType; readonly zoneOf: SliceFacts['zoneOf'] },
): Map<string, Group> {
  const groups = new Map<string, Group>()
  for (const pod of pods) {
    const address = addressOf(pod, type)
    if (address === undefined || !isSelected(service, pod) || !answers(pod, true)) continue
    const ports = portsOf(pod, service)
    const key = portsKey(ports.map((port) => ({ ...port })))
    const group = groups.get(key) ?? { ports, endpoints: new Map() }
    groups.set(key, group)
    const zone = zoneOf(textAt(structAt(pod, 'spec'), 'nodeName'))
    group.endpoints.set(metadataText(pod, 'uid'), {
      ...endpointOf(pod, service, address),
      ...(zone === undefined ? {} : { zone }),
    })
  }
  return groups
}

function endpointOf(pod: JsonObject, service: JsonObject, address: string): JsonObject {
  const [serving, terminating] = [isReady(pod), isTerminating(pod)]
  const publishesAll = isTrueAt(structAt(service, 'spec'), 'publishNotReadyAddresses')
  const hostname = hostnameOf(pod, service)
  return {
    addresses: [address],
    conditions: { ready: publishesAll || (serving && !terminating), serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: podReference(pod),
    ...nodeNameOf(pod),
  }
}

function portsKey(ports: Json): string {
  return canonicalJson(ports)
}

/** Removes and returns the current endpoint of the same pod from the group; returns nothing if the group has none. */
function take(group: Group | undefined, endpoint: JsonObject): readonly JsonObject[] {
  const uid = textAt(structAt(endpoint, 'targetRef'), 'uid')
  const now = group?.endpoints.get(uid)
  group?.endpoints.delete(uid)
  return now === undefined ? [] : [now]
}

/** Adds the remaining endpoints of a group to slices with room, in place. Returns new slices for the rest. */
function spread(
  service: JsonObject,
  { ports, endpoints }: Group,
  { kept, type }: { readonly kept: JsonObject[]; readonly type: AddressType },
): readonly JsonObject[] {
  const left = [...endpoints.values()]
  const key = portsKey(ports.map((port) => ({ ...port })))
  kept.forEach((slice, index) => {
    if (portsKey(valueAt(slice, 'ports') ?? []) !== key) return
    const there = structsAt(slice, 'endpoints')
    kept[index] = { ...slice, endpoints: [...there, ...left.splice(0, Math.max(0, maxEndpoints - there.length))] }
  })
  const fresh: JsonObject[] = []
  while (left.length > 0) fresh.push(newSlice(service, { type, ports, endpoints: left.splice(0, maxEndpoints) }))
  return fresh
}

interface SliceContent {
  readonly type: AddressType
  readonly ports: readonly PodPort[]
  readonly endpoints: readonly JsonObject[]
}

function newSlice(service: JsonObject, { type, ports, endpoints }: SliceContent): JsonObject {
  return {
    metadata: {
      generateName: `${metadataText(service, 'name')}-`,
      namespace: metadataText(service, 'namespace'),
      labels: labelsFor(service),
      ownerReferences: [controllerReference(service)],
    },
    ...{ addressType: type, ports: ports.map((port) => ({ ...port })), endpoints },
  }
}

function renamed(slice: JsonObject, old: JsonObject): JsonObject {
  return { ...old, ports: slice['ports'] ?? [], endpoints: slice['endpoints'] ?? [] }
}

function labelled(slice: JsonObject, service: JsonObject): JsonObject {
  const labels = labelsFor(service)
  return deepEqual(labelsOf(slice), labels) ? slice : withMetadata(slice, { labels })
}

function labelsFor(service: JsonObject): JsonObject {
  return endpointLabels(service, { [serviceNameLabel]: metadataText(service, 'name'), [managedByLabel]: sliceManager })
}

function isThere(slice: JsonObject, live: readonly JsonObject[]): boolean {
  const old = live.find((one) => metadataText(one, 'name') === metadataText(slice, 'name'))
  return (
    old !== undefined &&
    deepEqual(labelsOf(old), labelsOf(slice)) &&
    (['ports', 'endpoints'] as const).every((key) => deepEqual(valueAt(old, key) ?? [], valueAt(slice, key) ?? []))
  )
}
