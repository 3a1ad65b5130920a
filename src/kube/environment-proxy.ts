// Selects the proxy of a server by the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY (or in lower case), as Go
// programs read them. Source: golang.org/x/net/http/httpproxy.
import { BlockList, isIP, isIPv6 } from 'node:net'

type Environment = Readonly<Record<string, string | undefined>>

/** Entries of NO_PROXY that are read; the rest of a longer list is ignored. */
const mostExceptions = 1_000

/** Returns the URL of the proxy, or undefined for a direct connection. Requests to this machine never use a proxy. */
export function environmentProxy(server: string, environment: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(server)
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = variable(environment, name)
  if (proxy === undefined) return undefined
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const target = { host, port: port === '' ? (protocol === 'https:' ? '443' : '80') : port }
  if (isLoopback(host) || isExempt(target, variable(environment, 'NO_PROXY') ?? '')) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name] || environment[name.toLowerCase()]
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}

interface Target {
  readonly host: string
  readonly port: string
}

function isExempt(target: Target, list: string): boolean {
  return list.split(',', mostExceptions).some((entry) => exempts(entry.trim().toLowerCase(), target))
}

function exempts(entry: string, { host, port }: Target): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  if (entry.includes('/')) return isIP(host) !== 0 && isInRange(host, entry)
  const [bare, entryPort] = splitPort(entry)
  if (entryPort !== '' && entryPort !== port) return false
  if (isIP(host) !== 0) return isIP(bare) !== 0 && isInRange(host, bare)
  if (bare.startsWith('*.')) return host.endsWith(bare.slice(1))
  if (bare.startsWith('.')) return host.endsWith(bare)
  return bare !== '' && (host === bare || host.endsWith(`.${bare}`))
}

/** Splits `host:443`, `[fd00::1]:443`, or an entry without a port. A bare IPv6 address has no port. */
function splitPort(entry: string): readonly [host: string, port: string] {
  if (isIPv6(entry)) return [entry, '']
  const at = entry.lastIndexOf(':')
  const isPort = at >= 0 && !entry.endsWith(']')
  const host = isPort ? entry.slice(0, at) : entry
  return [host.replace(/^\[|\]$/g, ''), isPort ? entry.slice(at + 1) : '']
}

const loopback = ['127.0.0.0/8', '::1/128']

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && loopback.some((range) => isInRange(host, range)))
}

/** `range`: an address, or an address with the length of its prefix. */
function isInRange(address: string, range: string): boolean {
  const [network = '', prefix] = range.split('/')
  if (isIP(network) !== isIP(address)) return false
  const length = Number(prefix ?? (isIPv6(network) ? 128 : 32))
  if (!Number.isInteger(length) || length < 0 || length > (isIPv6(network) ? 128 : 32)) return false
  const list = new BlockList()
  const family = isIPv6(network) ? 'ipv6' : 'ipv4'
  list.addSubnet(network, length, family)
  return list.check(address, family)
}
