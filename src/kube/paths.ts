// Path and query of every verb, from a resource and options. Pure. Invariant: a name that would select another resource
// is rejected. The server decodes `%2F` before it routes, so escaping alone does not help.
import { assert } from '../base/assert.ts'
import type { Resource } from '../object/resource.ts'
import type { ListOptions, Location, Selection, WatchOptions, WriteOptions } from './client.ts'
import { KubeError } from './kube-errors.ts'

/** `/apis/apps/v1/namespaces/default/statefulsets`; without a namespace, the collection of all namespaces. */
export function collectionPath(resource: Resource, namespace: string | undefined): string {
  assert(
    resource.scope === 'Namespaced' || namespace === undefined,
    `${resource.kind} is cluster-scoped and is addressed without a namespace`,
  )
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace, 'namespace')}`
  return `${root}${scope}/${resource.plural}`
}

/** `/apis/apps/v1/namespaces/default/statefulsets/store/status`. Throws KubeError `BadRequest` for an invalid name. */
export function objectPath(resource: Resource, location: Location, subresource?: string): string {
  assert(
    resource.scope === 'Cluster' || location.namespace !== undefined,
    `${resource.kind} is namespaced and is addressed with its namespace`,
  )
  const collection = collectionPath(resource, location.namespace)
  const tail = subresource === undefined ? '' : `/${segment(subresource, 'subresource')}`
  return `${collection}/${segment(location.name, 'name')}${tail}`
}

/** Empty, or `?` and the options that are set. The first page names a version; later pages carry only the token. */
export function listQuery(options: ListOptions): string {
  const isFirstPage = options.continueToken === undefined
  return queryOf({
    ...selectionOf(options),
    resourceVersion: isFirstPage && options.resourceVersion !== '' ? options.resourceVersion : undefined,
    resourceVersionMatch: isFirstPage ? options.resourceVersionMatch : undefined,
    limit: options.limit,
    continue: options.continueToken,
  })
}

/**
 * Always requests bookmarks. Without them, the version of a quiet watch falls out of the server's history, and the
 * client must list again.
 */
export function watchQuery(options: WatchOptions): string {
  return queryOf({
    watch: true,
    allowWatchBookmarks: true,
    ...selectionOf(options),
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  })
}

/** `force` exists for server-side apply only; the server rejects it on every other write. */
export function writeQuery(options: WriteOptions & { readonly force?: boolean }): string {
  return queryOf({
    fieldManager: options.fieldManager,
    force: options.force,
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldValidation: options.fieldValidation,
  })
}

function selectionOf({ labelSelector, fieldSelector }: Selection) {
  return { labelSelector, fieldSelector }
}

function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

// Source of the rule: apimachinery's IsValidPathSegmentName. Also rejected: the empty name, which would address the
// collection, and half a surrogate pair, which UTF-8 cannot encode.
function segment(text: string, what: 'name' | 'namespace' | 'subresource'): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text) || !text.isWellFormed()) {
    throw new KubeError({
      code: 'BadRequest',
      message: `no request was sent: ${JSON.stringify(text)} cannot be a ${what}; it must not be empty, "." or "..", nor hold "/" or "%"`,
    })
  }
  return encodeURIComponent(text)
}
