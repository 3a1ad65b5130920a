// Client whose writes go through a fence. Reads and watches always pass, which keeps caches warm. Invariant: a closed
// fence rejects each write, and a fence that closes cuts off the writes in flight (I9).
import type { JsonObject } from '../base/json.ts'
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
import type { Fence } from './fence.ts'

export interface FencedClientOptions {
  readonly client: KubeClient
  readonly fence: Fence
}

/** Writes reject with a FenceError if the fence is closed or closes. */
export class FencedClient implements KubeClient {
  readonly #client: KubeClient
  readonly #fence: Fence

  constructor({ client, fence }: FencedClientOptions) {
    this.#client = client
    this.#fence = fence
  }

  get(resource: Resource, location: Location, signal: AbortSignal, options?: GetOptions): Promise<LiveObject> {
    return this.#client.get(resource, location, signal, options)
  }

  list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage> {
    return this.#client.list(resource, options, signal)
  }

  watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame> {
    return this.#client.watch(resource, options, signal)
  }

  read(path: string, signal: AbortSignal, options?: ReadOptions): Promise<JsonObject> {
    return this.#client.read(path, signal, options)
  }

  create(resource: Resource, object: KubeObject, options: CreateOptions, signal: AbortSignal): Promise<LiveObject> {
    return this.#write(signal, (passing) => this.#client.create(resource, object, options, passing))
  }

  apply(resource: Resource, object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<LiveObject> {
    return this.#write(signal, (passing) => this.#client.apply(resource, object, options, passing))
  }

  patch(
    resource: Resource,
    location: Location,
    patch: Patch,
    options: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    return this.#write(signal, (passing) => this.#client.patch(resource, location, patch, options, passing))
  }

  delete(resource: Resource, location: Location, options: DeleteOptions, signal: AbortSignal): Promise<void> {
    return this.#write(signal, (passing) => this.#client.delete(resource, location, options, passing))
  }

  update(resource: Resource, object: KubeObject, options: UpdateOptions, signal: AbortSignal): Promise<LiveObject> {
    return this.#write(signal, (passing) => this.#client.update(resource, object, options, passing))
  }

  deleteCollection(
    resource: Resource,
    selection: Selection,
    options: DeleteCollectionOptions,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#write(signal, (passing) => this.#client.deleteCollection(resource, selection, options, passing))
  }

  async #write<T>(signal: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const passage = this.#fence.enter(signal)
    try {
      return await send(passage.signal)
    } finally {
      passage.end()
    }
  }
}
