// Client with hooks: the test decides for each request where it goes and whether it arrives.
import type { JsonObject } from '../../src/base/json.ts'
import type {
  ApplyOptions,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
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
} from '../../src/kube/client.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'
import type { Resource } from '../../src/object/resource.ts'

export type Hook = <T>(send: (client: KubeClient) => Promise<T>, kind: 'read' | 'write') => Promise<T>

export class HookedClient implements KubeClient {
  readonly #hook: Hook

  constructor(hook: Hook) {
    this.#hook = hook
  }

  get(resource: Resource, at: Location, signal: AbortSignal): Promise<LiveObject> {
    return this.#hook((client) => client.get(resource, at, signal), 'read')
  }

  list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage> {
    return this.#hook((client) => client.list(resource, options, signal), 'read')
  }

  async *watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame> {
    yield* await this.#hook(async (client) => client.watch(resource, options, signal), 'read')
  }

  create(resource: Resource, object: KubeObject, options: CreateOptions, signal: AbortSignal): Promise<LiveObject> {
    return this.#hook((client) => client.create(resource, object, options, signal), 'write')
  }

  apply(resource: Resource, object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<LiveObject> {
    return this.#hook((client) => client.apply(resource, object, options, signal), 'write')
  }

  patch(
    resource: Resource,
    at: Location,
    patch: Patch,
    options: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject> {
    return this.#hook((client) => client.patch(resource, at, patch, options, signal), 'write')
  }

  delete(resource: Resource, at: Location, options: DeleteOptions, signal: AbortSignal): Promise<void> {
    return this.#hook((client) => client.delete(resource, at, options, signal), 'write')
  }

  update(resource: Resource, object: KubeObject, options: UpdateOptions, signal: AbortSignal): Promise<LiveObject> {
    return this.#hook((client) => client.update(resource, object, options, signal), 'write')
  }

  deleteCollection(
    resource: Resource,
    selection: Selection,
    options: DeleteCollectionOptions,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#hook((client) => client.deleteCollection(resource, selection, options, signal), 'write')
  }

  read(path: string, signal: AbortSignal, options?: ReadOptions): Promise<JsonObject> {
    return this.#hook((client) => client.read(path, signal, options), 'read')
  }
}
