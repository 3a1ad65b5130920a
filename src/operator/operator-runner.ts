// Wires an operator from what a process has: an environment, an output and arguments. Clock, chance, connection, logs, metrics
// and controllers meet here and nowhere else; `konverge run` and every operator built on konverge start the same way.
import { hostname } from 'node:os'
import type { BackoffPolicy } from '../base/backoff.ts'
import { deadline, systemClock } from '../base/clock.ts'
import { systemRandom, systemSecrets } from '../base/random.ts'
import type { KubeClient } from '../kube/client.ts'
import { Fence } from '../kube/fence.ts'
import { FencedClient } from '../kube/fenced-client.ts'
import type { HttpClientOptions } from '../kube/http-client.ts'
import { type ConnectionSource, loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient } from '../kube/rest-client.ts'
import { identityOf } from '../object/identity.ts'
import type { Controller } from '../reconcile/definition.ts'
import { AccessReviewClient } from '../telemetry/access-review-client.ts'
import { HealthRegistry } from '../telemetry/health.ts'
import { HttpServer, type HttpServerOptions } from '../telemetry/http-server.ts'
import { createLogger, type LogLevel } from '../telemetry/logger.ts'
import { PrometheusMetrics } from '../telemetry/metrics.ts'
import { ownCertificate, type ServerCertificate } from '../telemetry/server-certificate.ts'
import { OpenTelemetryTracer } from '../telemetry/tracer.ts'
import { Elector } from './elector.ts'
import { type LeaderElection, type LeaderElectionOptions, leaderElectionOf } from './leader-election.ts'
import { Operator } from './operator.ts'

export interface RunOperatorOptions {
  /**
   * Identifies the operator in its cluster: a DNS label of at most 40 characters, e.g. `shop`, and another one for each operator. The Lease,
   * field managers, the finalizer, labels of children, Events and metrics bear it, so that two operators in one namespace never take the
   * leadership, the children or the fields of each other. Do not change it later: to another name the resources belong to another operator.
   */
  readonly name: string
  readonly controllers: readonly Controller[]
  /** `process.env`: KUBECONFIG, HOME and the pod's variables are looked up in it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where log lines go, one JSON object each: `process.stdout`. */
  readonly output: { write(text: string): unknown }
  /** Begins the user agent of every request, as in `shop-operator/1.2.0`; what names the process follows in parentheses. */
  readonly userAgent: string
  /** A kubeconfig file; absent: KUBECONFIG, the pod's service account, `~/.kube/config`, in this order. */
  readonly kubeconfig?: string | undefined
  /** A context of the kubeconfig; absent: its current one. */
  readonly context?: string | undefined
  /** Confines the operator to these namespaces; absent: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
  /** Which resources this process looks after; absent: all. */
  readonly labelSelector?: string | undefined
  /** Turns at once, for each controller. Default 10. */
  readonly maxConcurrent?: number | undefined
  /** Gives every resource series `resource_condition` of its own, and not only those that need attention. Default false. */
  readonly metricsPerResource?: boolean | undefined
  /** Delays between the retries of one resource. Default 5 s to 300 s. */
  readonly backoff?: BackoffPolicy | undefined
  /** Where /healthz, /readyz and /metrics are served. Default: port 8080 on all addresses; port 0 takes any free one. */
  readonly http?: { readonly host: string; readonly port: number } | undefined
  /** To whom /metrics is served. Default: `loopback`, on the address of the probes. */
  readonly metrics?: MetricsServing | undefined
  readonly logLevel?: LogLevel | undefined
  /** Whether replicas agree on one that acts. Default: in a cluster they do. */
  readonly leaderElection?: LeaderElectionOptions | undefined
}

/**
 * `protected`: by HTTPS on an address of its own, to whoever the API server lets get the path /metrics. The operator needs the right to
 * create TokenReviews and SubjectAccessReviews, as `rightsOf` gives it. `certificate` is PEM; absent, the operator signs one itself.
 */
export type MetricsServing =
  | { readonly kind: 'off' | 'loopback' | 'open' }
  | {
      readonly kind: 'protected'
      readonly host: string
      readonly port: number
      readonly certificate?: ServerCertificate | undefined
    }

/** What requests under way get to end when the operator stops. */
const closeLimitMs = 500
/** The election has connections of its own, and two of them, should one hang. */
const electionConnections = 2
const defaultHttp = { host: '0.0.0.0', port: 8080 }

/**
 * Runs until the signal aborts, then ends in order within ten seconds. Rejects with one sentence when it cannot begin: a name that
 * cannot be one (code `InvalidOperatorName`), no kubeconfig, no API server, credentials that are not accepted, a port that is taken; and
 * with an error of code `LeaseLost` when this process led and leads no more: let it end then, with an exit code that is not 0.
 *
 * @example
 * const { env: environment, stdout: output } = process
 * await runOperator({ name: 'websites', controllers: [website], environment, output, userAgent: 'websites/1.0.0' }, signal)
 */
