// Client for the author's own reads and writes, typed by the descriptors of kinds. Invariant: it writes as its own
// field manager, so no apply of the author removes a field of the runtime, and the other way round.
import type { KubeObject, LiveObject, ObjectMeta } from '../object/object.ts'
import { apiVersionOf, type ObjectOf, type Resource } from '../object/resource.ts'
import type {
  DeleteCollectionOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ListPage,
  Location,
  Patch,
  Preconditions,
  Selection,
  WriteOptions,
} from './client.ts'
import { KubeError } from './kube-errors.ts'
import { assertListEnds } from './list-pages.ts'
import type { ObjectEvent, OpenWatch } from './object-event.ts'
import { loadIfPresent } from './object-loader.ts'
import { deletionProblem, placeProblem, readProblem, scopeProblem, versionProblem } from './request-problems.ts'

/** Options of every call. */
export interface CallOptions {
  /** Ends the call. The call also ends with the client's own signal, and after 30 s. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a call on an object or one of its subresources. */
export interface SubresourceOptions<S extends string> extends CallOptions {
  /** `status`, `scale`, `eviction`, …; absent: the object itself. */
  readonly subresource?: S
}

/** Options of a write. Default field manager: that of the client. */
export interface AuthorWriteOptions<S extends string> extends SubresourceOptions<S>, Partial<WriteOptions> {}

/** Options of a server-side apply. */
export interface AuthorApplyOptions<S extends string> extends AuthorWriteOptions<S> {
  /** Takes fields over from other managers. Default false: a conflict rejects with a KubeError `Conflict`. */
  readonly force?: boolean
}

/** Options of a deletion. */
export interface AuthorDeleteOptions extends CallOptions, Omit<DeleteOptions, 'preconditions'> {
  /**
   * Deletes only the object with this UID and version; any other rejects with a KubeError `Conflict`. Default: any
   * object of that name.
   */
  readonly preconditions?: Preconditions
}

/** Objects to delete together, selected by labels or fields. A namespaced kind needs a namespace. */
export interface AuthorDeleteCollectionOptions
  extends CallOptions,
    DeleteCollectionOptions,
    Pick<Selection, 'namespace' | 'labelSelector' | 'fieldSelector'> {}

/** Type of an answer: the typed object for the object itself and its status, an untyped one for other subresources. */
export type AnswerOf<R extends Resource, S extends string> = S extends 'status' ? ObjectOf<R> : LiveObject

/** An object with its metadata only. */
export type PartialObjectMetadata = Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>

/** Type of each object of a list or watch: with `metadataOnly: true` its metadata, with its own apiVersion and kind. */
export type ReadOf<R extends Resource, MetadataOnly extends boolean> = MetadataOnly extends true
  ? PartialObjectMetadata
  : ObjectOf<R>

/** One page of a list. */
export interface PageOf<R extends Resource, MetadataOnly extends boolean = false> extends Omit<ListPage, 'items'> {
  readonly items: readonly ReadOf<R, MetadataOnly>[]
}

/** A selection, and the part of each object to read. */
type Reading<Options extends Selection, MetadataOnly extends boolean> = CallOptions &
  Omit<Options, 'metadataOnly'> & {
    /** See `Selection.metadataOnly`. */
    readonly metadataOnly?: MetadataOnly | undefined
  }

/**
 * An object to create. Its `apiVersion` and `kind` follow from the resource, except for subresources of another kind.
 */
export interface NewObject<Spec = unknown, Status = unknown> {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: Omit<ObjectMeta, 'name'> & { readonly name?: string }
  readonly spec?: Spec
  readonly status?: Status
  readonly [field: string]: unknown
}

/** A whole object with the resourceVersion at which it was read. */
export interface UpdatedObject<Spec = unknown, Status = unknown> extends NewObject<Spec, Status> {
  readonly metadata: ObjectMeta & { readonly resourceVersion: string }
}

/** The declared fields of an apply: any part of an object. */
export interface AppliedObject<Spec = unknown, Status = unknown> extends NewObject<PartOf<Spec>, PartOf<Status>> {
  readonly metadata: ObjectMeta
}

/** The same type with every field optional. */
export type PartOf<T> = unknown extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly PartOf<Item>[]
    : T extends object
      ? { readonly [Field in keyof T]?: PartOf<T[Field]> }
      : T

/** Dependencies of an OperatorClient. */
export interface OperatorClientOptions {
  readonly client: KubeClient
  readonly openWatch: OpenWatch
  /** Default field manager of writes. */
  readonly fieldManager: string
  /** Ends all calls. */
  readonly signal: AbortSignal
}

/** Page size of kubectl. */
const pageSize = 500

/**
 * Client for reads and writes of an operator's author.
 *
 * Reads query the API server each time. Calls reject with a KubeError if the server rejects the request or is
 * unreachable. Writes reject with a CodedError `NotLeader` if replicas elect a leader and this process does not lead.
 *
 * The field manager is `<operator>-client`; in a runnable or a `cleanup`, a colon and the name of the runnable or the
 * controller follow.
 * RBAC rules follow from the declared `rights`.
 *
 * @example
 * const { replicas } = (await client.get(Website, { namespace: 'shop', name: 'home' })).spec
 * const patch = { type: 'merge', body: { spec: { replicas } } } as const
 * await client.patch(Deployment, { namespace: 'shop', name: 'home' }, patch, { subresource: 'scale' })
 */
export class OperatorClient {
  readonly #client: KubeClient
  readonly #fieldManager: string
  readonly #signal: AbortSignal
  readonly #openWatch: OpenWatch

