// Reads what a `dev` command shows: the rows of its table, and the address of this machine at which a Service is reached.
import { deadline, systemClock } from '../../base/clock.ts'
import { silentInstruments } from '../../base/instrument.ts'
import { loadConnection } from '../../kube/kube-config-loader.ts'
import { isKubeError } from '../../kube/kube-errors.ts'
import { loadIfPresent } from '../../kube/object-loader.ts'
import { RestClient } from '../../kube/rest-client.ts'
import { Service } from '../../object/built-in.ts'
import { type ListedResource, type ResourceRow, rowOf, type ShownKind } from './resource-table.ts'

const closeLimitMs = 500
/** docs/local-node.md. */
const localAddress = 'konverge.dev/local-address'

export interface ResourceLoaderOptions {
  readonly kubeconfigPath: string
  /** In the order in which they are shown. */
  readonly kinds: readonly ShownKind[]
  readonly userAgent: string
}

export class ResourceLoader {
  readonly #client: RestClient
  readonly #kinds: readonly ShownKind[]
  /** By kind, as they were when the server last told. */
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

  /** All resources of the operator, by kind, namespace and name. */
  async rows(signal: AbortSignal): Promise<readonly ResourceRow[]> {
    return (await Promise.all(this.#kinds.map((kind) => this.#rowsOf(kind, signal)))).flat()
  }

  async #rowsOf(kind: ShownKind, signal: AbortSignal): Promise<readonly ResourceRow[]> {
    try {
      const { items } = await this.#client.list(kind.resource, {}, signal)
      const rows = items.map((item) => rowOf(kind, item as unknown as ListedResource)) // As each kind has it.
      this.#known.set(kind, rows)
      return rows
    } catch (thrown) {
      // A real server asks for patience after a definition has been installed, of one kind longer than of another.
      if (isKubeError(thrown, 'TooManyRequests')) return this.#known.get(kind) ?? []
      throw thrown
    }
  }

  /** Undefined if there is no such Service, or it has no address here. */
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
