// Decides whether a controller's own functions may read a kind from the API server: owned kinds, declared reads and
// rights. rbac.ts grants the same rights. A read that works for an administrator thus also works with the operator's
// own roles.
import { groupKindOf, type Resource } from '../object/resource.ts'
import type { Controller } from './definition.ts'
import type { LiveVerb } from './live-loader.ts'

export function isDeclaredRead(
  { owns, reads, rights }: Pick<Controller, 'owns' | 'reads' | 'rights'>,
  resource: Resource,
  verb: LiveVerb,
): boolean {
  const isAsked = (declared: { readonly resource: Resource }) =>
    groupKindOf(declared.resource) === groupKindOf(resource)
  const asked = verb === 'find' ? 'get' : 'list'
  return (
    owns.some(isAsked) ||
    reads.some((read) => isAsked(read) && (verb === 'find' || read.isListed)) ||
    rights.some((right) => isAsked(right) && right.subresource === undefined && right.verbs.includes(asked))
  )
}