export async function runOperator(options: RunOperatorOptions, signal: AbortSignal): Promise<void> {
  const { controllers, environment, kubeconfig, context, userAgent, http = defaultHttp, logLevel = 'info' } = options
  const { namespaces, labelSelector, maxConcurrent, backoff } = options
  const { name, leaseManager } = identityOf(options.name)
  const clock = systemClock
  const metrics = new PrometheusMetrics({ operator: name, processMetrics: true })
  const log = createLogger({ clock, level: logLevel, destination: options.output })
  const instruments = { log, metrics, tracer: new OpenTelemetryTracer() }
  const source: ConnectionSource =
    kubeconfig === undefined ? { kind: 'default' } : { kind: 'files', paths: [kubeconfig] }
  const connection = await loadConnection({ clock, source, environment, context }, signal)
  const identity = processIdentityOf(environment)
  const whereabouts = { operatorName: name, identity, podNamespace: connection.podNamespace }
  const election = leaderElectionOf(options.leaderElection ?? {}, whereabouts)
  const toServer = { connection, clock, instruments, userAgent: `${userAgent} (${identity})` }
  const { client, unfenced, fence, elector, close } = clientsFor(
    toServer,
    election && { ...election, fieldManager: leaseManager },
  )
  const health = new HealthRegistry()
  const serving = options.metrics ?? { kind: 'loopback' }
  const shared = { clock, instruments, exposition: metrics }
  const server = new HttpServer({ ...shared, health, metrics: audiences[serving.kind], ...http })
  const scraped = serving.kind === 'protected' ? protectedServer(serving, shared, unfenced) : undefined
  // Not ready from the first probe on, until the operator's own checks take over.
  const onStarted = health.add({
    probe: 'ready',
    name: 'start',
    check: () => 'the API server has not been reached yet',
  })
  try {
    instruments.log.info({ ...(await server.start(signal)) }, 'serving health and metrics')
    if (scraped !== undefined) instruments.log.info({ ...(await scraped.start(signal)) }, 'serving protected metrics')
    const operator = new Operator({
      name,
      clock,
      random: systemRandom,
      secrets: systemSecrets,
      instruments,
      client,
      fence,
      elector,
      health,
      controllers,
      namespaces,
      labelSelector,
      maxConcurrent,
      metricsPerResource: options.metricsPerResource,
      backoff,
      instance: environment['HOSTNAME'],
      onStarted,
    })
    await operator.run(signal)
  } finally {
    await Promise.all([server.stop(), scraped?.stop()])
    const limit = deadline(clock, closeLimitMs, new AbortController().signal)
    await close(limit.signal)
    limit.clear()
  }
}

/** Of the server of the probes. */
const audiences = { off: 'nobody', loopback: 'loopback', open: 'everybody', protected: 'nobody' } as const

function protectedServer(
  { host, port, certificate }: Extract<MetricsServing, { kind: 'protected' }>,
  shared: Pick<HttpServerOptions, 'clock' | 'instruments' | 'exposition'>,
  client: KubeClient,
): HttpServer {
  const access = new AccessReviewClient({ clock: shared.clock, client })
  const own = certificate ?? ownCertificate([hostname(), 'localhost'], systemSecrets, shared.clock.now())
  return new HttpServer({ ...shared, host, port, metrics: { kind: 'reviewed', access }, certificate: own })
}

interface Clients {
  readonly client: KubeClient
  /** For requests that change nothing, also of a standby. */
  readonly unfenced: KubeClient
  readonly fence: Fence | undefined
  readonly elector: Elector | undefined
  close(signal: AbortSignal): Promise<unknown>
}

/** One client that may always write; or one whose writes are fenced, and the elector that opens the fence. */
function clientsFor(
  options: HttpClientOptions,
  election: (LeaderElection & { readonly fieldManager: string }) | undefined,
): Clients {
  if (election === undefined) {
    const client = new RestClient(options)
    return { client, unfenced: client, fence: undefined, elector: undefined, close: (signal) => client.close(signal) }
  }
  const fence = new Fence(options.clock)
  const unfenced = new RestClient({ ...options, limits: { connections: electionConnections } })
  const fenced = new RestClient({ ...options, fence })
  const { clock, instruments } = options
  return {
    client: new FencedClient({ client: fenced, fence }),
    unfenced,
    fence,
    elector: new Elector({ clock, instruments, random: systemRandom, client: unfenced, fence, ...election }),
    close: (signal) => Promise.all([fenced.close(signal), unfenced.close(signal)]),
  }
}

/** Tells this process from all others, in the lease and in audit logs: the pod's name and something that no restart repeats. */
function processIdentityOf(environment: RunOperatorOptions['environment']): string {
  return `${environment['HOSTNAME'] ?? hostname()}_${systemRandom.uuid().slice(0, 8)}`
}
