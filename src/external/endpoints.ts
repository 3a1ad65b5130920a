// Which places outside are known? One client a place, shared by all controllers of the process. Those not called for an hour are
// forgotten, with their series, so that neither memory nor labels grow for ever (I12).
import type { Clock } from '../base/clock.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { TokenBucketLimit } from '../base/token-bucket.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointClient } from './endpoint-client.ts'

export interface EndpointsOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Calls a second of each place, and how many may come at once. */
  readonly limit: TokenBucketLimit
}

const forgottenAfterMs = 60 * 60_000

export class Endpoints {
  readonly #options: EndpointsOptions
  readonly #clients = new Map<string, EndpointClient>()

  constructor(options: EndpointsOptions) {
    this.#options = options
  }

  /** How many are remembered. */
  get size(): number {
    return this.#clients.size
  }

  /** May be kept for good: a place that was forgotten meanwhile is made anew by the next call. */
  endpoint(name: string): Endpoint {
    const known = () => this.#clientOf(name)
    return {
      name,
      call: (operation, run, signal, limit) => known().call(operation, run, signal, limit),
      get isOpen() {
        return known().isOpen
      },
    }
  }

  #clientOf(name: string): EndpointClient {
    const known = this.#clients.get(name)
    if (known !== undefined) return known
    this.#forgetUnused()
    const made = new EndpointClient({ ...this.#options, name })
    this.#clients.set(name, made)
    return made
  }

  /** Only a new place can make them too many. */
  #forgetUnused(): void {
    const nowMs = this.#options.clock.monotonicMs()
    for (const [name, client] of this.#clients) {
      const { idleSinceMs } = client
      if (idleSinceMs === undefined || nowMs - idleSinceMs < forgottenAfterMs) continue
      client.forget()
      this.#clients.delete(name)
    }
  }
}
