// Parser and formatter of IP addresses and networks. Source: Go's net/netip.
import { goQuoted } from '../field-error.ts'

/** 4 or 16 bytes. */
export interface IpAddress {
  readonly bytes: readonly number[]
  /** Zone after `%`; usually empty. */
  readonly zone: string
}

/** Returns the address, or Go's error message. */
export function parseAddress(text: string): IpAddress | string {
  const [first] = /[.:%]/.exec(text) ?? []
  switch (first) {
    case '.': {
      const bytes = parseFour(text, text)
      return typeof bytes === 'string' ? bytes : { bytes, zone: '' }
    }
    case ':':
      return parseSixteen(text)
    case '%':
      return fault(text, 'missing IPv6 address')
    default:
      return fault(text, 'unable to parse IP')
  }
}

function fault(whole: string, message: string, rest = ''): string {
  return `ParseAddr(${goQuoted(whole)}): ${message}${rest === '' ? '' : ` (at ${goQuoted(rest)})`}`
}

function parseFour(whole: string, text: string): number[] | string {
  const fields: number[] = []
  let [value, digits] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character >= '0' && character <= '9') {
      if (digits === 1 && value === 0) return fault(whole, 'IPv4 field has octet with leading zero')
      value = value * 10 + Number(character)
      digits++
      if (value > 255) return fault(whole, 'IPv4 field has value >255')
    } else if (character === '.') {
      if (at === 0 || at === text.length - 1 || text[at - 1] === '.')
        return fault(whole, 'IPv4 field must have at least one digit', text.slice(at))
      if (fields.length === 3) return fault(whole, 'IPv4 address too long')
      fields.push(value)
      ;[value, digits] = [0, 0]
    } else return fault(whole, 'unexpected character', text.slice(at))
  }
  return fields.length < 3 ? fault(whole, 'IPv4 address too short') : [...fields, value]
}

function parseSixteen(whole: string): IpAddress | string {
  const percent = whole.indexOf('%')
  const zone = percent < 0 ? '' : whole.slice(percent + 1)
  if (percent >= 0 && zone === '') return fault(whole, 'zone must be a non-empty string')
  let rest = percent < 0 ? whole : whole.slice(0, percent)
  const bytes: number[] = []
  let gap = -1
  if (rest.startsWith('::')) {
    gap = 0
    rest = rest.slice(2)
    if (rest === '') return { bytes: Array<number>(16).fill(0), zone }
  }
  while (bytes.length < 16) {
    const [digits = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? []
    const wrong = groupFault(digits)
    if (wrong !== undefined) return fault(whole, wrong, rest)
    if (rest[digits.length] === '.') {
      const four = parseEmbedded(whole, rest, bytes.length, gap)
      if (typeof four === 'string') return four
      bytes.push(...four)
      rest = ''
      break
    }
    const group = Number.parseInt(digits, 16)
    bytes.push(group >> 8, group & 255)
    const after = afterGroup(rest.slice(digits.length), gap >= 0)
    if (typeof after !== 'string') return fault(whole, after.message, after.rest)
    // A second colon after the first one is the gap of zero groups.
    const isGap = after.startsWith(':')
    if (isGap) gap = bytes.length
    rest = isGap ? after.slice(1) : after
    if (rest === '') break
  }
  return completed(whole, bytes, gap, rest, zone)
}

/** Returns the text after the colon behind a group, or the fault. */
function afterGroup(rest: string, hasGap: boolean): string | { readonly message: string; readonly rest: string } {
  if (rest === '') return ''
  if (!rest.startsWith(':')) return { message: 'unexpected character, want colon', rest }
  if (rest === ':') return { message: 'colon must be followed by more characters', rest }
  const after = rest.slice(1)
  return after.startsWith(':') && hasGap ? { message: 'multiple :: in address', rest: after } : after
}

function groupFault(digits: string): string | undefined {
  if (digits.length > 4) return 'each group must have 4 or less digits'
  return digits === '' ? 'each colon-separated field must have at least one digit' : undefined
}

function parseEmbedded(whole: string, rest: string, filled: number, gap: number): number[] | string {
  if (gap < 0 && filled !== 12)
    return fault(whole, 'embedded IPv4 address must replace the final 2 fields of the address', rest)
  if (filled + 4 > 16)
    return fault(whole, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest)
  return parseFour(whole, rest)
}

function completed(whole: string, bytes: number[], gap: number, rest: string, zone: string): IpAddress | string {
  if (rest !== '') return fault(whole, 'trailing garbage after address', rest)
  if (bytes.length === 16)
    return gap < 0 ? { bytes, zone } : fault(whole, 'the :: must expand to at least one field of zeros')
  if (gap < 0) return fault(whole, 'address string too short')
  const zeros = Array<number>(16 - bytes.length).fill(0)
  return { bytes: [...bytes.slice(0, gap), ...zeros, ...bytes.slice(gap)], zone }
}

/** Returns the canonical form: the longest run of zero groups becomes `::`. */
export function formatAddress({ bytes, zone }: IpAddress): string {
  if (bytes.length === 4) return bytes.join('.')
  const suffix = zone === '' ? '' : `%${zone}`
  if (isFourInSix({ bytes, zone })) return `::ffff:${bytes.slice(12).join('.')}${suffix}`
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0))
  const { start, length } = longestZeros(groups)
  const shown = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':')
  if (length < 2) return shown(groups) + suffix
  return `${shown(groups.slice(0, start))}::${shown(groups.slice(start + length))}${suffix}`
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  return best
}

/** True for an IPv4-mapped IPv6 address: `::ffff:1.2.3.4`. */
export function isFourInSix({ bytes }: IpAddress): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
}

export interface IpNetwork {
  readonly address: IpAddress
  readonly prefixLength: number
}

/** Returns the network, or Go's error message. */
export function parseNetwork(text: string): IpNetwork | string {
  const wrong = (message: string) => `netip.ParsePrefix(${goQuoted(text)}): ${message}`
  const slash = text.lastIndexOf('/')
  if (slash < 0) return wrong("no '/'")
  const address = parseAddress(text.slice(0, slash))
  if (typeof address === 'string') return wrong(address)
  if (address.zone !== '') return wrong('IPv6 zones cannot be present in a prefix')
  const bits = text.slice(slash + 1)
  if (!/^(0|[1-9][0-9]*|[0-9])$/.test(bits) || Number(bits) >= 2 ** 63)
    return wrong(`bad bits after slash: ${goQuoted(bits)}`)
  return Number(bits) > address.bytes.length * 8
    ? wrong('prefix length out of range')
    : { address, prefixLength: Number(bits) }
}

/** Returns the address with all bits after the prefix set to zero. */
export function masked({ address, prefixLength }: IpNetwork): IpAddress {
  const bytes = address.bytes.map((byte, index) => {
    const kept = Math.min(Math.max(prefixLength - index * 8, 0), 8)
    return byte & (0xff00 >> kept) & 0xff
  })
  return { bytes, zone: '' }
}

export function containsAddress(network: IpNetwork, address: IpAddress): boolean {
  if (address.bytes.length !== network.address.bytes.length || address.zone !== '') return false
  const [ours, theirs] = [masked(network), masked({ ...network, address })]
  return ours.bytes.every((byte, index) => byte === theirs.bytes[index])
}
