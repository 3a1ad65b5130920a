// Lists: a page of a selection from a view of the log.
// A consistent read, a read of the past and the next page of a list differ only in the view.
// Source: k8s.io/apiserver/pkg/storage/cacher (watch_cache.go, delegator.go) and pkg/storage/continue.go.
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { parseWireJson, WireJsonError } from '../base/wire-json.ts'
import { matchesFields } from './field-selector.ts'
import { matchesLabels } from './label-selector.ts'
import type { ListOptions } from './list-options.ts'
import { labelsOf } from './metadata.ts'
import { pathSegmentName } from './name-rules.ts'
import { servedObject } from './object-form.ts'
import type { Committed, ObjectLog, Place, StorageShelf, View } from './object-log.ts'
import { badRequest, expired, plainError, StatusError } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

/** One page of a list. */
export interface Page {
  readonly items: readonly Committed[]
  /** Metadata of the list: resourceVersion, continue token, number of remaining items. */
  readonly metadata: JsonObject
}

/** Scope of a list. */
export interface ListScope {
  readonly resource: ServedResource
  readonly shelf: StorageShelf
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string | undefined
}

/** Returns the revision that the server must reach before it answers; 0 if any will do. Throws StatusError (400). */
export function revisionToWaitFor({
  resourceVersion,
  continueToken,
}: Pick<ListOptions, 'resourceVersion' | 'continueToken'>): number {
  if (continueToken !== '') return 0
  if (!isRevision(resourceVersion)) throw badRequest(`invalid resource version: ${unreadable(resourceVersion)}`)
  return revisionOf(resourceVersion)
}

/**
 * Returns one page. `newest` is the view for reads of the newest state.
 * Throws StatusError: 400 for an invalid token, 410 for a compacted revision.
 */
