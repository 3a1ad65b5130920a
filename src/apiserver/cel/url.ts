// URL parser with the rules of Go: it escapes only bytes that need it. Source: Go's net/url.
import { goQuoted } from '../field-error.ts'
import { parseAddress } from './net-address.ts'

export interface Url {
  readonly scheme: string
  /** Part after the scheme that is no path. */
  readonly opaque: string
  /** Name and password before the host, escaped as written; undefined if absent. */
  readonly user: string | undefined
  /** Includes the port. */
  readonly host: string
  readonly hasEmptyHost: boolean
  /** Escaped. */
  readonly path: string
  readonly query: string
  readonly hasEmptyQuery: boolean
  /** Escaped. */
  readonly fragment: string
}

/** Returns the parts of an absolute URL or path, or Go's error message. */
export function parseUrl(text: string): Url | string {
  const strict = parseParts(text, 'request')
  if (typeof strict === 'string') return `parse ${goQuoted(text)}: ${strict}`
  // A request URI has no fragment, so the first parse read it as path or query.
  const hash = text.indexOf('#')
  const parts = parseParts(hash < 0 ? text : text.slice(0, hash), 'reference')
  if (typeof parts === 'string') return `parse ${goQuoted(hash < 0 ? text : text.slice(0, hash))}: ${parts}`
  const fragment = hash < 0 ? '' : text.slice(hash + 1)
  const faulty = badEscape(fragment)
  return faulty === undefined
    ? { ...parts, fragment: escaped(fragment, 'fragment') }
    : `parse ${goQuoted(text)}: invalid URL escape ${goQuoted(faulty)}`
}

/** Returns Go's error message for a text that is no absolute URL or path; undefined for a valid one. */
export function urlFault(text: string): string | undefined {
  const parts = parseParts(text, 'request')
  return typeof parts === 'string' ? `parse ${goQuoted(text)}: ${parts}` : undefined
}

function parseParts(text: string, via: 'request' | 'reference'): Url | string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'net/url: invalid control character in URL'
  if (text === '' && via === 'request') return 'empty url'
  const empty: Url = {
    scheme: '',
    opaque: '',
    user: undefined,
    host: '',
    hasEmptyHost: false,
    path: '',
    query: '',
    hasEmptyQuery: false,
    fragment: '',
  }
  if (text === '*') return { ...empty, path: '*' }
  const [scheme, afterScheme] = splitScheme(text)
  if (scheme === undefined) return 'missing protocol scheme'
  const { rest, query, hasEmptyQuery } = splitQuery(afterScheme)
  const parts = { ...empty, scheme, query, hasEmptyQuery }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, opaque: rest }
    if (via === 'request') return 'invalid URI for request'
    if (/^[^/]*:/.test(rest)) return 'first path segment in URL cannot contain colon'
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (via === 'reference' && !rest.startsWith('///')))
  if (!hasAuthority) return withPath({ ...parts, hasEmptyHost: scheme !== '' }, rest)
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? []
  const found = splitAuthority(scheme, authority)
  return typeof found === 'string' ? found : withPath({ ...parts, ...found }, path)
}

/** A scheme ends at the first colon, if only letters, digits and `+-.` precede it. */
function splitScheme(text: string): readonly [scheme: string | undefined, rest: string] {
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? []
  if (scheme !== undefined) return [scheme.toLowerCase(), rest]
  return text.startsWith(':') ? [undefined, text] : ['', text]
}

function splitQuery(text: string): { readonly rest: string; readonly query: string; readonly hasEmptyQuery: boolean } {
  const mark = text.indexOf('?')
  if (mark < 0) return { rest: text, query: '', hasEmptyQuery: false }
  return { rest: text.slice(0, mark), query: text.slice(mark + 1), hasEmptyQuery: mark === text.length - 1 }
}

function withPath(parts: Url, path: string): Url | string {
  const faulty = badEscape(path)
  return faulty === undefined
    ? { ...parts, path: isEscaped(path) ? path : escaped(path, 'path') }
    : `invalid URL escape ${goQuoted(faulty)}`
}

function splitAuthority(scheme: string, authority: string): Pick<Url, 'user' | 'host'> | string {
  const at = authority.lastIndexOf('@')
  const host = readHost(scheme, authority.slice(at + 1))
  if (host.fault !== undefined) return host.fault
  if (at < 0) return { user: undefined, host: host.host }
  const user = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return 'net/url: invalid userinfo'
  const faulty = badEscape(user)
  return faulty === undefined ? { user, host: host.host } : `invalid URL escape ${goQuoted(faulty)}`
}

type Host = { readonly host: string; readonly fault?: undefined } | { readonly fault: string }

function readHost(scheme: string, host: string): Host {
  const open = host.lastIndexOf('[')
  if (open > 0) return { fault: 'invalid IP-literal' }
  if (open === 0) return readLiteralHost(host)
  const first = host.indexOf(':')
  if (first >= 0) {
    const isStrict = scheme === 'http' || scheme === 'https'
    const port = host.slice(isStrict ? first : host.lastIndexOf(':'))
    if (!isPort(port)) return { fault: `invalid port ${goQuoted(port)} after host` }
  }
  return unescapedHost(host)
}

