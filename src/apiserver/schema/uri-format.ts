// Format `uri`: an absolute URI or an absolute path. Source: Go's net/url.ParseRequestURI.
import { parseIpAddress } from '../ip-address.ts'

const brokenEscape = /%(?![0-9a-fA-F]{2})/
const userInfo = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/
/** Characters of a host that must be allowed by name. Letters beyond ASCII need no escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range up to the last ASCII character is meant.
const badHostCharacter = /[\x00-\x7f]/g
const goodHostCharacter = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]$/
/** Forbidden escapes of a host: only `%25` and bytes beyond ASCII may be escaped. */
const asciiEscape = /%(?!25)[0-7][0-9a-fA-F]/

export function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return false
  if (text === '*') return true
  if (text.startsWith(':')) return false
  const [scheme = ''] = /^[A-Za-z][A-Za-z0-9+\-.]*:/.exec(text) ?? []
  const [rest = ''] = text.slice(scheme.length).split('?')
  if (!rest.startsWith('/')) return scheme !== ''
  if (scheme === '' || !rest.startsWith('//')) return !brokenEscape.test(rest)
  const slash = rest.indexOf('/', 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  return isAuthority(authority, scheme.toLowerCase()) && !brokenEscape.test(slash < 0 ? '' : rest.slice(slash))
}

function isAuthority(authority: string, scheme: string): boolean {
  const at = authority.lastIndexOf('@')
  const user = at < 0 ? '' : authority.slice(0, at)
  return isHost(authority.slice(at + 1), scheme) && userInfo.test(user) && !brokenEscape.test(user)
}

function isHost(host: string, scheme: string): boolean {
  const open = host.lastIndexOf('[')
  if (open > 0) return false
  if (open === 0) return isLiteral(host)
  const first = host.indexOf(':')
  if (first < 0) return isHostText(host)
  // For other schemes, the last colon starts the port.
  const colon = scheme === 'http:' || scheme === 'https:' ? first : host.lastIndexOf(':')
  return /^:[0-9]*$/.test(host.slice(colon)) && isHostText(host)
}

/** Returns whether the text is an address like `[::1]:80`, optionally with a zone after `%25`. */
function isLiteral(host: string): boolean {
  const close = host.lastIndexOf(']')
  if (close < 0 || !/^(?::[0-9]*)?$/.test(host.slice(close + 1))) return false
  const [address = '', ...zone] = host.slice(1, close).split('%25')
  if (!isHostText(address) || brokenEscape.test(zone.join('%25'))) return false
  if (host.slice(1, close).includes('%25') && zone.join('') === '') return false
  return parseIpAddress(address, 'strict')?.length === 16
}

function isHostText(text: string): boolean {
  if (brokenEscape.test(text) || asciiEscape.test(text)) return false
  return (text.match(badHostCharacter) ?? []).every((character) => goodHostCharacter.test(character))
}
