// Allocation of a Service's addresses and ports, before its other steps. A pure choice from the values of other
// Services; `below` draws
// the numbers. One IP family, as in a control plane with one Service range.
// Sources: k8s.io/kubernetes/pkg/registry/core/service/storage (alloc.go, storage.go).
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { internalError, invalidObject } from '../status-error.ts'
import {
  integerAt,
  mapAt,
  optionalTextAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withField,
  withItems,
  withoutField,
  withStruct,
} from './field-walk.ts'
import { freeNumber, reservedOf } from './free-number.ts'
import { type IpRange, ipText, networkOf, parseIp } from './ip-rules.ts'
import { familyOf, validateAddresses } from './service-addresses.ts'
import { allocateNodePorts, type PortPool } from './service-node-ports.ts'
import { drawsNodePorts, isExternalName, needsHealthCheck, specOf } from './service-type.ts'

export interface ServicePools extends PortPool {
  /** IPv4 range, for example `10.96.0.0/16`. */
  readonly clusterIps: IpRange
  /** Returns a random integer from 0 up to and excluding the limit. */
  below(limit: number): number
}

/** Ranges of the test control plane: 10.96.0.0/16, and the default node ports. */
export const usualRanges: Pick<ServicePools, 'clusterIps' | 'nodePorts'> = {
  clusterIps: {
    ip: { family: 'IPv4', bytes: [10, 96, 0, 0], isMapped: false, hasLeadingZeros: false },
    prefixLength: 16,
  },
  nodePorts: { from: 30_000, to: 32_767 },
}

/** Returns the allocated values of a Service: addresses, and ports as texts. */
export function takenBy(service: JsonObject): readonly string[] {
  const spec = specOf(service)
  const ports = [
    ...structsAt(spec, 'ports').map((port) => integerAt(port, 'nodePort')),
    integerAt(spec, 'healthCheckNodePort'),
  ]
  return [
    ...textsAt(spec, 'clusterIPs').filter((ip) => ip !== 'None'),
    ...ports.filter((port) => port !== 0).map(String),
  ]
}

/**
 * Returns the Service with all addresses and ports that it needs; the same reference if it has them.
 * Throws StatusError if a requested value is unavailable.
 */
export function allocateService(service: JsonObject, old: JsonObject | undefined, pools: ServicePools): JsonObject {
  const name = textAt(mapAt(service, 'metadata'), 'name')
  const oldSpec = old === undefined ? undefined : specOf(old)
  return withStruct(service, 'spec', (sent) => {
    const patched = oldSpec === undefined ? sent : withGiven(sent, oldSpec)
    const plural = withPluralAddress(patched, oldSpec)
    const families = withFamilies(plural, oldSpec, name)
    const addressed = withAddresses(families, oldSpec, pools, name)
    return allocateNodePorts(addressed, oldSpec, pools, name)
  })
}

/** Restores allocated values that a client did not send again. */
function withGiven(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const keeps = !isExternalName(spec) && !isExternalName(oldSpec)
  const addressed = keeps
    ? ['clusterIP', 'clusterIPs'].reduce((result, key) => given(result, oldSpec, key), spec)
    : spec
  const opened = drawsNodePorts(spec) && drawsNodePorts(oldSpec) ? withGivenPorts(addressed, oldSpec) : addressed
  return needsHealthCheck(spec) && needsHealthCheck(oldSpec) ? given(opened, oldSpec, 'healthCheckNodePort') : opened
}

function given(spec: JsonObject, oldSpec: JsonObject, key: string): JsonObject {
  const value = valueAt(spec, key)
  const isEmpty = value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
  const before = valueAt(oldSpec, key)
  return isEmpty && before !== undefined ? withField(spec, key, before) : spec
}

