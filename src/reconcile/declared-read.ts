// May a controller's own functions ask the API server for this kind? Owned kinds and declared reads: rbac.ts grants the same, so
// that what works for an administrator on his machine works under the operator's own roles too.
import { groupKindOf, type Resource } from '../object/resource.ts'
import type { Controller } from './definition.ts'
import type { LiveVerb } from './live-loader.ts'

export function isDeclaredRead(
  { owns, reads }: Pick<Controller, 'owns' | 'reads'>,
  resource: Resource,
  verb: LiveVerb,
): boolean {
  const isAsked = (declared: { readonly resource: Resource }) =>
    groupKindOf(declared.resource) === groupKindOf(resource)
  return owns.some(isAsked) || reads.some((read) => isAsked(read) && (verb === 'find' || read.isListed))
}
