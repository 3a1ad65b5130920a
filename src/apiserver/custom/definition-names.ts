// Validation of a definition's names, and of its approval for a group of the Kubernetes community.
// Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, pkg/apihelpers/helpers.go.
import type { JsonObject } from '../../base/json.ts'
import { textAt, textsAt } from '../built-in/field-walk.ts'
import { type FieldError, goQuoted, invalid, required } from '../field-error.ts'
import { dns1035Label, dns1123Subdomain } from '../name-rules.ts'
import { isRequestUri } from '../schema/uri-format.ts'

/** Validates the names of a spec or a status; absent names are valid here. */
export function validateDefinitionNames(names: JsonObject, path: string): FieldError[] {
  const kind = textAt(names, 'kind')
  const listKind = textAt(names, 'listKind')
  return [
    ...labelErrors(textAt(names, 'plural'), `${path}.plural`),
    ...labelErrors(textAt(names, 'singular'), `${path}.singular`),
    ...kindErrors(kind, `${path}.kind`),
    ...kindErrors(listKind, `${path}.listKind`),
    ...textsAt(names, 'shortNames').flatMap((name, index) => itemErrors(name, `${path}.shortNames[${index}]`)),
    ...(kind !== '' && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...textsAt(names, 'categories').flatMap((name, index) => itemErrors(name, `${path}.categories[${index}]`)),
  ]
}

/** Returns errors for the required names that a spec lacks. */
export function missingNames(names: JsonObject, path: string): FieldError[] {
  return ['plural', 'singular', 'kind', 'listKind']
    .filter((key) => textAt(names, key) === '')
    .map((key) => required(`${path}.${key}`))
}

export function validateGroup(group: string, path: string): FieldError[] {
  if (group === '') return [required(path)]
  const faults = dns1123Subdomain(group)
  if (faults.length > 0) return [invalid(path, group, faults.join(','))]
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')]
}

function labelErrors(name: string, path: string): FieldError[] {
  return name === '' ? [] : itemErrors(name, path)
}

function itemErrors(name: string, path: string): FieldError[] {
  const faults = dns1035Label(name)
  return faults.length === 0 ? [] : [invalid(path, name, faults.join(','))]
}

function kindErrors(kind: string, path: string): FieldError[] {
  const faults = kind === '' ? [] : dns1035Label(kind.toLowerCase())
  if (faults.length === 0) return []
  return [invalid(path, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)]
}

const annotation = 'api-approved.kubernetes.io'
const reference = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** Approval of a definition in a protected group. */
export interface Approval {
  readonly state: 'missing' | 'invalid' | 'approved' | 'bypassed'
  readonly reason: string
}

export function isProtectedGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

export function approvalOf(annotations: JsonObject): Approval {
  const value = textAt(annotations, annotation)
  if (value === '')
    return { state: 'missing', reason: `protected groups must have approval annotation "${annotation}", ${reference}` }
  if (value.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${goQuoted(value)}` }
  if (isRequestUri(value) && /^[A-Za-z][A-Za-z0-9+\-.]*:\/\/[^/?]/.test(value))
    return { state: 'approved', reason: `approved in ${value}` }
  const reason = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${reference}`
  return { state: 'invalid', reason }
}

/** A missing approval may stay missing on an update. */
export function validateApproval(group: string, annotations: JsonObject, old: JsonObject | undefined): FieldError[] {
  if (!isProtectedGroup(group)) return []
  const { state, reason } = approvalOf(annotations)
  const isUnchanged = old !== undefined && approvalOf(old).state === state
  if (isUnchanged || state === 'approved' || state === 'bypassed') return []
  const path = `metadata.annotations[${annotation}]`
  return [state === 'missing' ? required(path, reason) : invalid(path, textAt(annotations, annotation), reason)]
}
