// Error text of a denied request: the authorizer's sentence, which clients parse.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
import { goQuoted } from '../field-error.ts'
import { forbiddenRequest, type StatusError } from '../status-error.ts'
import type { User } from '../user.ts'
import type { AccessAttributes } from './policy-rules.ts'

export function forbiddenAccess(user: User, attributes: AccessAttributes, reason: string): StatusError {
  const sentence = escaped(sentenceOf(user, attributes))
  const { group, resource, name } = attributes
  return forbiddenRequest({ group, resource }, name, reason === '' ? sentence : `${sentence}: ${reason}`)
}

function sentenceOf(user: User, wanted: AccessAttributes): string {
  const who = `User ${goQuoted(user.name)} cannot ${wanted.verb}`
  if (!wanted.isResourceRequest) return `${who} path ${goQuoted(wanted.path)}`
  const resource = wanted.subresource === '' ? wanted.resource : `${wanted.resource}/${wanted.subresource}`
  const what = `${who} resource ${goQuoted(resource)} in API group ${goQuoted(wanted.group)}`
  return wanted.namespace === ''
    ? `${what} at the cluster scope`
    : `${what} in the namespace ${goQuoted(wanted.namespace)}`
}

/** Escapes a text so that no error can be read as HTML. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