function withGivenPorts(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const before = new Map(structsAt(oldSpec, 'ports').map((port) => [textAt(port, 'name'), integerAt(port, 'nodePort')]))
  const inUse = new Set(structsAt(spec, 'ports').map((port) => integerAt(port, 'nodePort')))
  return withItems(spec, 'ports', (port) => {
    const nodePort = before.get(textAt(port, 'name')) ?? 0
    const isFree = integerAt(port, 'nodePort') === 0 && nodePort !== 0 && !inUse.has(nodePort)
    return isFree ? withField(port, 'nodePort', nodePort) : port
  })
}

/** `clusterIPs` follows `clusterIP` for clients that know only the latter. */
function withPluralAddress(spec: JsonObject, oldSpec: JsonObject | undefined): JsonObject {
  const [ip, ips] = [textAt(spec, 'clusterIP'), textsAt(spec, 'clusterIPs')]
  if (oldSpec === undefined) return ip !== '' && ips.length === 0 ? withField(spec, 'clusterIPs', [ip]) : spec
  const [oldIp, oldIps] = [textAt(oldSpec, 'clusterIP'), textsAt(oldSpec, 'clusterIPs')]
  if (ip === oldIp) return oldIps.length > 0 && ips.length === 0 ? withField(spec, 'clusterIPs', oldIps) : spec
  if (!deepEqual(ips, oldIps)) return spec
  return ip === '' ? withoutField(spec, 'clusterIPs') : withField(spec, 'clusterIPs', [ip])
}

const policyAt = 'spec.ipFamilyPolicy'

