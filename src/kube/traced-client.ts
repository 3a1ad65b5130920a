// Client that records each request as a span below its caller's span. Invariant: a span names the verb and the object,
// never the sent content (I11). Watches have no span, because they outlive every reconcile.

import type { SpanAttributes, Tracer } from '../base/instrument.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
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
import { isKubeError, KubeError } from './kube-errors.ts'

export class TracedClient implements KubeClient {
  readonly #client: KubeClient
  readonly #tracer: Tracer

  constructor({ client, tracer }: { readonly client: KubeClient; readonly tracer: Tracer }) {
    this.#client = client
    this.#tracer = tracer
  }

  /** NotFound is an answer, not a failure of the span. */
  async get(resource: Resource, at: Location, signal: AbortSignal, options?: GetOptions): Promise<LiveObject> {
    const found = await this.#trace(verbOf('get', options), resource, at, async () => {
      try {
        return await this.#client.get(resource, at, signal, options)
      } catch (thrown) {
        if (isKubeError(thrown, 'NotFound')) return thrown
        throw thrown
      }
    })
    if (found instanceof KubeError) throw found
    return found
  }

  list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage> {
    return this.#trace('list', resource, options, () => this.#client.list(resource, options, signal))
  }

  watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame> {
    return this.#client.watch(resource, options, signal)
  }

  create(resource: Resource, object: KubeObject, options: CreateOptions, signal: AbortSignal): Promise<LiveObject> {
    const verb = options.dryRun === true ? 'dry-run' : verbOf('create', options)
    return this.#trace(verb, resource, object.metadata, () => this.#client.create(resource, object, options, signal))
  }

  apply(resource: Resource, object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<LiveObject> {
    const verb = verbOf('apply', options)
    return this.#trace(verb, resource, object.metadata, () => this.#client.apply(resource, object, options, signal))
  }

  patch(
    resource: Resource,
    at: Location,
    patch: Patch,
    options: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    const verb = options.subresource === 'status' ? 'write status of' : verbOf('patch', options)
    return this.#trace(verb, resource, at, () => this.#client.patch(resource, at, patch, options, signal))
  }

  delete(resource: Resource, at: Location, options: DeleteOptions, signal: AbortSignal): Promise<void> {
    return this.#trace('delete', resource, at, () => this.#client.delete(resource, at, options, signal))
  }

  update(resource: Resource, object: KubeObject, options: UpdateOptions, signal: AbortSignal): Promise<LiveObject> {
    const verb = verbOf('update', options)
    return this.#trace(verb, resource, object.metadata, () => this.#client.update(resource, object, options, signal))
  }

  deleteCollection(
    resource: Resource,
    selection: Selection,
    options: DeleteCollectionOptions,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#trace('delete all of', resource, selection, () =>
      this.#client.deleteCollection(resource, selection, options, signal),
    )
  }

  read(path: string, signal: AbortSignal, options?: ReadOptions): Promise<JsonObject> {
    return this.#client.read(path, signal, options)
  }

  #trace<T>(verb: string, resource: Resource, at: Partial<Location>, work: () => Promise<T>): Promise<T> {
    return this.#tracer.run(`${verb} ${resource.kind}`, attributesOf(resource, at), work)
  }
}

/** `get`, or `get scale of`. */
function verbOf(verb: string, { subresource }: GetOptions = {}): string {
  return subresource === undefined ? verb : `${verb} ${subresource} of`
}

function attributesOf(resource: Resource, { namespace, name }: Partial<Location>): () => SpanAttributes {
  return () => ({
    'k8s.namespace.name': namespace,
    'konverge.resource': groupResourceOf(resource),
    'konverge.name': name,
  })
}