  constructor({ client, openWatch, fieldManager, signal }: OperatorClientOptions) {
    this.#client = client
    this.#openWatch = openWatch
    this.#fieldManager = fieldManager
    this.#signal = signal
  }

  /** Returns the object. Rejects with a KubeError `NotFound` if it does not exist. */
  async get<R extends Resource, S extends string = 'status'>(
    resource: R,
    at: Location,
    options: SubresourceOptions<S> = {},
  ): Promise<AnswerOf<R, S>> {
    const { subresource } = options
    const place = placeOf('get', resource, at)
    const found = await this.#client.get(resource, place, this.#signalOf(options), subresource && { subresource })
    return answer(found)
  }

  /** Returns the object, or undefined if it does not exist. */
  async find<R extends Resource>(
    resource: R,
    at: Location,
    options: CallOptions = {},
  ): Promise<ObjectOf<R> | undefined> {
    const found = await loadIfPresent(this.#client, resource, placeOf('find', resource, at), this.#signalOf(options))
    return found && answer(found)
  }

  /** Returns one page: all objects, or `limit` of them and a `continueToken` for the next page. */
  async list<R extends Resource, MetadataOnly extends boolean = false>(
    resource: R,
    options: Reading<ListOptions, MetadataOnly> = {},
  ): Promise<PageOf<R, MetadataOnly>> {
    const { signal: _, ...selection } = options
    reject(`list ${resource.plural}`, readProblem(resource, selection))
    const page = await this.#client.list(resource, selection, this.#signalOf(options))
    return { ...page, items: page.items.map((item) => answer<ReadOf<R, MetadataOnly>>(item)) }
  }

  /**
   * Yields all pages of `limit` objects (default 500), one request each. All pages show the same state. The server
   * keeps that state for 5 min; a longer list ends with a KubeError `Expired`: start it again.
   *
   * @example for await (const { items } of client.pages(Pod, { labelSelector: 'app=shop' })) count += items.length
   */
  async *pages<R extends Resource, MetadataOnly extends boolean = false>(
    resource: R,
    options: Reading<ListOptions, MetadataOnly> = {},
  ): AsyncGenerator<PageOf<R, MetadataOnly>, void> {
    let asked = options.continueToken
    for (let pages = 1; ; pages++) {
      const next = asked === undefined ? {} : { continueToken: asked }
      const page: PageOf<R, MetadataOnly> = await this.list(resource, { limit: pageSize, ...options, ...next })
      yield page
      const { continueToken: answered } = page
      if (answered === undefined) return
      assertListEnds(`list ${resource.kind}`, { pages, asked, answered })
      asked = answered
    }
  }

  /**
   * Yields events of the selected objects: the existing ones, then `synced`, then changes. The watch survives broken
   * connections, restarts of the API server and expired versions (410), and yields missed changes as events. A slow
   * reader gets the newest state of each object, without the states between. Memory holds the unread objects and the
   * identities of all. Ends when the signal of the call or of the client aborts, or when the reader leaves the loop.
   * Rejects with a KubeError if the API server rejects the watch before `synced`, e.g. `Forbidden`; logs and retries
   * later rejections. Needs the verbs `list` and `watch`.
   *
   * @example for await (const event of client.watch(Pod, { labelSelector: 'app=shop' })) if (event.kind === 'deleted') forget(event.object.uid)
   */
  async *watch<R extends Resource, MetadataOnly extends boolean = false>(
    resource: R,
    options: Reading<Selection, MetadataOnly> = {},
  ): AsyncGenerator<ObjectEvent<ReadOf<R, MetadataOnly>>, void> {
    const { signal: _, ...selection } = options
    reject(`watch ${resource.plural}`, readProblem(resource, selection))
    const events = this.#openWatch(resource, selection, this.#signalOf(options))
    // Sound: see `answer`.
    yield* events as AsyncIterable<ObjectEvent<ReadOf<R, MetadataOnly>>>
  }

  /**
   * Creates the object. Rejects with a KubeError `AlreadyExists` if it exists. With `metadata.generateName` the server
   * chooses the name.
   */
  async create<R extends Resource, S extends string = 'status'>(
    resource: R,
    object: R extends Resource<infer Spec, infer Status> ? NewObject<Spec, Status> : never,
    options: AuthorWriteOptions<S> = {},
  ): Promise<AnswerOf<R, S>> {
    const written = this.#writeOptionsOf(options)
    const whole = options.subresource ? namedOf('create', resource, object) : wholeOf('create', resource, object)
    return answer(await this.#client.create(resource, whole, written, this.#signalOf(options)))
  }

  /**
   * Server-side apply: creates the object, or sets the declared fields and removes fields of this manager's last apply.
   */
  async apply<R extends Resource, S extends string = 'status'>(
    resource: R,
    object: R extends Resource<infer Spec, infer Status> ? AppliedObject<Spec, Status> : never,
    options: AuthorApplyOptions<S> = {},
  ): Promise<AnswerOf<R, S>> {
    const written = { force: options.force ?? false, ...this.#writeOptionsOf(options) }
    const named = namedOf('apply', resource, object)
    return answer(await this.#client.apply(resource, named, written, this.#signalOf(options)))
  }

  /**
   * Applies a JSON Merge Patch (RFC 7396) or a JSON Patch (RFC 6902). A `resourceVersion` in it limits it to that
   * version.
   */
  async patch<R extends Resource, S extends string = 'status'>(
    resource: R,
    at: Location,
    patch: Patch,
    options: AuthorWriteOptions<S> = {},
  ): Promise<AnswerOf<R, S>> {
    const written = this.#writeOptionsOf(options)
    const place = placeOf('patch', resource, at)
    return answer(await this.#client.patch(resource, place, patch, written, this.#signalOf(options)))
  }

  /**
   * PUT: replaces the object by one that was read and changed. Rejects with a KubeError `Conflict` if it has changed
   * since: read it again. Removes every field that `object` lacks, so pass a whole object. For a part, use `patch` or
   * `apply`.
   */
  async update<R extends Resource, S extends string = 'status'>(
    resource: R,
    object: R extends Resource<infer Spec, infer Status> ? UpdatedObject<Spec, Status> : never,
    options: AuthorWriteOptions<S> = {},
  ): Promise<AnswerOf<R, S>> {
    const named = namedOf('update', resource, object)
    const { name, resourceVersion } = named.metadata
    reject(`update ${resource.kind} ${name}`, versionProblem(resourceVersion))
    return answer(await this.#client.update(resource, named, this.#writeOptionsOf(options), this.#signalOf(options)))
  }

  /**
   * Resolves when the server has accepted the deletion; finalizers may hold the object. Rejects with a KubeError
   * `NotFound` if the object does not exist.
   */
  async delete(resource: Resource, at: Location, options: AuthorDeleteOptions = {}): Promise<void> {
    const { signal: _, preconditions, ...deleted } = options
    const place = placeOf('delete', resource, at)
    await this.#client.delete(resource, place, { ...deleted, preconditions }, this.#signalOf(options))
  }

  /**
   * Deletes all selected objects by one request. Rejects with a KubeError `BadRequest` if no selector has a
   * requirement, or if the kind is namespaced and no namespace is given. A failed call may have deleted some objects:
   * repeat it. Needs the verb `deletecollection`.
   */
  async deleteCollection(resource: Resource, options: AuthorDeleteCollectionOptions): Promise<void> {
    const { signal: _, namespace, labelSelector, fieldSelector, ...deleted } = options
    const selection = { namespace, labelSelector, fieldSelector }
    reject(`delete all ${resource.plural}`, deletionProblem(resource, selection))
    await this.#client.deleteCollection(resource, selection, deleted, this.#signalOf(options))
  }

  #signalOf({ signal }: CallOptions): AbortSignal {
    return signal === undefined ? this.#signal : AbortSignal.any([signal, this.#signal])
  }

  #writeOptionsOf<S extends string>(options: AuthorWriteOptions<S>): WriteOptions & { readonly subresource?: S } {
    const { fieldManager = this.#fieldManager, dryRun, fieldValidation, subresource } = options
    return {
      fieldManager,
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(fieldValidation === undefined ? {} : { fieldValidation }),
      ...(subresource === undefined ? {} : { subresource }),
    }
  }
}

/** Callers also pass the metadata of whole objects; only namespace and name count. */
function placeOf(verb: string, resource: Resource, at: Location | undefined): Location {
  const { namespace, name } = at ?? { name: '' }
  reject(attemptOf(verb, resource, name), placeProblem(resource, { namespace, name }))
  return { namespace, name }
}

/** An object with a generated name has no name yet, but the type of the port requires one. */
function wholeOf(verb: string, resource: Resource, object: object): KubeObject {
  const whole = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object } as unknown as KubeObject
  const { name, namespace } = whole.metadata ?? {}
  const problem = whole.metadata
    ? scopeProblem(resource, namespace)
    : 'the object has no metadata; give it a name there'
  reject(attemptOf(verb, resource, name), problem)
  return whole
}

function namedOf(verb: string, resource: Resource, object: object): KubeObject {
  const whole = wholeOf(verb, resource, object)
  placeOf(verb, resource, whole.metadata)
  return whole
}

/** Sound: the server returns the wire shape that the descriptor of the resource declares. */
function answer<Answer>(object: LiveObject): Answer {
  return object as Answer
}

function attemptOf(verb: string, { kind }: Resource, name: string | undefined): string {
  return name ? `${verb} ${kind} ${name}` : `${verb} ${kind}`
}

/** Throws a KubeError `BadRequest` if there is a problem. */
function reject(attempt: string, problem: string | undefined): void {
  if (problem === undefined) return
  throw new KubeError({ code: 'BadRequest', message: `no request was sent: ${attempt}: ${problem}` })
}
