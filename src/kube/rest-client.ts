// Maps each verb of the port to HTTP: methods, paths, content types and bodies. Invariant: JSON passes unchanged, so
// unknown fields survive. The transport is in http-client.ts.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import type { TokenBucketLimit } from '../base/token-bucket.ts'
import { parseExactly, wireJson } from '../base/wire-json.ts'
import { asJson, type KubeObject, type LiveObject } from '../object/object.ts'
import { apiVersionOf, groupResourceOf, type Resource } from '../object/resource.ts'
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
import { HttpClient, type HttpClientOptions, type HttpExchange, type HttpRequest } from './http-client.ts'
import { itemTexts } from './item-texts.ts'
import { KubeError } from './kube-errors.ts'
import { collectionPath, listQuery, objectPath, watchQuery, writeQuery } from './paths.ts'
import { RateLimitedClient } from './rate-limited-client.ts'
import { WatchFrameDecoder } from './watch-frames.ts'

const json = 'application/json'
/**
 * Media type for metadata alone. It has no fallback: a server that does not support it answers 406, and the client
 * reports that instead of holding whole objects.
 */
const metadataAs = (form: 'PartialObjectMetadata' | 'PartialObjectMetadataList') =>
  `application/json;as=${form};g=meta.k8s.io;v=v1`

export interface RestClientOptions extends HttpClientOptions {
  /** Requests per second and burst size. Absent: no limit. */
  readonly requestRate?: TokenBucketLimit | undefined
}

/**
 * The KubeClient that talks to a server.
 *
 * @example
 * const client = new RestClient({ connection, clock, instruments, userAgent: 'konverge/1.0.0' })
 * const pod = await client.get(Pod, { namespace: 'default', name: 'store-0' }, signal)
 */
export class RestClient implements KubeClient {
  readonly #http: HttpExchange

  /** `options` for the network, or `http` for another transport. */
  constructor(options: RestClientOptions | { readonly http: HttpExchange }) {
    this.#http = 'http' in options ? options.http : exchangeOf(options)
  }

  async get(
    resource: Resource,
    location: Location,
    signal: AbortSignal,
    { subresource }: GetOptions = {},
  ): Promise<LiveObject> {
    const path = objectPath(resource, location, subresource)
    return this.#object({ ...about('get', resource, location, subresource), method: 'GET', path }, signal)
  }

  async list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage> {
    const path = collectionPath(resource, options.namespace) + listQuery(options)
    const { metadataOnly = false } = options
    const accept = metadataOnly ? metadataAs('PartialObjectMetadataList') : undefined
    const request: HttpRequest = { ...aboutMany('list', resource, options), method: 'GET', path, accept }
    const page = pageOf(request, resource, await this.#listed(request, options, signal))
    return metadataOnly ? { ...page, items: page.items.map((item) => metadataOf(resource, item)) } : page
  }

  async *watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncGenerator<WatchFrame, void> {
    const path = collectionPath(resource, options.namespace) + watchQuery(options)
    const { metadataOnly = false, onAnswered } = options
    const accept = metadataOnly ? metadataAs('PartialObjectMetadata') : undefined
    const request: HttpRequest = { ...about('watch', resource, options), method: 'GET', path, accept, onAnswered }
    const decoder = new WatchFrameDecoder({ attempt: request.attempt })
    const given = (frame: WatchFrame) => (metadataOnly ? metadataFrame(resource, frame) : frame)
    for await (const chunk of this.#http.stream(request, signal)) {
      for (const frame of decoder.push(chunk)) yield given(frame)
    }
    for (const frame of decoder.end()) yield given(frame)
  }

  async create(
    resource: Resource,
    object: KubeObject,
    options: CreateOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const { subresource } = options
    const { metadata } = object
    const place =
      subresource === undefined
        ? collectionPath(resource, metadata.namespace)
        : objectPath(resource, metadata, subresource)
    const path = place + writeQuery(options)
    const content = { type: json, body: wireJson(asJson(object)) }
    return this.#object(
      { ...about('create', resource, object.metadata, subresource), method: 'POST', path, content },
      signal,
    )
  }

  async apply(resource: Resource, object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<LiveObject> {
    const { subresource } = options
    const path = objectPath(resource, object.metadata, subresource) + writeQuery(options)
    // JSON is YAML; the server has no separate content type for an apply in JSON.
    const content = { type: 'application/apply-patch+yaml', body: wireJson(asJson(object)) }
    return this.#object(
      { ...about('apply', resource, object.metadata, subresource), method: 'PATCH', path, content },
      signal,
    )
  }

  async patch(
    resource: Resource,
    location: Location,
    patch: Patch,
    options: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const { subresource } = options
    const path = objectPath(resource, location, subresource) + writeQuery(options)
    const type = patch.type === 'merge' ? 'application/merge-patch+json' : 'application/json-patch+json'
    const content = { type, body: wireJson(patch.body as Json) } // Operations are JSON.
    return this.#object({ ...about('patch', resource, location, subresource), method: 'PATCH', path, content }, signal)
  }

