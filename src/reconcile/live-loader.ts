// Reads for a controller's own functions: from the cache if the kind is watched, else from the API server. Owned kinds
// are read from the API server, because the cache holds only the operator's own children. So are Secrets that no watch
// caches (I11).
// Invariant: the cache answers no request that would not be sent to the API server, such as one for a name that
// contains a slash.
import { CodedError, unwatchedRetryMs } from '../base/errors.ts'
import type { ObjectSelection } from '../cache/store.ts'
import type { KubeClient, Location } from '../kube/client.ts'
import { isKubeError, KubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { collectionPath, objectPath } from '../kube/paths.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyFor } from '../object/ref.ts'
import { groupKindOf, type Resource } from '../object/resource.ts'
import { labelsProblem } from '../synth/metadata-rules.ts'
import type { LiveReader } from './context.ts'

/** A cached kind, as reads need it. */
export interface CachedKind {
  /**
   * Label that all cached objects have; undefined: all objects are cached. A selector of another form counts as a label
   * that no read asks for.
   */
  readonly selectedLabel: string | undefined
  /** True if this namespace is cached. Undefined: the whole cluster. */
  covers(namespace: string | undefined): boolean
  get(key: Key): LiveObject | undefined
  select(selection: ObjectSelection): readonly LiveObject[]
  /** Undefined: no watch of the kind has the index. */
  byIndex(index: string, value: string): readonly LiveObject[] | undefined
}

export interface LiveLoaderOptions {
  readonly client: KubeClient
  readonly cachedKind: (resource: Resource) => CachedKind | undefined
  /** True if the API server may be asked: only for declared kinds, because the operator's roles cover no others. */
  readonly mayAsk: (resource: Resource, verb: LiveVerb) => boolean
  readonly signal: AbortSignal
}

/** The verb of the read: `find` for one object, `list` for many. */
export type LiveVerb = 'find' | 'list'

/** Limit of the pages of a live list: a controller that needs more should watch the kind. */
const maxPages = 20
const pageSize = 500

export class LiveLoader implements LiveReader {
  readonly #options: LiveLoaderOptions

  constructor(options: LiveLoaderOptions) {
    this.#options = options
  }

  /**
   * Returns undefined also for an invalid name or namespace, which often comes from a spec, if the kind is cached. If
   * it is not, rejects with a KubeError `BadRequest`.
   */
  async find<Spec, Status>(
    resource: Resource<Spec, Status>,
    { namespace, name }: Location,
  ): Promise<LiveObject<Spec, Status> | undefined> {
    const { client, cachedKind, signal } = this.#options
    const cached = cachedKind(resource)
    const path = () => objectPath(resource, { namespace, name })
    if (cached === undefined) path()
    else if (!isPossible(path)) return undefined
    // Sound: a resource serves the wire shape that its descriptor declares.
    const found = cached?.get(keyFor(namespace, name)) as LiveObject<Spec, Status> | undefined
    const isAbsent = cached !== undefined && cached.selectedLabel === undefined && cached.covers(namespace)
    if (found !== undefined || isAbsent) return found
    this.#assertDeclared(resource, 'find')
    const loaded = await loadIfPresent(client, resource, { namespace, name }, signal)
    return loaded as LiveObject<Spec, Status> | undefined
  }

  /**
   * Rejects with a KubeError `BadRequest` for invalid labels. An invalid namespace is rejected too if the kind is not
   * cached; else its list is empty.
   */
  async list<Spec, Status>(
    resource: Resource<Spec, Status>,
    {
      namespace,
      labels = {},
    }: { readonly namespace?: string | undefined; readonly labels?: Readonly<Record<string, string>> },
  ): Promise<readonly LiveObject<Spec, Status>[]> {
    assertLabels(resource, labels)
    const cached = this.#options.cachedKind(resource)
    const path = () => collectionPath(resource, namespace)
    if (cached === undefined) path()
    else if (!isPossible(path)) return []
    // Only objects that the operator manages are relevant for a watched kind, and the operator may not read more.
    const isInMemory = cached !== undefined && (namespace === undefined || cached.covers(namespace))
    const isCovered = isInMemory && (cached.selectedLabel === undefined || Object.hasOwn(labels, cached.selectedLabel))
    const objects = isCovered ? cached.select({ namespace, labels }) : await this.#listLive(resource, namespace, labels)
    return objects as readonly LiveObject<Spec, Status>[]
  }

  byIndex<Spec, Status>(
    resource: Resource<Spec, Status>,
    index: string,
    value: string,
  ): readonly LiveObject<Spec, Status>[] {
    const found = this.#options.cachedKind(resource)?.byIndex(index, value)
    if (found === undefined) {
      throw new CodedError({
        code: 'UndeclaredIndex',
        message: `no watch of ${groupKindOf(resource)} has an index ${index}; add it to the indexes of the watch`,
        remedy: 'stop',
      })
    }
    return found as readonly LiveObject<Spec, Status>[]
  }

  async #listLive(
    resource: Resource,
    namespace: string | undefined,
    labels: Readonly<Record<string, string>>,
  ): Promise<readonly LiveObject[]> {
    const { client, signal } = this.#options
    this.#assertDeclared(resource, 'list')
    const labelSelector = Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .join(',')
    const found: LiveObject[] = []
    let continueToken: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const options = {
        namespace,
        limit: pageSize,
        ...(labelSelector === '' ? {} : { labelSelector }),
        ...(continueToken === undefined ? {} : { continueToken }),
      }
      const { items, continueToken: next } = await client.list(resource, options, signal)
      found.push(...items)
      if (next === undefined) return found
      continueToken = next
    }
    throw new CodedError({
      code: 'TooManyObjects',
      message: `list ${groupKindOf(resource)}: there are more than ${maxPages * pageSize}; add it to the controller's watches`,
      remedy: 'stop',
      retryAfterMs: unwatchedRetryMs,
    })
  }

  #assertDeclared(resource: Resource, verb: LiveVerb): void {
    if (this.#options.mayAsk(resource, verb)) return
    const wanted = verb === 'find' ? resource.kind : `{ resource: ${resource.kind}, isListed: true }`
    throw new CodedError({
      code: 'UndeclaredRead',
      message: `${verb} ${groupKindOf(resource)}: the controller does not declare it; add ${wanted} to its reads`,
      remedy: 'stop',
    })
  }
}

/** False if no object can have this path, as with a name that contains a slash. */
function isPossible(path: () => string): boolean {
  try {
    path()
    return true
  } catch (thrown) {
    if (isKubeError(thrown, 'BadRequest')) return false
    throw thrown
  }
}

/** In a selector, an invalid label can mean another one: `=a` selects `a`. */
function assertLabels(resource: Resource, labels: Readonly<Record<string, string>>): void {
  const problem = labelsProblem(labels)
  if (problem === undefined) return
  const message = `no request was sent: list ${groupKindOf(resource)}: ${problem}`
  throw new KubeError({ code: 'BadRequest', message })
}
