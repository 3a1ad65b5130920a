// How is somebody told that they may not? In the authorizer's own sentence, which clients read.
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

/** So that no refusal ever reads as HTML. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