function readLiteralHost(host: string): Host {
  const close = host.lastIndexOf(']')
  if (close < 0) return { fault: "missing ']' in host" }
  const port = host.slice(close + 1)
  if (!isPort(port)) return { fault: `invalid port ${goQuoted(port)} after host` }
  const inner = host.slice(1, close)
  const zone = inner.indexOf('%25')
  const name = unescapedHost(zone < 0 ? inner : inner.slice(0, zone))
  if (name.fault !== undefined) return name
  const literal = zone < 0 ? name.host : `${name.host}${unescaped(inner.slice(zone))}`
  const address = parseAddress(literal)
  if (typeof address === 'string') return { fault: `invalid host: ${address}` }
  return address.bytes.length === 4 ? { fault: 'invalid IP-literal' } : { host: `[${literal}]${port}` }
}

function isPort(text: string): boolean {
  return /^(:[0-9]*)?$/.test(text)
}

/** In a host, only bytes beyond ASCII may be escaped, and some characters are invalid. */
function unescapedHost(host: string): Host {
  const [found] = /%(?![0-9a-fA-F]{2}).{0,2}|%[0-7][0-9a-fA-F]|[ "\\^`{|}<>]/s.exec(host.replace(/%25/g, '')) ?? []
  if (found === undefined) return { host: unescaped(host) }
  if (!found.startsWith('%')) {
    if (found === '"' || found === '<' || found === '>') return { host: unescaped(host) }
    return { fault: `invalid character ${goQuoted(found)} in host name` }
  }
  return { fault: `invalid URL escape ${goQuoted(found)}` }
}

function badEscape(text: string): string | undefined {
  return /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)?.[0]
}

/** Decodes `%41` to `A`; invalid UTF-8 becomes the replacement character. */
function unescaped(text: string): string {
  if (!text.includes('%')) return text
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [piece] of text.matchAll(/%[0-9a-fA-F]{2}|[^%]+|%/g))
    bytes.push(
      ...(/^%../.test(piece) && piece.length === 3 ? [Number.parseInt(piece.slice(1), 16)] : encoder.encode(piece)),
    )
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

const alwaysPlain = /[A-Za-z0-9\-_.~]/
const plainIn = {
  path: /[$&+,/:;=@]/,
  fragment: /[$&+,/:;=?@!()*]/,
}

function escaped(text: string, part: keyof typeof plainIn): string {
  const plain = unescaped(text)
  let result = ''
  for (const byte of new TextEncoder().encode(plain)) {
    const character = String.fromCharCode(byte)
    const isPlain = byte < 0x80 && (alwaysPlain.test(character) || plainIn[part].test(character))
    result += isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return result
}

/** True if a path needs no further escaping. */
function isEscaped(path: string): boolean {
  return /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/.test(path)
}

export function hostname({ host }: Url): string {
  const [, bracketed] = /^\[(.*)\](?::[0-9]*)?$/s.exec(host) ?? []
  if (bracketed !== undefined) return bracketed
  const colon = host.lastIndexOf(':')
  return colon >= 0 && isPort(host.slice(colon)) ? host.slice(0, colon) : host
}

export function port({ host }: Url): string {
  const colon = host.lastIndexOf(':')
  return colon >= 0 && colon > host.lastIndexOf(']') && isPort(host.slice(colon)) ? host.slice(colon + 1) : ''
}

/** Returns the values by key, in key order; omits unreadable pairs. */
export function queryValues({ query }: Url): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || badEscape(pair) !== undefined) continue
    const equals = pair.indexOf('=')
    const [key, value] = [equals < 0 ? pair : pair.slice(0, equals), equals < 0 ? '' : pair.slice(equals + 1)].map(
      (part) => unescaped(part.replaceAll('+', ' ')),
    )
    const known = values.get(key ?? '')
    if (known === undefined) values.set(key ?? '', [value ?? ''])
    else known.push(value ?? '')
  }
  return values
}

/** Returns the whole URL, as equality compares it. */
export function urlText(url: Url): string {
  const query = url.query !== '' || url.hasEmptyQuery ? `?${url.query}` : ''
  const fragment = url.fragment === '' ? '' : `#${url.fragment}`
  const scheme = url.scheme === '' ? '' : `${url.scheme}:`
  if (url.opaque !== '') return `${scheme}${url.opaque}${query}${fragment}`
  const user = url.user === undefined ? '' : `${url.user}@`
  const hasHost = url.scheme !== '' || url.host !== '' || url.user !== undefined
  const isOmitted = url.hasEmptyHost && url.host === '' && url.user === undefined
  const slashes = hasHost && !isOmitted && (url.host !== '' || url.path !== '' || url.user !== undefined) ? '//' : ''
  return `${scheme}${slashes}${user}${url.host}${url.path}${query}${fragment}`
}
