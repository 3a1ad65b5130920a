// Routing: which paths and methods have an endpoint.
// Upstream routes built-in kinds by a router that knows their paths and methods, and custom kinds by a handler.
// A path that neither knows gets a plain 404 page.
// Source: go-restful's router and customresource_handler.go of k8s.io/apiextensions-apiserver.
import { groupResourceOf } from './object-writes.ts'
import type { RequestInfo } from './request-info.ts'
import { badRequest, methodNotAllowed, noSuchPage, noSuchPath, notFound, notServed } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

const overAllNamespaces: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])
const ofObjects: ReadonlySet<string> = new Set(['status', 'scale'])

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** Throws StatusError if the request has no endpoint. */
export function checkRoute(resource: ServedResource, info: RequestInfo, method: string): void {
  checkForm(resource, info, method)
  const { verb, name, namespace, subresource } = info
  const isElsewhere = resource.isNamespaced && namespace === '' && !overAllNamespaces.has(verb)
  if (isElsewhere) throw resource.isCustom ? noSuchPage() : name === '' ? methodNotAllowed() : noSuchPath()
  // For custom kinds, the handler checks the type of a patch before its name.
  if (name === '' && (verb === 'update' || (verb === 'patch' && !resource.isCustom)))
    throw resource.isCustom ? badRequest('name must be provided') : methodNotAllowed()
  if (subresource === 'finalize' && resource.strategy.finalize !== undefined && verb !== 'update')
    throw methodNotAllowed()
  if (subresource === '' || hasEndpoint(resource, subresource)) return
  if (resource.isCustom) throw notFound(groupResourceOf(resource), name)
  throw resource.subresources.includes(subresource) && !ofObjects.has(subresource)
    ? notServed(`The endpoint ${resource.plural}/${subresource}`)
    : noSuchPath()
}

function checkForm({ isCustom }: ServedResource, { hasGap, name, verb }: RequestInfo, method: string): void {
  if (hasGap) throw isCustom ? noSuchPage() : noSuchPath()
  if (name === '.' || name === '..') throw badRequest(`Name parameter invalid: "${name}": may not be '${name}'`)
  if (!isCustom && reads.has(verb) && method !== 'GET') throw methodNotAllowed()
}

function hasEndpoint({ strategy, scale }: ServedResource, subresource: string): boolean {
  if (subresource === 'status') return strategy.status !== undefined
  if (subresource === 'finalize') return strategy.finalize !== undefined
  return subresource === 'scale' && scale !== undefined
}
