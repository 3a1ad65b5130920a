// The client for the author's own reads and writes, typed by the descriptors of kinds. Invariant: it writes as a field manager of its own, so that
// no apply of the author's removes a field that the runtime applied, nor the other way round.
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

/** Of every call. */
export interface CallOptions {
  /** Ends the call. It also ends with the client's own signal, and after 30 s. */
  readonly signal?: AbortSignal | undefined
}

export interface SubresourceOptions<S extends string> extends CallOptions {
  /** `status`, `scale`, `eviction`, …; absent: the object itself. */
  readonly subresource?: S
}

export interface AuthorWriteOptions<S extends string> extends SubresourceOptions<S>, Partial<WriteOptions> {}

export interface AuthorApplyOptions<S extends string> extends AuthorWriteOptions<S> {
  /** Takes fields over from other managers. Default false: a conflict rejects with a KubeError `Conflict`. */
  readonly force?: boolean
}

export interface AuthorDeleteOptions extends CallOptions, Omit<DeleteOptions, 'preconditions'> {
  /** The very object that is meant; another one of that name rejects with a KubeError `Conflict`. Default: whatever bears the name. */
  readonly preconditions?: Preconditions
}

/** Objects to delete together. It names a namespace where the kind has them, and selects by labels or fields. */
export interface AuthorDeleteCollectionOptions
  extends CallOptions,
    DeleteCollectionOptions,
    Pick<Selection, 'namespace' | 'labelSelector' | 'fieldSelector'> {}

/** The object for itself and its status; what other subresources answer has a shape of its own. */
export type AnswerOf<R extends Resource, S extends string> = S extends 'status' ? ObjectOf<R> : LiveObject

/** An object of which only the metadata was asked for. */
export type PartialObjectMetadata = Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>

/** What a list or watch gives of each object: `metadataOnly: true` gives its metadata, under its own apiVersion and kind. */
export type ReadOf<R extends Resource, MetadataOnly extends boolean> = MetadataOnly extends true
  ? PartialObjectMetadata
  : ObjectOf<R>

/** One page of a list. */
export interface PageOf<R extends Resource, MetadataOnly extends boolean = false> extends Omit<ListPage, 'items'> {
  readonly items: readonly ReadOf<R, MetadataOnly>[]
}

/** A selection, and how much is read of each object. */
type Reading<Options extends Selection, MetadataOnly extends boolean> = CallOptions &
  Omit<Options, 'metadataOnly'> & {
    /** As of Selection. */
    readonly metadataOnly?: MetadataOnly | undefined
  }

/** An object to create. Its `apiVersion` and `kind` follow from the resource, but for subresources of another kind. */
export interface NewObject<Spec = unknown, Status = unknown> {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: Omit<ObjectMeta, 'name'> & { readonly name?: string }
  readonly spec?: Spec
  readonly status?: Status
  readonly [field: string]: unknown
}

/** A whole object, with the version that it was read at. */
export interface UpdatedObject<Spec = unknown, Status = unknown> extends NewObject<Spec, Status> {
  readonly metadata: ObjectMeta & { readonly resourceVersion: string }
}

/** What an apply declares of an object: any part of it. */
export interface AppliedObject<Spec = unknown, Status = unknown> extends NewObject<PartOf<Spec>, PartOf<Status>> {
  readonly metadata: ObjectMeta
}

/** The value, every field of it optional. */
export type PartOf<T> = unknown extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly PartOf<Item>[]
    : T extends object
      ? { readonly [Field in keyof T]?: PartOf<T[Field]> }
      : T

export interface OperatorClientOptions {
  readonly client: KubeClient
  readonly openWatch: OpenWatch
  /** Owns the fields that are written, unless a call names another manager. */
  readonly fieldManager: string
  /** Ends all calls. */
  readonly signal: AbortSignal
}

/** Pages of 500 objects, as kubectl asks for. */
const pageSize = 500