export function listPage(log: ObjectLog, whole: ListScope, options: ListOptions, newest: View = log): Page {
  const scope = narrowed(whole, options)
  const place = singlePlace(scope, options)
  if (place !== undefined) return oneObject(log, { scope, options, newest, place })
  const from = options.continueToken === '' ? undefined : decodeContinue(options.continueToken)
  if (from !== undefined && options.resourceVersion !== '' && options.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue')
  const view = viewFor(log, options, { from, newest })
  const prefix = scope.namespace === undefined ? '' : `${scope.namespace}/`
  const start = from === undefined ? undefined : `${prefix}${from.start}`
  const all = view.list(scope.shelf, scope.namespace)
  // With resourceVersion 0 the list comes whole, from the cache.
  const limit = from === undefined && options.resourceVersion === '0' ? 0 : options.limit
  const candidates = start === undefined ? all : all.filter(({ place }) => listKey(place, scope) >= start)
  const items: Committed[] = []
  for (const [index, state] of candidates.entries()) {
    if (!isSelected(state, scope.resource, options)) continue
    items.push(state)
    const left = candidates.length - index - 1
    // The rest is not checked against the selectors.
    if (items.length === limit && left > 0)
      return { items, metadata: pageMetadata(view, { items, scope, prefix, options, left }) }
    if (items.length === limit) break
  }
  return { items, metadata: { resourceVersion: String(view.revision) } }
}

/** Returns the location of the single object that the field selector names, if any. */
function singlePlace({ resource, shelf, namespace }: ListScope, options: ListOptions): Place | undefined {
  const name = chosenBy(options, 'metadata.name')
  if (name === '' || pathSegmentName(name, false).length > 0) return undefined
  if (!resource.isNamespaced) return { shelf, namespace: '', name }
  return namespace === undefined ? undefined : { shelf, namespace, name }
}

/** Narrows a list of all namespaces to the one that the field selector names. */
function narrowed(scope: ListScope, options: ListOptions): ListScope {
  const namespace = chosenBy(options, 'metadata.namespace')
  return scope.resource.isNamespaced && scope.namespace === undefined && namespace !== ''
    ? { ...scope, namespace }
    : scope
}

/** Returns the value that the selector requires of a field; '' for continued lists. */
function chosenBy({ fields, continueToken }: ListOptions, path: string): string {
  if (continueToken !== '') return ''
  return fields.find(({ field, isNegated }) => field === path && !isNegated)?.value ?? ''
}

interface OneObject {
  readonly scope: ListScope
  readonly options: ListOptions
  readonly newest: View
  readonly place: Place
}

/** Lists one name like a get: without pages, and at a past revision only with resourceVersionMatch=Exact. */
function oneObject(log: ObjectLog, { scope, options, newest, place }: OneObject): Page {
  const view = viewFor(log, { ...options, limit: 0 }, { from: undefined, newest })
  const state = view.get(place)
  const items = state !== undefined && isSelected(state, scope.resource, options) ? [state] : []
  return { items, metadata: { resourceVersion: String(view.revision) } }
}

export function isSelected(
  state: Committed,
  resource: ServedResource,
  { labels, fields }: Pick<ListOptions, 'labels' | 'fields'>,
): boolean {
  if (labels.length === 0 && fields.length === 0) return true
  return isChosen(state.object, resource, { labels, fields }, state)
}

function isChosen(
  object: JsonObject,
  resource: ServedResource,
  { labels, fields }: Pick<ListOptions, 'labels' | 'fields'>,
  state: Committed,
): boolean {
  return (
    matchesLabels(labels, labelsOf(object)) &&
    matchesFields(fields, fields.length === 0 ? object : servedObject(resource, state), resource)
  )
}

/** Returns the revision of a resourceVersion; 0 for ''. Throws StatusError if it is invalid. */
export function revisionOf(resourceVersion: string): number {
  if (!isRevision(resourceVersion)) throw plainError(unreadable(resourceVersion))
  return Number(resourceVersion)
}

function isRevision(resourceVersion: string): boolean {
  return /^\d*$/.test(resourceVersion) && !isBeyond(resourceVersion)
}

function isBeyond(digits: string): boolean {
  return digits.length > 19 && BigInt(digits) >= 2n ** 64n
}

function unreadable(resourceVersion: string): string {
  const text = JSON.stringify(resourceVersion)
  const why = /^\d+$/.test(resourceVersion) ? 'value out of range' : 'invalid syntax'
  return `resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: ${why}`
}

function viewFor(
  log: ObjectLog,
  options: ListOptions,
  { from, newest }: { readonly from: Continue | undefined; readonly newest: View },
): View {
  if (from !== undefined) {
    if (from.revision < 0) return newest
    const view = log.at(from.revision)
    if (view === undefined) throw expired(expiredToken, encodeContinue({ revision: -1, start: from.start }))
    return view
  }
  const revision = revisionOf(options.resourceVersion)
  const isExact =
    options.resourceVersionMatch === 'Exact' ||
    (options.resourceVersionMatch === '' && options.limit > 0 && revision > 0)
  if (!isExact) return newest
  const view = log.at(revision)
  if (view === undefined) throw expired('The resourceVersion for the provided list is too old.')
  return view
}

const expiredToken =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.'

interface PageParts {
  readonly items: readonly Committed[]
  readonly scope: ListScope
  readonly prefix: string
  readonly options: ListOptions
  /** Number of candidates not checked yet. */
  readonly left: number
}

function pageMetadata(view: View, { items, scope, prefix, options, left }: PageParts): JsonObject {
  const last = items.at(-1)
  const start = last === undefined ? '' : `/${listKey(last.place, scope).slice(prefix.length)}\u0000`
  const isWhole = options.labels.length === 0 && options.fields.length === 0
  return {
    resourceVersion: String(view.revision),
    continue: encodeContinue({ revision: view.revision, start }),
    ...(isWhole ? { remainingItemCount: left } : {}),
  }
}

function listKey({ namespace, name }: Committed['place'], { resource }: ListScope): string {
  return resource.isNamespaced ? `${namespace}/${name}` : name
}

interface Continue {
  /** Negative: continue from the newest state. */
  readonly revision: number
  /** First key to check, relative to the scope. */
  readonly start: string
}

function encodeContinue({ revision, start }: Continue): string {
  const token = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })
  return Buffer.from(token, 'utf8').toString('base64url')
}

function decodeContinue(text: string): Continue {
  if (!/^[A-Za-z0-9_-]*$/.test(text))
    throw badRequest(
      `invalid continue token: continue key is not valid: illegal base64 data at input byte ${text.search(/[^A-Za-z0-9_-]/)}`,
    )
  const token = jsonOf(Buffer.from(text, 'base64url').toString('latin1'))
  const { v, rv, start } = token
  if (v !== 'meta.k8s.io/v1')
    throw badRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`,
    )
  if (rv === 0 || typeof rv !== 'number')
    throw badRequest('invalid continue token: incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  if (typeof start !== 'string' || start === '')
    throw badRequest(
      'invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
    )
  if (start.split('/').some((step) => step === '..' || step === '.'))
    throw badRequest(`invalid continue token: continue key is not valid: ${start}`)
  return { revision: rv, start: start.replace(/^\//, '') }
}

function jsonOf(text: string): JsonObject {
  try {
    const { value } = parseWireJson(text)
    if (isJsonObject(value)) return value
  } catch (thrown) {
    if (!(thrown instanceof WireJsonError)) throw thrown
    throw badRequest(`invalid continue token: continue key is not valid: ${thrown.message}`)
  }
  throw badRequest('invalid continue token: continue key is not valid')
}

/**
 * Returns the error for a resourceVersion that the server has not reached.
 * Source: storage.NewTooLargeResourceVersionError.
 */
export function tooLargeVersion(asked: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })
}
