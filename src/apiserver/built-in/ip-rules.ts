// Parser and validation of IP addresses and CIDR ranges, and of their canonical form.
// Source: k8s.io/apimachinery/pkg/util/validation/ip.go; the canonical text of IPv6 is RFC 5952's.
import { type FieldError, goQuoted, invalid } from '../field-error.ts'
import { type FieldErrors, noErrors } from './field-walk.ts'

export interface IpAddress {
  readonly family: 'IPv4' | 'IPv6'
  /** Four or sixteen bytes; an IPv4-mapped IPv6 address has four. */
  readonly bytes: readonly number[]
  /** True for the text form `::ffff:1.2.3.4`. */
  readonly isMapped: boolean
  /** True if an octet begins with a zero, which some parsers read as octal. */
  readonly hasLeadingZeros: boolean
}

/** Parses leniently, as the server's older fields do. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 64) return undefined
  if (!text.includes(':')) {
    const bytes = ipv4Bytes(text)
    return bytes === undefined
      ? undefined
      : { family: 'IPv4', bytes, isMapped: false, hasLeadingZeros: /(^|\.)0\d/.test(text) }
  }
  const bytes = ipv6Bytes(text)
  if (bytes === undefined) return undefined
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  const hasLeadingZeros = text.includes('.') && /[:.]0\d+(\.|$)/.test(text.slice(text.lastIndexOf(':')))
  return isMapped
    ? { family: 'IPv4', bytes: bytes.slice(12), isMapped, hasLeadingZeros }
    : { family: 'IPv6', bytes, isMapped, hasLeadingZeros }
}

export function ipText({ family, bytes }: IpAddress): string {
  return family === 'IPv4' ? bytes.join('.') : ipv6Text(bytes)
}

/** Validates an address in a field that predates strict validation; the old values in `allowed` stay valid. */
export function validateIp(text: string, field: string, allowed: readonly string[] = []): FieldErrors {
  if (allowed.includes(text)) return noErrors
  const ip = parseIp(text)
  if (ip === undefined) return [invalid(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
  return [
    ...(ip.hasLeadingZeros ? [invalid(field, text, 'must not have leading 0s')] : []),
    ...(ip.isMapped && !ip.hasLeadingZeros ? [invalid(field, text, 'must not be an IPv4-mapped IPv6 address')] : []),
  ]
}

/** As `validateIp`, and requires the canonical form. */
export function validateCanonicalIp(text: string, field: string): FieldErrors {
  const errors = validateIp(text, field)
  const ip = parseIp(text)
  if (errors.length > 0 || ip === undefined || ipText(ip) === text) return errors
  return [invalid(field, text, `must be in canonical form (${goQuoted(ipText(ip))})`)]
}

export function ipWarnings(text: string, field: string): readonly string[] {
  const ip = parseIp(text)
  if (ip === undefined) return []
  const canonical = ipText(ip)
  if (ip.hasLeadingZeros || ip.isMapped)
    return [`${field}: non-standard IP address ${goQuoted(text)} is invalid: use ${goQuoted(canonical)}`]
  return ip.family === 'IPv6' && canonical !== text
    ? [`${field}: IPv6 address ${goQuoted(text)} should be in RFC 5952 canonical format (${goQuoted(canonical)})`]
    : []
}

export interface IpRange {
  readonly ip: IpAddress
  readonly prefixLength: number
}

export function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf('/')
  const length = text.slice(slash + 1)
  const ip = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  if (ip === undefined || !/^\d{1,3}$/.test(length)) return undefined
  const bits = ip.family === 'IPv4' && !ip.isMapped ? 32 : 128
  return Number(length) <= bits ? { ip, prefixLength: Number(length) } : undefined
}

export function validateCidr(text: string, field: string, allowed: readonly string[] = []): readonly FieldError[] {
  if (allowed.includes(text)) return noErrors
  const range = parseCidr(text)
  if (range === undefined)
    return [invalid(field, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')]
  if (range.ip.hasLeadingZeros || /\/0\d/.test(text))
    return [invalid(field, text, 'must not have leading 0s in IP or prefix length')]
  if (range.ip.isMapped) return [invalid(field, text, 'must not have an IPv4-mapped IPv6 address')]
  return hasHostBits(range) ? [invalid(field, text, 'must not have bits set beyond the prefix length')] : noErrors
}

export function cidrWarnings(text: string, field: string): readonly string[] {
  const range = parseCidr(text)
  if (range === undefined) return []
  const { ip, prefixLength } = range
  const network = `${ipText(networkOf(range))}/${prefixLength}`
  const single = `${ipText(ip)}/${ip.bytes.length * 8}`
  const warnings = hasHostBits(range)
    ? [
        `${field}: CIDR value ${goQuoted(text)} is ambiguous in this context (should be ${goQuoted(network)} or ${goQuoted(single)}?)`,
      ]
    : []
  if (ip.hasLeadingZeros || ip.isMapped || /\/0\d/.test(text))
    return [...warnings, `${field}: non-standard CIDR value ${goQuoted(text)} is invalid: use ${goQuoted(network)}`]
  const canonical = `${ipText(ip)}/${prefixLength}`
  return warnings.length === 0 && ip.family === 'IPv6' && canonical !== text
    ? [`${field}: IPv6 CIDR value ${goQuoted(text)} should be in RFC 5952 canonical format (${goQuoted(canonical)})`]
    : warnings
}

/** Returns the first address of a range. */
export function networkOf({ ip, prefixLength }: IpRange): IpAddress {
  const length = ip.isMapped ? prefixLength - 96 : prefixLength
  const bytes = ip.bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, length - index * 8))) & 0xff)
  return { ...ip, bytes }
}

function hasHostBits(range: IpRange): boolean {
  return networkOf(range).bytes.some((byte, index) => byte !== range.ip.bytes[index])
}

function ipv4Bytes(text: string): readonly number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part))) return undefined
  const bytes = parts.map(Number)
  return bytes.every((byte) => byte <= 255) ? bytes : undefined
}

function ipv6Bytes(text: string): readonly number[] | undefined {
  const [head = '', tail, ...more] = text.split('::')
  if (more.length > 0) return undefined
  const before = groupBytes(head)
  const after = tail === undefined ? [] : groupBytes(tail)
  if (before === undefined || after === undefined) return undefined
  const missing = 16 - before.length - after.length
  if (tail === undefined) return missing === 0 && head !== '' ? before : undefined
  return missing >= 2 ? [...before, ...new Array<number>(missing).fill(0), ...after] : undefined
}

function groupBytes(text: string): readonly number[] | undefined {
  if (text === '') return []
  const groups = text.split(':')
  const bytes: number[] = []
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1
    const parsed = isLast && group.includes('.') ? ipv4Bytes(group) : hexBytes(group)
    if (parsed === undefined) return undefined
    bytes.push(...parsed)
  }
  return bytes
}

function hexBytes(group: string): readonly number[] | undefined {
  if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 0xff]
}

function ipv6Text(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0))
  const run = longestZeroRun(groups)
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':')
  if (run.length < 2) return text(groups)
  return `${text(groups.slice(0, run.start))}::${text(groups.slice(run.start + run.length))}`
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  let start = 0
  groups.forEach((group, index) => {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start }
  })
  return best
}
