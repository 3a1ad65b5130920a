// Reads for a controller's own functions: from memory where the kind is watched, else from the API server. Owned kinds are
// read live, as memory holds only our own children of them; so are Secrets that nobody declared to cache (I11). Invariant: memory answers no request
// that the API server would not be sent, such as one for a name with a namespace in it.
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

/** A kind in memory, as far as reads need it. */
export interface CachedKind {
  /** Only objects with this label are in memory; undefined: all are. A selector of another form counts as a label nobody asks for. */
  readonly selectedLabel: string | undefined
  /** Is this namespace in memory at all? Undefined: the whole cluster. */
  covers(namespace: string | undefined): boolean
  get(key: Key): LiveObject | undefined
  select(selection: ObjectSelection): readonly LiveObject[]
  /** Undefined: no watch of the kind has the index. */
  byIndex(index: string, value: string): readonly LiveObject[] | undefined
}

export interface LiveLoaderOptions {
  readonly client: KubeClient
  readonly cachedKind: (resource: Resource) => CachedKind | undefined
  /** May the API server be asked? Only for what the controller declares, or the operator's roles would not cover it. */
  readonly mayAsk: (resource: Resource, verb: LiveVerb) => boolean
  readonly signal: AbortSignal
}

/** How the API server is asked: for one object, or for many. */
export type LiveVerb = 'find' | 'list'

/** At most this many pages of a live list are read: a controller that needs more should watch the kind. */
const maxPages = 20
const pageSize = 500

export class LiveLoader implements LiveReader {
  readonly #options: LiveLoaderOptions

  constructor(options: LiveLoaderOptions) {
    this.#options = options
  }

  /**
   * Undefined also for a name or namespace that cannot be one, which often comes from a spec: nothing has it. Where the kind is not in memory, rejects
   * with a KubeError `BadRequest` then.
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
    // Sound: what a resource serves has the wire shape that its descriptor declares.
    const found = cached?.get(keyFor(namespace, name)) as LiveObject<Spec, Status> | undefined
    const isAbsent = cached !== undefined && cached.selectedLabel === undefined && cached.covers(namespace)
    if (found !== undefined || isAbsent) return found
    this.#assertDeclared(resource, 'find')
    const loaded = await loadIfPresent(client, resource, { namespace, name }, signal)
    return loaded as LiveObject<Spec, Status> | undefined
  }

  /** Rejects with a KubeError `BadRequest` for labels that cannot be some, and for such a namespace where the kind is not in memory; else that has none. */
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
    // Of a watched kind no more than what the operator looks after concerns anybody here, and no more could be asked for.
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

/** False if no object can have the place, as a name with a slash. */
function isPossible(path: () => string): boolean {
  try {
    path()
    return true
  } catch (thrown) {
    if (isKubeError(thrown, 'BadRequest')) return false
    throw thrown
  }
}

/** In a selector, what is no label can mean another one: `=a` selects `a`. */
function assertLabels(resource: Resource, labels: Readonly<Record<string, string>>): void {
  const problem = labelsProblem(labels)
  if (problem === undefined) return
  const message = `no request was sent: list ${groupKindOf(resource)}: ${problem}`
  throw new KubeError({ code: 'BadRequest', message })
}
