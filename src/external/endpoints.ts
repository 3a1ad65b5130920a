// Endpoints of a process: one client per endpoint and namespace, shared by all controllers. Invariant: memory and
// labels are bounded (I12). A namespace has at most 32 clients, and a client without calls for an hour is dropped with
// its series.
import type { Clock } from '../base/clock.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { TokenBucketLimit } from '../base/token-bucket.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointClient } from './endpoint-client.ts'
import { Place } from './place.ts'

export interface EndpointsOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Calls per second to one endpoint by all namespaces together, and the burst. */
  readonly limit: TokenBucketLimit
  /** Calls of one namespace that need no token of that limit, so that no other namespace can take them. */
  readonly share: TokenBucketLimit
}

const forgottenAfterMs = 60 * 60_000
/**
 * Users choose the names of endpoints. Those of one namespace must neither fill the memory nor displace clients of
 * another namespace.
 */
const mostOfNamespace = 32

export class Endpoints {
  readonly #options: EndpointsOptions
  readonly #places = new Map<string, Place>()
  readonly #clients = new Map<string, EndpointClient>()

  constructor(options: EndpointsOptions) {
    this.#options = options
  }

  /** Number of clients in memory. */
  get size(): number {
    return this.#clients.size
  }

  /** Callers may keep the endpoint permanently: the next call recreates a dropped client. */
  endpoint(name: string, namespace: string): Endpoint {
    const known = () => this.#clientOf(name, namespace)
    return {
      name,
      call: (operation, run, signal, limit) => known().call(operation, run, signal, limit),
      get isOpen() {
        return known().isOpen
      },
    }
  }

  #clientOf(name: string, namespace: string): EndpointClient {
    const key = JSON.stringify([namespace, name])
    const known = this.#clients.get(key)
    if (known !== undefined) return known
    this.#forgetUnused()
    this.#makeRoom(namespace)
    const made = new EndpointClient({ ...this.#options, namespace, place: this.#placeOf(name) })
    this.#clients.set(key, made)
    return made
  }

  #placeOf(name: string): Place {
    const { limit, instruments } = this.#options
    const place = this.#places.get(name) ?? new Place({ name, limit, metrics: instruments.metrics })
    this.#places.set(name, place)
    return place
  }

  /** Runs when a client is added; only then can there be too many. */
  #forgetUnused(): void {
    const nowMs = this.#options.clock.monotonicMs()
    for (const [key, { idleSinceMs }] of this.#clients) {
      if (idleSinceMs !== undefined && nowMs - idleSinceMs >= forgottenAfterMs) this.#forget(key)
    }
  }

  /**
   * Makes room for one more: drops the clients of the namespace that have been idle longest. Clients with a call in
   * flight stay.
   */
  #makeRoom(namespace: string): void {
    const own = [...this.#clients].filter(([, client]) => client.namespace === namespace)
    const excess = Math.max(0, own.length + 1 - mostOfNamespace)
    const idle = own.flatMap(([key, { idleSinceMs }]) => (idleSinceMs === undefined ? [] : [{ key, idleSinceMs }]))
    const oldest = idle.toSorted((left, right) => left.idleSinceMs - right.idleSinceMs).slice(0, excess)
    for (const { key } of oldest) this.#forget(key)
  }

  #forget(key: string): void {
    const client = this.#clients.get(key)
    if (client === undefined) return
    client.forget()
    this.#clients.delete(key)
    const { place } = client
    if ([...this.#clients.values()].some((other) => other.place === place)) return
    place.forget()
    this.#places.delete(place.name)
  }
}