/**
 * Reads and writes of the author's own. Reads ask the API server each time. Calls reject with a KubeError when it refuses or cannot be reached; writes reject with a
 * CodedError `NotLeader` where replicas elect a leader and this process does not lead. What is written is owned by `<operator>-client`, with a colon and the name
 * of the runnable, or of the controller of a `cleanup`. Rights follow from the `rights` that are declared.
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

  /** Rejects with a KubeError `NotFound` if there is none. */
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

  /** Undefined if there is none. */
  async find<R extends Resource>(
    resource: R,
    at: Location,
    options: CallOptions = {},
  ): Promise<ObjectOf<R> | undefined> {
    const found = await loadIfPresent(this.#client, resource, placeOf('find', resource, at), this.#signalOf(options))
    return found && answer(found)
  }

  /** One page: all objects, or `limit` of them and a `continueToken` for the next page. */
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
   * All pages, one request each, of `limit` objects (default 500). All show the same state. A list that takes longer than the server remembers that state (5 min)
   * ends with a KubeError `Expired`: begin again.
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
   * Events of the objects that are selected: those that exist, then `synced`, then changes. It outlives connections, restarts of the API server and expired versions (410): what
   * was missed follows as events. A slow reader gets the newest state of each object, without the states between. Memory holds the unread objects and the identities of
   * all. Ends when the signal of the call or of the client aborts, or when the reader leaves the loop. Rejects with a KubeError if the API server rejects it before
   * `synced`, e.g. `Forbidden`; later rejections are logged, and tried again. Needs the verbs `list` and `watch`.
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
    // Sound: as of `answer`.
    yield* events as AsyncIterable<ObjectEvent<ReadOf<R, MetadataOnly>>>
  }

  /** Rejects with a KubeError `AlreadyExists` if there is one. `metadata.generateName` lets the server name it. */
  async create<R extends Resource, S extends string = 'status'>(
    resource: R,
    object: R extends Resource<infer Spec, infer Status> ? NewObject<Spec, Status> : never,
    options: AuthorWriteOptions<S> = {},
  ): Promise<AnswerOf<R, S>> {
    const written = this.#writeOptionsOf(options)
    const whole = options.subresource ? namedOf('create', resource, object) : wholeOf('create', resource, object)
    return answer(await this.#client.create(resource, whole, written, this.#signalOf(options)))
  }

  /** Server-side apply: creates the object, or sets the fields that it declares, and removes those that the last apply of the manager declared. */
  async apply<R extends Resource, S extends string = 'status'>(
    resource: R,
    object: R extends Resource<infer Spec, infer Status> ? AppliedObject<Spec, Status> : never,
    options: AuthorApplyOptions<S> = {},
  ): Promise<AnswerOf<R, S>> {
    const written = { force: options.force ?? false, ...this.#writeOptionsOf(options) }
    const named = namedOf('apply', resource, object)
    return answer(await this.#client.apply(resource, named, written, this.#signalOf(options)))
  }

  /** A JSON Merge Patch (RFC 7396) or a JSON Patch (RFC 6902). A `resourceVersion` in it makes it hold only for that version. */
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
   * PUT: replaces the object by one that was read and changed. Rejects with a KubeError `Conflict` if it has changed since: read it again. It removes every field that
   * `object` lacks, so pass a whole object, and prefer `patch` or `apply` where a part is enough.
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

  /** Resolves when the server accepted; finalizers may hold the object. Rejects with a KubeError `NotFound` if there is none. */
  async delete(resource: Resource, at: Location, options: AuthorDeleteOptions = {}): Promise<void> {
    const { signal: _, preconditions, ...deleted } = options
    const place = placeOf('delete', resource, at)
    await this.#client.delete(resource, place, { ...deleted, preconditions }, this.#signalOf(options))
  }

  /**
   * Deletes all objects that are selected, by one request. Rejects with a KubeError `BadRequest` if the selectors select everything, or without a namespace where
   * the kind has them. A call that fails may have deleted a part: repeat it. Needs the verb `deletecollection`.
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

/** Callers pass whole objects' metadata too. */
function placeOf(verb: string, resource: Resource, at: Location | undefined): Location {
  const { namespace, name } = at ?? { name: '' }
  reject(attemptOf(verb, resource, name), placeProblem(resource, { namespace, name }))
  return { namespace, name }
}

/** What is created under a generated name has none yet; the port asks for a name. */
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

/** Sound: what a resource serves has the wire shape that its descriptor declares. */
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
