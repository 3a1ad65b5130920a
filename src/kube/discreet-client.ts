// Client whose errors quote no values. API servers and webhooks quote values that they reject, and errors reach
// conditions, Events and logs (I11). The client removes values of Secrets, values of the request, and every text that
// is quoted as the value of a field. Bounded: it remembers the newest Secrets.
import { isJsonObject, type JsonObject } from '../base/json.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'
import type {
  ApplyOptions,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  KubeClient,
  ListOptions,
  ListPage,
  Location,
  Patch,
  PatchOptions,
  ReadOptions,
  Selection,
  UpdateOptions,
  WatchFrame,
  WatchOptions,
} from './client.ts'
import { KubeError } from './kube-errors.ts'
import { messagesWithoutValues } from './quoted-values.ts'
import { secretTexts, valueTexts } from './value-texts.ts'

/** Secrets that one operator remembers. A Secret usually has a few hundred bytes, and at most 1 MiB. */
const mostSecrets = 1_000

/** Body of a request, and the object that it is for. */
interface Sent {
  readonly body: unknown
  readonly kind: string
  readonly at: Location
}

/** The request carries the whole object. */
const sentOf = ({ kind }: Resource, body: KubeObject): Sent => ({ body, kind, at: body.metadata })

export class DiscreetClient implements KubeClient {
  readonly #client: KubeClient
  readonly #prefix: string
  /** Texts of Secrets by namespace and name, least recently seen first. */
  readonly #texts = new Map<string, readonly string[]>()

  /** `cluster` is the prefix of error messages if an operator has several clusters. */
  constructor(client: KubeClient, { cluster }: { readonly cluster?: string } = {}) {
    this.#client = client
    this.#prefix = cluster === undefined ? '' : `cluster ${cluster}: `
  }

  get(resource: Resource, at: Location, signal: AbortSignal, options?: GetOptions): Promise<LiveObject> {
    return this.#discreet(this.#client.get(resource, at, signal, options))
  }

  async list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage> {
    const page = await this.#discreet(this.#client.list(resource, options, signal))
    for (const item of page.items) this.#learn(item)
    return page
  }

  async *watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame> {
    for await (const frame of this.#client.watch(resource, options, signal)) {
      if (frame.type !== 'ERROR' && frame.type !== 'BOOKMARK') this.#learn(frame.object)
      yield frame
    }
  }

  create(resource: Resource, object: KubeObject, options: CreateOptions, signal: AbortSignal): Promise<LiveObject> {
    this.#learn(object)
    return this.#discreet(this.#client.create(resource, object, options, signal), sentOf(resource, object))
  }

  apply(resource: Resource, object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<LiveObject> {
    this.#learn(object)
    return this.#discreet(this.#client.apply(resource, object, options, signal), sentOf(resource, object))
  }

  patch(
    resource: Resource,
    at: Location,
    patch: Patch,
    options: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const sent = { body: patch.body, kind: resource.kind, at }
    return this.#discreet(this.#client.patch(resource, at, patch, options, signal), sent)
  }

  delete(resource: Resource, at: Location, options: DeleteOptions, signal: AbortSignal): Promise<void> {
    return this.#discreet(this.#client.delete(resource, at, options, signal))
  }

  update(resource: Resource, object: KubeObject, options: UpdateOptions, signal: AbortSignal): Promise<LiveObject> {
    this.#learn(object)
    return this.#discreet(this.#client.update(resource, object, options, signal), sentOf(resource, object))
  }

  deleteCollection(
    resource: Resource,
    selection: Selection,
    options: DeleteCollectionOptions,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#discreet(this.#client.deleteCollection(resource, selection, options, signal))
  }

  read(path: string, signal: AbortSignal, options?: ReadOptions): Promise<JsonObject> {
    return this.#discreet(this.#client.read(path, signal, options))
  }

  async #discreet<T>(work: Promise<T>, sent?: Sent): Promise<T> {
    try {
      const answer = await work
      if (isJsonObject(answer)) this.#learn(answer)
      return answer
    } catch (thrown) {
      throw thrown instanceof KubeError ? this.#discreetError(thrown, sent) : thrown
    }
  }

  /** Returns the same error if its messages quote no value. */
  #discreetError(error: KubeError, sent: Sent | undefined): KubeError {
    // Newest Secrets first: the search for parts of texts covers a limited number of characters.
    const secrets = [...this.#texts.values()].toReversed().flat()
    const request = valueTexts(sent?.body, sent?.kind)
    const names = [sent?.at.name, sent?.at.namespace].filter((name) => name !== undefined)
    const known = { secrets, request, names }
    const said = [error.message, ...error.causes.map(({ message }) => message)]
    const [first = '', ...others] = messagesWithoutValues(said, known)
    const message = this.#prefix + first
    const causes = error.causes.map((cause, at) => ({ ...cause, message: others[at] ?? '' }))
    if (message === error.message && causes.every((cause, at) => cause.message === error.causes[at]?.message))
      return error
    const { code, httpStatus, retryAfterMs } = error
    return new KubeError({ code, message, httpStatus, causes, retryAfterMs })
  }

  #learn(object: object): void {
    const secret = secretTexts(object)
    if (secret === undefined) return
    this.#texts.delete(secret.key)
    this.#texts.set(secret.key, secret.texts)
    const [longestUnseen] = this.#texts.keys()
    if (this.#texts.size > mostSecrets && longestUnseen !== undefined) this.#texts.delete(longestUnseen)
  }
}
