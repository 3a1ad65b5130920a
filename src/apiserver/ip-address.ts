// Parser of IP addresses and CIDR networks, with the rules of Go's net package.
// Sources: Go's net/netip, k8s.io/utils/net (ParseIPSloppy, ParseCIDRSloppy).

/** Rule for leading zeros in decimal parts. `sloppy` accepts them, as Go before 1.17. */
export type Zeros = 'strict' | 'sloppy'

/** Returns the 4 or 16 bytes of an address; undefined for other texts. Zones (`fe80::1%eth0`) are not accepted. */
export function parseIpAddress(text: string, zeros: Zeros): readonly number[] | undefined {
  // The first separator decides the family.
  const separator = /[.:]/.exec(text)?.[0]
  if (separator === '.') return parseIpv4(text, zeros)
  return separator === ':' ? parseIpv6(text, zeros) : undefined
}

/** Returns the address bytes and the prefix length; undefined for other texts. */
export function parseNetwork(
  text: string,
  zeros: Zeros,
): { readonly address: readonly number[]; readonly prefixLength: number } | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const address = parseIpAddress(text.slice(0, slash), zeros)
  const digits = text.slice(slash + 1)
  if (address === undefined || !/^[0-9]{1,7}$/.test(digits)) return undefined
  const prefixLength = Number(digits)
  return prefixLength <= address.length * 8 ? { address, prefixLength } : undefined
}

function parseIpv4(text: string, zeros: Zeros): readonly number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes = parts.map((part) => decimalByte(part, zeros))
  return bytes.every((byte) => byte !== undefined) ? bytes : undefined
}

function decimalByte(part: string, zeros: Zeros): number | undefined {
  if (!/^[0-9]+$/.test(part)) return undefined
  if (zeros === 'strict' && part.length > 1 && part.startsWith('0')) return undefined
  const value = Number(part)
  return value <= 255 ? value : undefined
}

function parseIpv6(text: string, zeros: Zeros): readonly number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head = '', tail] = halves
  const before = groupBytes(head, zeros, tail === undefined)
  const after = tail === undefined ? [] : groupBytes(tail, zeros, true)
  if (before === undefined || after === undefined) return undefined
  const missing = 16 - before.length - after.length
  // `::` stands for at least one group.
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined
  return [...before, ...Array.from({ length: missing }, () => 0), ...after]
}

/** Returns the bytes of groups between colons. The last group may be an IPv4 address. */
function groupBytes(text: string, zeros: Zeros, isLast: boolean): readonly number[] | undefined {
  if (text === '') return []
  const groups = text.split(':')
  const bytes: number[] = []
  for (const [index, group] of groups.entries()) {
    if (group.includes('.')) {
      const tail = isLast && index === groups.length - 1 ? parseIpv4(group, zeros) : undefined
      if (tail === undefined) return undefined
      bytes.push(...tail)
      continue
    }
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
    const value = Number.parseInt(group, 16)
    bytes.push(value >> 8, value & 0xff)
  }
  return bytes
}
