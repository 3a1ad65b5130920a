// A client whose errors quote no values: API servers and webhooks quote what they reject, and from an error it would go on into conditions,
// Events and logs (I11). Taken out are values of Secrets, values of the request, and whatever is quoted as the value of a field.
// Bounded: the newest Secrets are remembered.
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

/** Of one operator. A Secret has a few hundred bytes, and 1 MiB at most. */
const mostSecrets = 1_000

/** What a request carried, and of which object. */
interface Sent {
  readonly body: unknown
  readonly kind: string
  readonly at: Location
}

/** The whole object. */
const sentOf = ({ kind }: Resource, body: KubeObject): Sent => ({ body, kind, at: body.metadata })

export class DiscreetClient implements KubeClient {
  readonly #client: KubeClient
  readonly #prefix: string
  /** Texts of Secrets, by namespace and name; the longest unseen first. */
  readonly #texts = new Map<string, readonly string[]>()

  /** `cluster` begins the messages of its errors, where an operator has several clusters. */
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

  /** The error itself where it quotes nothing. */
  #discreetError(error: KubeError, sent: Sent | undefined): KubeError {
    // The newest first: parts are looked for in so many characters only.
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
