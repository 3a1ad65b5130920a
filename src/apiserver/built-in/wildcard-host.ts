// Validation of wildcard hosts of an Ingress: `*.` and a domain.
// Source: k8s.io/apimachinery/pkg/util/validation/validation.go, IsWildcardDNS1123Subdomain.
import { byteLength, regexFault } from '../name-rules.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const wildcard = `\\*\\.${label}(\\.${label})*`
const pattern = new RegExp(`^${wildcard}$`)
const fault = regexFault(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcard,
  ['*.example.com'],
)
const maxBytes = 253

export function wildcardSubdomain(host: string): readonly string[] {
  return [
    ...(byteLength(host) > maxBytes ? [`must be no more than ${maxBytes} characters`] : []),
    ...(pattern.test(host) ? [] : [fault]),
  ]
}
