// CEL libraries of IP addresses and networks. Sources: k8s.io/apiserver/pkg/cel/library/{ip,cidr}.go.
import { goQuoted } from '../../field-error.ts'
import type { Library } from '../function-table.ts'
import {
  containsAddress,
  formatAddress,
  type IpAddress,
  type IpNetwork,
  isFourInSix,
  masked,
  parseAddress,
  parseNetwork,
} from '../net-address.ts'
import { CelError, Composite, noSuchOverload, type Value } from '../value.ts'

export class IpValue extends Composite {
  readonly typeName = 'net.IP'
  readonly address: IpAddress

  constructor(address: IpAddress) {
    super()
    this.address = address
  }

  get size(): number {
    return this.address.bytes.length
  }

  equals(other: Value): Value {
    return other instanceof IpValue
      ? formatAddress(this.address) === formatAddress(other.address)
      : noSuchOverload(other)
  }
}

export class CidrValue extends Composite {
  readonly typeName = 'net.CIDR'
  readonly network: IpNetwork

  constructor(network: IpNetwork) {
    super()
    this.network = network
  }

  get size(): number {
    return Math.ceil(this.network.prefixLength / 8)
  }

  equals(other: Value): Value {
    return other instanceof CidrValue ? text(this.network) === text(other.network) : noSuchOverload(other)
  }
}

function text({ address, prefixLength }: IpNetwork): string {
  return `${formatAddress(address)}/${prefixLength}`
}

function ipOf(raw: string): IpValue | CelError {
  const address = parseAddress(raw)
  if (typeof address === 'string')
    return new CelError(`IP Address ${goQuoted(raw)} parse error during conversion from string: ${address}`)
  if (address.zone !== '') return new CelError(`IP address ${goQuoted(raw)} with zone value is not allowed`)
  if (isFourInSix(address)) return new CelError(`IPv4-mapped IPv6 address ${goQuoted(raw)} is not allowed`)
  return new IpValue(address)
}

function cidrOf(raw: string): CidrValue | CelError {
  const network = parseNetwork(raw)
  const during = 'network address parse error during conversion from string'
  if (typeof network === 'string') return new CelError(`${during}: ${during}: ${network}`)
  return isFourInSix(network.address)
    ? new CelError(`${during}: IPv4-mapped IPv6 address ${goQuoted(raw)} is not allowed`)
    : new CidrValue(network)
}

function isCanonical(raw: string): Value {
  const ip = ipOf(raw)
  return ip instanceof CelError ? ip : formatAddress(ip.address) === raw
}

function test(holds: (bytes: readonly number[]) => boolean) {
  return ({ address: { bytes } }: IpValue): Value => holds(bytes)
}

const isFour = (bytes: readonly number[]) => bytes.length === 4
const isUnspecified = (bytes: readonly number[]) => bytes.every((byte) => byte === 0)
const isLoopback = (bytes: readonly number[]) =>
  isFour(bytes) ? bytes[0] === 127 : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))
const isMulticast = ([first = 0, ...rest]: readonly number[]) =>
  rest.length === 3 ? (first & 0xf0) === 0xe0 : first === 0xff
const isLinkLocalUnicast = (bytes: readonly number[]) =>
  isFour(bytes) ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80
const isLinkLocalMulticast = (bytes: readonly number[]) =>
  isFour(bytes)
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02
const isGlobalUnicast = (bytes: readonly number[]) =>
  !(isFour(bytes) && bytes.every((byte) => byte === 255)) &&
  !isUnspecified(bytes) &&
  !isLoopback(bytes) &&
  !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes)

function containsIp({ network }: CidrValue, ip: IpValue | CelError): Value {
  // As in the API server, an invalid address causes the error of an unsupported overload.
  return ip instanceof CelError ? noSuchOverload() : containsAddress(network, ip.address)
}

function containsCidr({ network }: CidrValue, other: CidrValue | CelError): Value {
  if (other instanceof CelError) return other
  const overlaps = containsAddress(
    { ...network, prefixLength: Math.min(network.prefixLength, other.network.prefixLength) },
    other.network.address,
  )
  return overlaps && network.prefixLength <= other.network.prefixLength
}

export const ip: Library = {
  ip: { overloads: { string_to_ip: ['(string): IP', ipOf] } },
  family: {
    overloads: { ip_family: ['IP.(): int', ({ address }: IpValue) => (isFour(address.bytes) ? 4n : 6n)] },
  },
  'ip.isCanonical': { overloads: { ip_is_canonical: ['(string): bool', isCanonical] } },
  isUnspecified: { overloads: { ip_is_unspecified: ['IP.(): bool', test(isUnspecified)] } },
  isLoopback: { overloads: { ip_is_loopback: ['IP.(): bool', test(isLoopback)] } },
  isLinkLocalMulticast: {
    overloads: { ip_is_link_local_multicast: ['IP.(): bool', test(isLinkLocalMulticast)] },
  },
  isLinkLocalUnicast: {
    overloads: { ip_is_link_local_unicast: ['IP.(): bool', test(isLinkLocalUnicast)] },
  },
  isGlobalUnicast: { overloads: { ip_is_global_unicast: ['IP.(): bool', test(isGlobalUnicast)] } },
  isIP: { overloads: { is_ip: ['(string): bool', (raw: string) => ipOf(raw) instanceof IpValue] } },
  string: { overloads: { ip_to_string: ['(IP): string', ({ address }: IpValue) => formatAddress(address)] } },
}

export const cidr: Library = {
  cidr: { overloads: { string_to_cidr: ['(string): CIDR', cidrOf] } },
  containsIP: {
    overloads: {
      cidr_contains_ip_string: [
        'CIDR.(string): bool',
        (network: CidrValue, raw: string) => containsIp(network, ipOf(raw)),
      ],
      cidr_contains_ip_ip: ['CIDR.(IP): bool', containsIp],
    },
  },
  containsCIDR: {
    overloads: {
      cidr_contains_cidr_string: [
        'CIDR.(string): bool',
        (network: CidrValue, raw: string) => containsCidr(network, cidrOf(raw)),
      ],
      cidr_contains_cidr: ['CIDR.(CIDR): bool', containsCidr],
    },
  },
  ip: { overloads: { cidr_ip: ['CIDR.(): IP', ({ network }: CidrValue) => new IpValue(network.address)] } },
  prefixLength: {
    overloads: { cidr_prefix_length: ['CIDR.(): int', ({ network }: CidrValue) => BigInt(network.prefixLength)] },
  },
  masked: {
    overloads: {
      cidr_masked: [
        'CIDR.(): CIDR',
        ({ network }: CidrValue) => new CidrValue({ ...network, address: masked(network) }),
      ],
    },
  },
  isCIDR: { overloads: { is_cidr: ['(string): bool', (raw: string) => cidrOf(raw) instanceof CidrValue] } },
  string: { overloads: { cidr_to_string: ['(CIDR): string', ({ network }: CidrValue) => text(network)] } },
}
