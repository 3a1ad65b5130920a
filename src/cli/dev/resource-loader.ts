// Reads the cluster for `dev`: the rows of its table, and the local address of a Service.
import { deadline, systemClock } from '../../base/clock.ts'
import { silentInstruments } from '../../base/instrument.ts'
import { loadConnection } from '../../kube/kube-config-loader.ts'
import { isKubeError } from '../../kube/kube-errors.ts'
import { loadIfPresent } from '../../kube/object-loader.ts'
import { RestClient } from '../../kube/rest-client.ts'
import { Service } from '../../object/built-in.ts'
import { type ListedResource, type ResourceRow, rowOf, type ShownKind } from './resource-table.ts'

const closeLimitMs = 500
/** Annotation with the local address of a Service. docs/local-node.md. */
const localAddress = 'konverge.dev/local-address'

export interface ResourceLoaderOptions {
  readonly kubeconfigPath: string
  /** Kinds in the order of the table. */
  readonly kinds: readonly ShownKind[]
  readonly userAgent: string
}

export class ResourceLoader {
  readonly #client: RestClient
  readonly #kinds: readonly ShownKind[]
  /** Rows of the last successful list, by kind. */
  readonly #known = new Map<ShownKind, readonly ResourceRow[]>()

  private constructor(client: RestClient, kinds: readonly ShownKind[]) {
    this.#client = client
    this.#kinds = kinds
  }

  static async open(options: ResourceLoaderOptions, signal: AbortSignal): Promise<ResourceLoader> {
    const { kubeconfigPath, kinds, userAgent } = options
    const source = { kind: 'files', paths: [kubeconfigPath] } as const
    const connection = await loadConnection({ clock: systemClock, source, environment: {} }, signal)
    const instruments = silentInstruments
    return new ResourceLoader(new RestClient({ connection, clock: systemClock, instruments, userAgent }), kinds)
  }

  /** Returns the rows of all resources of the operator, by kind, namespace and name. */
  async rows(signal: AbortSignal): Promise<readonly ResourceRow[]> {
    return (await Promise.all(this.#kinds.map((kind) => this.#rowsOf(kind, signal)))).flat()
  }

  async #rowsOf(kind: ShownKind, signal: AbortSignal): Promise<readonly ResourceRow[]> {
    try {
      const { items } = await this.#client.list(kind.resource, {}, signal)
      // Sound: by the schema of each kind.
      const rows = items.map((item) => rowOf(kind, item as unknown as ListedResource))
      this.#known.set(kind, rows)
      return rows
    } catch (thrown) {
      // A real server answers 429 for a while after the installation of a definition. The time differs between kinds.
      if (isKubeError(thrown, 'TooManyRequests')) return this.#known.get(kind) ?? []
      throw thrown
    }
  }

  /** Returns the local address of a Service; undefined if the Service or its address does not exist. */
  async addressOf(place: { readonly namespace: string; readonly name: string }, signal: AbortSignal) {
    const service = await loadIfPresent(this.#client, Service, place, signal)
    return service?.metadata.annotations?.[localAddress]
  }

  async close(): Promise<void> {
    const limit = deadline(systemClock, closeLimitMs, new AbortController().signal)
    await this.#client.close(limit.signal)
    limit.clear()
  }
}
