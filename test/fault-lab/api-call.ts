// Verb, resource and object of an HTTP request to the API server, read from method, path and content type. Faults and
// records then name `apply services shop/cart` and not URLs. Pure.

export type ApiVerb = 'get' | 'list' | 'watch' | 'create' | 'apply' | 'patch' | 'update' | 'delete' | 'other'

export interface ApiCall {
  readonly verb: ApiVerb
  /** The plural, e.g. `statefulsets`; empty if the path names no resource, such as `/version`. */
  readonly resource: string
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

const writing: ReadonlySet<ApiVerb> = new Set(['create', 'apply', 'patch', 'update', 'delete'])

export function isWrite({ verb }: ApiCall): boolean {
  return writing.has(verb)
}

/** Returns `apply services shop/cart`, `patch replicatedkvstores/status shop/cart` or `list pods`. */
export function describeCall({ verb, resource, subresource, namespace, name }: ApiCall): string {
  const kind = subresource === undefined ? resource : `${resource}/${subresource}`
  return [verb, kind, [namespace, name].filter((part) => part !== undefined).join('/')].join(' ').trim()
}

export interface HttpAsk {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly contentType: string
}

export function apiCallOf({ method, path, contentType }: HttpAsk): ApiCall {
  const url = new URL(path, 'http://api')
  const [, rest] = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(url.pathname) ?? []
  if (rest === undefined) return { verb: 'other', resource: '' }
  const parts = rest.split('/').map(decodeURIComponent)
  // `namespaces/shop` is an object itself; before a resource it is the namespace of that object.
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'finalize' && parts[2] !== 'status'
  const [resource = '', name, subresource] = isNamespaced ? parts.slice(2) : parts
  const namespace = isNamespaced ? parts[1] : undefined
  const verb = verbOf({
    method,
    contentType,
    isWatch: isTrue(url.searchParams.get('watch')),
    hasName: name !== undefined,
  })
  return { verb, resource, subresource, namespace, name }
}

interface Signs {
  readonly method: string
  readonly contentType: string
  readonly isWatch: boolean
  readonly hasName: boolean
}

function verbOf({ method, contentType, isWatch, hasName }: Signs): ApiVerb {
  switch (method) {
    case 'GET':
      if (isWatch) return 'watch'
      return hasName ? 'get' : 'list'
    case 'POST':
      return 'create'
    case 'PATCH':
      return contentType.startsWith('application/apply-patch') ? 'apply' : 'patch'
    case 'PUT':
      return 'update'
    case 'DELETE':
      return 'delete'
    default:
      return 'other'
  }
}

function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1'
}
