// Validation of domain-prefixed paths such as `acme.io/foo`, the names of Job and ingress controllers.
// Source: IsDomainPrefixedPath of k8s.io/apimachinery/pkg/util/validation/validation.go.
import { invalid, required } from '../field-error.ts'
import { dns1123Subdomain, regexFault } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import type { FieldErrors } from './field-walk.ts'

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const httpPathPattern = new RegExp(`^${httpPath}$`)

export function domainPrefixedPathErrors(value: string, path: string): FieldErrors {
  if (value === '') return [required(path)]
  const slash = value.indexOf('/')
  const host = value.slice(0, slash)
  const rest = value.slice(slash + 1)
  if (slash < 1 || rest === '') return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const hostErrors = invalids(path, host, dns1123Subdomain(host))
  if (httpPathPattern.test(rest)) return hostErrors
  return [...hostErrors, invalid(path, rest, regexFault('Invalid path', httpPath, []))]
}