function withFamilies(spec: JsonObject, oldSpec: JsonObject | undefined, name: string): JsonObject {
  if (isExternalName(spec) || (oldSpec !== undefined && isKeptDual(spec, oldSpec))) return spec
  const selects = Object.keys(mapAt(spec, 'selector')).length > 0
  const isPlainHeadless = textAt(spec, 'clusterIP') === 'None' && !selects
  const before = oldSpec === undefined ? undefined : optionalTextAt(oldSpec, 'ipFamilyPolicy')
  const policy =
    optionalTextAt(spec, 'ipFamilyPolicy') ?? before ?? (isPlainHeadless ? 'RequireDualStack' : 'SingleStack')
  const ruled = withField(spec, 'ipFamilyPolicy', policy)
  refuse(name, validateAddresses(ruled, oldSpec))
  const reduced = policy === 'SingleStack' && oldSpec !== undefined ? withFirstOnly(ruled, oldSpec) : ruled
  const ips = textsAt(reduced, 'clusterIPs').filter((ip) => ip !== 'None')
  const families = textsAt(reduced, 'ipFamilies')
  const inferred = [...families, ...ips.slice(families.length).map(familyOf)]
  refuse(name, [...stackErrors(reduced, oldSpec, policy), ...unknownErrors(reduced, ips, families.length)])
  if (isPlainHeadless) return withField(reduced, 'ipFamilies', headlessFamilies(inferred, policy))
  refuse(name, [
    ...(policy === 'RequireDualStack'
      ? [invalid(policyAt, policy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...inferred.flatMap((family, index) =>
      family === 'IPv4' ? [] : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ])
  return withField(reduced, 'ipFamilies', inferred.length === 0 ? ['IPv4'] : inferred)
}

/** A Service with PreferDualStack stays unchanged when the cluster changes. */
function isKeptDual(spec: JsonObject, oldSpec: JsonObject): boolean {
  return (
    optionalTextAt(spec, 'ipFamilyPolicy') === 'PreferDualStack' &&
    (optionalTextAt(oldSpec, 'ipFamilyPolicy') ?? 'PreferDualStack') === 'PreferDualStack' &&
    ['type', 'clusterIPs', 'ipFamilies'].every((key) =>
      deepEqual(valueAt(spec, key) ?? null, valueAt(oldSpec, key) ?? null),
    )
  )
}

function withFirstOnly(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  return ['clusterIPs', 'ipFamilies'].reduce((result, key) => {
    const [now, before] = [textsAt(result, key), textsAt(oldSpec, key)]
    return now.length > 1 && deepEqual(now, before) ? withField(result, key, now.slice(0, 1)) : result
  }, spec)
}

function stackErrors(spec: JsonObject, oldSpec: JsonObject | undefined, policy: string): readonly FieldError[] {
  const [ips, families] = [textsAt(spec, 'clusterIPs'), textsAt(spec, 'ipFamilies')]
  const [oldIps, oldFamilies] =
    oldSpec === undefined ? [[], []] : [textsAt(oldSpec, 'clusterIPs'), textsAt(oldSpec, 'ipFamilies')]
  const isReduced = (now: readonly string[], before: readonly string[]): boolean =>
    policy !== 'SingleStack' && now.length > 0 && now.length < before.length
  const isTooMany = (now: readonly string[]): boolean => policy === 'SingleStack' && now.length === 2
  const says = (isTrue: boolean, fault: string): readonly FieldError[] =>
    isTrue ? [invalid(policyAt, policy, fault)] : []
  const both = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
  return [
    ...says(isReduced(ips, oldIps), "must be 'SingleStack' to release the secondary cluster IP"),
    ...says(isReduced(families, oldFamilies), "must be 'SingleStack' to release the secondary IP family"),
    ...says(isTooMany(ips), `${both} cluster IPs are specified`),
    ...says(isTooMany(families), `${both} IP families are specified`),
  ]
}

function unknownErrors(spec: JsonObject, ips: readonly string[], known: number): readonly FieldError[] {
  return ips.flatMap((ip, index) =>
    index < known || familyOf(ip) === 'IPv4'
      ? []
      : [invalid(`spec.clusterIPs[${index}]`, textsAt(spec, 'clusterIPs'), 'IPv6 is not configured on this cluster')],
  )
}

/** The families of the endpoints of a Service without a selector are unknown. */
function headlessFamilies(families: readonly string[], policy: string): readonly string[] {
  const [first = 'IPv4', ...rest] = families
  if (rest.length > 0 || policy === 'SingleStack') return [first, ...rest]
  return [first, first === 'IPv4' ? 'IPv6' : 'IPv4']
}

function withAddresses(
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  pools: ServicePools,
  name: string,
): JsonObject {
  const ips = textsAt(spec, 'clusterIPs')
  const isNew = oldSpec === undefined || isExternalName(oldSpec)
  if (isExternalName(spec) || ips[0] === 'None' || !isNew) return spec
  const [asked = ''] = ips
  if (asked === '') {
    const ip = freeIp(pools, name)
    return withField(withField(spec, 'clusterIP', ip), 'clusterIPs', [ip])
  }
  const fault = ipFault(asked, pools)
  if (fault !== undefined) refuse(name, [invalid('spec.clusterIPs', ips, `failed to allocate IP ${asked}: ${fault}`)])
  return spec
}

function ipFault(asked: string, { clusterIps, isTaken }: ServicePools): string | undefined {
  const ip = parseIp(asked)
  const offset = ip === undefined ? -1 : offsetOf(ip.bytes) - offsetOf(networkOf(clusterIps).bytes)
  const size = 2 ** (32 - clusterIps.prefixLength)
  // The first address is the network address, the last the broadcast address.
  if (ip === undefined || offset <= 0 || offset >= size - 1)
    return 'the provided network does not match the current range'
  return isTaken(ipText(ip)) ? 'provided IP is already allocated' : undefined
}

function freeIp({ clusterIps, isTaken, below }: ServicePools, name: string): string {
  const first = offsetOf(networkOf(clusterIps).bytes) + 1
  const size = 2 ** (32 - clusterIps.prefixLength)
  const range = { size: size - 2, reserved: reservedOf(size, 16, 256), below }
  const position = freeNumber(range, (number) => isTaken(textOf(first + number)))
  if (position !== undefined) return textOf(first + position)
  throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`)
}

function offsetOf(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'Service' }, name, errors)
}
