// HTTP servers of an operator: one for probes, and one for metrics over HTTPS if the options say so. Invariants: every
// started server stops, and only the readers that the options name get metrics.
import { hostname } from 'node:os'
import type { Clock } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import { systemSecrets } from '../base/random.ts'
import type { KubeClient } from '../kube/client.ts'
import { AccessReviewClient } from '../telemetry/access-review-client.ts'
import type { HealthRegistry } from '../telemetry/health.ts'
import { type HttpAddress, HttpServer } from '../telemetry/http-server.ts'
import type { Exposition } from '../telemetry/metrics.ts'
import { ownCertificate, type ServerCertificate } from '../telemetry/server-certificate.ts'

/** Address to listen on; port 0 takes any free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/**
 * Readers of /metrics, and its address.
 *
 * `loopback` serves this machine and `open` serves everyone, both on the address of the probes. `open` with a
 * certificate serves everyone over HTTPS on an address of its own.
 *
 * `protected` serves over HTTPS, on an address of its own, those who may `get` the path /metrics according to the API
 * server. For that, the operator needs the right to create TokenReviews and SubjectAccessReviews, which `rightsOf`
 * includes. `certificate` is PEM; absent: the operator signs one itself.
 */
export type MetricsServing =
  | { readonly kind: 'off' | 'loopback' | 'open' }
  | ({ readonly kind: 'open'; readonly certificate: ServerCertificate } & ListenAddress)
  | ({ readonly kind: 'protected'; readonly certificate?: ServerCertificate | undefined } & ListenAddress)

/** Addresses of the operator's servers; absent: not served. */
export interface ServedAddresses {
  readonly http?: HttpAddress
  /** Address of the HTTPS server of the metrics. */
  readonly metrics?: HttpAddress
}

export interface ServingRunnerOptions {
  readonly clock: Clock
  readonly instruments: Instruments
  readonly exposition: Exposition
  readonly health: HealthRegistry
  readonly http: ListenAddress | 'off'
  /** Default: `loopback`. */
  readonly metrics: MetricsServing | undefined
  /** Client for access reviews; a standby uses it too. */
  readonly client: KubeClient
}

/** Readers of metrics on the server of the probes. */
const audiences = { off: 'nobody', loopback: 'loopback', open: 'everybody' } as const

export class ServingRunner {
  readonly #options: ServingRunnerOptions
  readonly #probes: HttpServer | undefined
  readonly #metrics: HttpServer | undefined

  /** Throws a CodedError `MetricsUnserved` if metrics need the address of the probes and `http` is off. */
  constructor(options: ServingRunnerOptions) {
    const { clock, instruments, exposition, health, http, metrics } = options
    const shared = { clock, instruments, exposition }
    this.#options = options
    if (http === 'off' && metrics !== undefined && metrics.kind !== 'off' && !('port' in metrics))
      throw unserved(metrics)
    const { kind } =
      metrics === undefined ? ({ kind: 'loopback' } as const) : 'port' in metrics ? ({ kind: 'off' } as const) : metrics
    this.#probes = http === 'off' ? undefined : new HttpServer({ ...shared, health, metrics: audiences[kind], ...http })
    this.#metrics = metrics !== undefined && 'port' in metrics ? this.#metricsServer(metrics) : undefined
  }

  /** Starts the servers. Rejects with an HttpServerError if one cannot listen. */
  async start(signal: AbortSignal): Promise<ServedAddresses> {
    const { log } = this.#options.instruments
    const http = await this.#probes?.start(signal)
    if (http !== undefined) log.info({ ...http }, 'serving health and metrics')
    const metrics = await this.#metrics?.start(signal)
    if (metrics !== undefined) log.info({ ...metrics }, 'serving metrics by HTTPS')
    return { ...(http === undefined ? {} : { http }), ...(metrics === undefined ? {} : { metrics }) }
  }

  async stop(): Promise<void> {
    await Promise.all([this.#probes?.stop(), this.#metrics?.stop()])
  }

  #metricsServer({ kind, host, port, certificate }: Extract<MetricsServing, ListenAddress>): HttpServer {
    const { clock, instruments, exposition, client } = this.#options
    return new HttpServer({
      ...{ clock, instruments, exposition, host, port },
      metrics: kind === 'open' ? 'everybody' : { kind: 'reviewed', access: new AccessReviewClient({ clock, client }) },
      certificate: certificate ?? ownCertificate([hostname(), 'localhost'], systemSecrets, clock.now()),
    })
  }
}

function unserved({ kind }: MetricsServing): CodedError {
  const message = `metrics of kind ${kind} are on the address of the probes, and http is off; give them a host, a port and a certificate, or leave them out`
  return new CodedError({ code: 'MetricsUnserved', message, remedy: 'stop' })
}
