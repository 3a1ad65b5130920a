// Attributes of a request, derived from path and method like upstream.
// The authorizer decides by them, and the router selects the endpoint by them.
// Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.

import { StatusError } from './status-error.ts'

export interface RequestInfo {
  readonly isResourceRequest: boolean
  readonly path: string
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or the method in lower case. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** All path segments after the version and the namespace. */
  readonly steps: readonly string[]
  /** True if the path has an empty segment where none may be; no endpoint answers there. */
  readonly hasGap: boolean
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Subresources of a namespace, as opposed to resources in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

/** Returns the attributes of a request. `path` is percent-encoded. Throws StatusError (400) for a broken encoding. */
export function requestInfoOf(method: string, path: string, query: URLSearchParams): RequestInfo {
  // An empty namespace means all namespaces.
  const written = path.replace(/^(\/(?:api|apis\/[^/]+)\/[^/]+)\/namespaces\/\/(?=[^/])/, '$1/')
  const steps = written
    .split('/')
    .filter((step) => step !== '')
    .map(decoded)
  const plain: RequestInfo = {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    steps: [],
    hasGap: written.includes('//'),
  }
  const [root = ''] = steps
  const isCore = root === 'api'
  const head = isCore ? 2 : 3
  if ((!isCore && root !== 'apis') || steps.length <= head) return plain
  const group = isCore ? '' : (steps[1] ?? '')
  const version = steps[head - 1] ?? ''
  const isLegacyWatch = steps[head] === 'watch'
  const rest = steps.slice(isLegacyWatch ? head + 1 : head)
  if (rest.length === 0) return plain
  const verb = isLegacyWatch ? 'watch' : (verbs[method] ?? '')
  return withVerb({ ...plain, isResourceRequest: true, verb, group, version, ...placeOf(rest) }, query)
}

function placeOf(
  rest: readonly string[],
): Pick<RequestInfo, 'namespace' | 'resource' | 'name' | 'subresource' | 'steps'> {
  const [first = '', second = '', third = ''] = rest
  const isInNamespace = first === 'namespaces' && rest.length > 2 && !namespaceSubresources.has(third)
  const steps = isInNamespace ? rest.slice(2) : rest
  const [resource = '', name = '', subresource = ''] = steps
  const namespace = first === 'namespaces' ? second : ''
  return { namespace, resource, name, subresource, steps }
}

/**
 * Completes the verb: a get without a name is a list or a watch.
 * For these, a field selector on metadata.name sets the name for the authorizer.
 */
function withVerb(info: RequestInfo, query: URLSearchParams): RequestInfo {
  if (info.name === '' && info.verb === 'delete') return { ...info, verb: 'deletecollection' }
  const isCollection = info.name === '' && (info.verb === 'get' || info.verb === 'watch')
  if (!isCollection) return info
  const selected = /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1]
  const verb = info.verb === 'watch' || isTrue(query.get('watch')) ? 'watch' : 'list'
  return selected === undefined ? { ...info, verb } : { ...info, verb, name: selected }
}

/** Parses a boolean of the query like Go: anything but `false` and `0` is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0'
}

/** Decodes a path segment; invalid UTF-8 becomes U+FFFD. Throws StatusError (400). */
function decoded(step: string): string {
  if (!step.includes('%')) return step
  if (/%(?![0-9a-fA-F]{2})/.test(step))
    throw new StatusError({ code: 400, message: '400 Bad Request', plainText: '400 Bad Request' })
  const bytes = step.replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
