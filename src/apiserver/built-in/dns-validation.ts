// Validation of a pod's DNS policy and configuration.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, validatePodDNSConfig.
import type { JsonObject } from '../../base/json.ts'
import { invalid, required } from '../field-error.ts'
import { byteLength, dns1123Subdomain } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { eachItem, type FieldErrors, noErrors, type Struct, structsAt, textAt, textsAt } from './field-walk.ts'
import { validateIp } from './ip-rules.ts'

const maxServers = 3
const maxSearches = 32
const maxSearchBytes = 2048
const underscoredLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const underscoredDomain = `${underscoredLabel}(\\.${underscoredLabel})*`
const underscoredPattern = new RegExp(`^${underscoredDomain}$`)
const underscoredFault = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${underscoredDomain}')`

export function validateDnsConfig(config: Struct, policy: string, field: string): FieldErrors {
  const servers = textsAt(config, 'nameservers')
  if (policy === 'None') {
    if (config === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    const fault = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
    if (servers.length === 0) return [required(`${field}.nameservers`, fault)]
  }
  if (config === undefined) return noErrors
  return [
    ...(servers.length > maxServers
      ? [invalid(`${field}.nameservers`, servers, `must not have more than ${maxServers} nameservers`)]
      : []),
    ...eachItem(servers, `${field}.nameservers`, (server, path) => validateIp(server, path)),
    ...searchesErrors(textsAt(config, 'searches'), `${field}.searches`),
    ...eachItem(structsAt(config, 'options'), `${field}.options`, (option, path) =>
      textAt(option, 'name') === '' ? [required(path, 'must not be empty')] : noErrors,
    ),
  ]
}

export function validateHostAliases(aliases: readonly JsonObject[], field: string): FieldErrors {
  return eachItem(aliases, field, (alias, path) => [
    ...validateIp(textAt(alias, 'ip'), `${path}.ip`),
    ...eachItem(textsAt(alias, 'hostnames'), `${path}.hostnames`, (name, namePath) =>
      invalids(namePath, name, dns1123Subdomain(name)),
    ),
  ])
}

function searchesErrors(searches: readonly string[], field: string): FieldErrors {
  const tooMany = `must not have more than ${maxSearches} search paths`
  const tooLong = `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`
  return [
    ...(searches.length > maxSearches ? [invalid(field, searches, tooMany)] : []),
    ...(byteLength(searches.join(' ')) > maxSearchBytes ? [invalid(field, searches, tooLong)] : []),
    ...eachItem(searches, field, (search, path) => {
      const domain = search.endsWith('.') ? search.slice(0, -1) : search
      return search === '.' ? noErrors : invalids(path, domain, underscoredFaults(domain))
    }),
  ]
}

function underscoredFaults(domain: string): readonly string[] {
  return [
    ...(byteLength(domain) > 253 ? ['must be no more than 253 characters'] : []),
    ...(underscoredPattern.test(domain) ? [] : [underscoredFault]),
  ]
}