  async delete(resource: Resource, location: Location, options: DeleteOptions, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options })
    const path = objectPath(resource, location)
    const content = { type: json, body }
    await this.#http.exchange({ ...about('delete', resource, location), method: 'DELETE', path, content }, signal)
  }

  async update(
    resource: Resource,
    object: KubeObject,
    options: UpdateOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const { subresource } = options
    const path = objectPath(resource, object.metadata, subresource) + writeQuery(options)
    const content = { type: json, body: wireJson(asJson(object)) }
    return this.#object(
      { ...about('update', resource, object.metadata, subresource), method: 'PUT', path, content },
      signal,
    )
  }

  async deleteCollection(
    resource: Resource,
    selection: Selection,
    options: DeleteCollectionOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = selection
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options })
    const path = collectionPath(resource, namespace) + listQuery({ labelSelector, fieldSelector })
    const request = { ...aboutMany('deletecollection', resource, { namespace }), method: 'DELETE', path } as const
    await this.#http.exchange({ ...request, content: { type: json, body } }, signal)
  }

  async read(path: string, signal: AbortSignal, options: ReadOptions = {}): Promise<JsonObject> {
    const attempt = `GET ${path}`
    const { accept } = options
    // Discovery documents describe all kinds.
    const request = { attempt, verb: 'read', resource: '', path, accept, hasManyObjects: true }
    return this.#json({ ...request, method: 'GET' }, signal)
  }

  /** Ends all watches, then waits for requests in flight. Cuts off those that still run when the signal aborts. */
  async close(signal: AbortSignal): Promise<void> {
    await this.#http.close(signal)
  }

  async #object(request: HttpRequest, signal: AbortSignal): Promise<LiveObject> {
    const value = await this.#json(request, signal)
    if (typeof value.kind !== 'string' || !isJsonObject(value.metadata)) throw malformed(request, 'an object')
    // The server gives a uid and a resourceVersion to everything that it stores. Reviews (e.g. SelfSubjectAccessReview)
    // are not stored and have neither.
    return value as unknown as LiveObject
  }

  /** Returns the list; parses it item by item if the caller passes `beforeItem`. */
  async #listed(request: HttpRequest, { beforeItem }: ListOptions, signal: AbortSignal): Promise<JsonObject> {
    if (beforeItem === undefined) return this.#json(request, signal)
    const texts = itemTexts(await this.#http.exchange(request, signal))
    const items: JsonObject[] = []
    for (;;) {
      const pause = beforeItem()
      if (pause !== undefined) await pause
      signal.throwIfAborted()
      const { done, value } = next(request, texts)
      if (done === true) return items.length === 0 ? parsed(request, value) : { ...parsed(request, value), items }
      items.push(parsed(request, value))
    }
  }

  async #json(request: HttpRequest, signal: AbortSignal): Promise<JsonObject> {
    return parsed(request, await this.#http.exchange(request, signal))
  }
}

function next(request: HttpRequest, texts: ReturnType<typeof itemTexts>): IteratorResult<string, string> {
  try {
    return texts.next()
  } catch {
    throw malformed(request, 'a JSON object')
  }
}

function parsed(request: HttpRequest, text: string): JsonObject {
  let value: unknown
  try {
    value = parseExactly(text)
  } catch {
    // The parser's own message quotes the text, and the text may be a Secret (I11).
  }
  if (!isJsonObject(value)) throw malformed(request, 'a JSON object')
  return value
}

function exchangeOf({ requestRate, ...options }: RestClientOptions): HttpExchange {
  const http = new HttpClient(options)
  return requestRate === undefined ? http : new RateLimitedClient({ ...options, http, requestRate })
}

/**
 * Names a request in messages and metrics: `apply StatefulSet default/store`, `patch scale of Deployment shop/web`,
 * `list Pod in default`.
 */
function about(
  verb: string,
  resource: Resource,
  { namespace, name, generateName }: { namespace?: string | undefined; name?: string; generateName?: string },
  subresource?: string,
): Pick<HttpRequest, 'attempt' | 'verb' | 'resource'> {
  const of = subresource === undefined ? '' : `${subresource} of `
  return { attempt: `${verb} ${of}${resource.kind}${whereOf()}`, verb, resource: groupResourceOf(resource) }

  function whereOf(): string {
    const called = name || generateName
    if (called !== undefined) return ` ${namespace === undefined ? '' : `${namespace}/`}${called}`
    if (namespace !== undefined) return ` in ${namespace}`
    return resource.scope === 'Namespaced' ? ' in all namespaces' : ''
  }
}

function aboutMany(verb: string, resource: Resource, { namespace }: Pick<Location, 'namespace'>) {
  return { ...about(verb, resource, { namespace }), hasManyObjects: true }
}

function pageOf(request: HttpRequest, resource: Resource, list: JsonObject): ListPage {
  const { metadata, items } = list
  // A Go server writes an empty list as null where the type has no `omitempty`.
  if (!isJsonObject(metadata) || !(items === null || isJsonList(items))) throw malformed(request, 'a list')
  const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind }
  const token = metadata.continue
  return {
    resourceVersion: typeof metadata.resourceVersion === 'string' ? metadata.resourceVersion : '',
    // Items of built-in kinds lack apiVersion and kind; the list carries them once.
    items: (items ?? []).map((item) => {
      if (!isJsonObject(item) || !isJsonObject(item.metadata)) throw malformed(request, 'a list of objects')
      return { ...identity, ...item } as unknown as LiveObject
    }),
    ...(typeof token === 'string' && token !== '' ? { continueToken: token } : {}),
  }
}

/** The server names the kind PartialObjectMetadata; the caller gets the object's own kind. */
function metadataOf(resource: Resource, { metadata }: LiveObject): LiveObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata }
}

function metadataFrame(resource: Resource, frame: WatchFrame): WatchFrame {
  if (frame.type === 'BOOKMARK' || frame.type === 'ERROR') return frame
  return { ...frame, object: metadataOf(resource, frame.object) }
}

function malformed({ attempt }: HttpRequest, wanted: string): KubeError {
  return new KubeError({
    code: 'ServerError',
    message: `${attempt}: the answer is not ${wanted}; check that the address is an API server's and not, say, a login page's`,
  })
}
