// Composition root of an operator: connects clock, randomness, connection, logs, metrics and controllers from the
// environment, output and options of a process. `konverge run` and every operator built on konverge start here.
import { hostname } from 'node:os'
import type { BackoffPolicy } from '../base/backoff.ts'
import { type Clock, deadline, systemClock } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { systemRandom, systemSecrets } from '../base/random.ts'
import type { TokenBucketLimit } from '../base/token-bucket.ts'
import type { KubeClient } from '../kube/client.ts'
import { Fence } from '../kube/fence.ts'
import { FencedClient } from '../kube/fenced-client.ts'
import { type ConnectionSource, loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient, type RestClientOptions } from '../kube/rest-client.ts'
import { identityOf } from '../object/identity.ts'
import type { Controller } from '../reconcile/definition.ts'
import { Shard } from '../reconcile/shard.ts'
import { HealthRegistry } from '../telemetry/health.ts'
import { createLogger, type LogLevel, type LogSink, logOver } from '../telemetry/logger.ts'
import { type Exposition, type MetricsRegistry, PrometheusMetrics } from '../telemetry/metrics.ts'
import { OpenTelemetryTracer } from '../telemetry/tracer.ts'
import { type ClusterConnection, loadClusterClients } from './cluster-client-loader.ts'
import { Elector } from './elector.ts'
import { GroupLeaseRunner } from './group-lease-runner.ts'
import { type LeaderElection, type LeaderElectionOptions, leaderElectionOf } from './leader-election.ts'
import { Operator } from './operator.ts'
import type { OperatorHandle } from './operator-handle.ts'
import type { Runnable } from './runnable.ts'
import { type ListenAddress, type MetricsServing, type ServedAddresses, ServingRunner } from './serving-runner.ts'
import { ShardRunner, type ShardRunnerOptions } from './shard-runner.ts'
import { assertSharding, electionOptionsOf, type Sharding } from './sharding.ts'

/** Options of `runOperator` and `startOperator`. */
export interface RunOperatorOptions {
  /**
   * Name of the operator, unique in its cluster: a DNS label of at most 40 characters, e.g. `shop`. The Lease, field
   * managers, the finalizer, labels of children, Events and metrics contain it. So two operators in one namespace never
   * take each other's leadership, children or fields. Do not change it later: under another name, the resources belong
   * to another operator.
   */
  readonly name: string
  /** Controllers of the operator. Names of controllers must differ. */
  readonly controllers: readonly Controller[]
  /** Background tasks of the program, which run while this process leads. Default: none. */
  readonly runnables?: readonly Runnable[] | undefined
  /** Environment variables: `process.env`. The operator reads KUBECONFIG, HOME and the pod's variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Receives log lines, one JSON object each: `process.stdout`. Absent: `log` receives them. */
  readonly output?: { write(text: string): unknown } | undefined
  /**
   * Your own logger, for example one of pino, instead of `output`. Values under keys that name secrets are redacted,
   * and lines below `logLevel` are left out.
   */
  readonly log?: LogSink | undefined
  /**
   * First part of the user agent of every request, e.g. `shop-operator/1.2.0`; the identity of the process follows in
   * parentheses.
   */
  readonly userAgent: string
  /** Path of a kubeconfig file; absent: KUBECONFIG, the pod's service account, `~/.kube/config`, in this order. */
  readonly kubeconfig?: string | undefined
  /** Context of the kubeconfig; absent: its current context. */
  readonly context?: string | undefined
  /**
   * Connections to other clusters, by the names that `childrenIn` of controllers uses: DNS labels. Every write to them
   * passes the fence of the Lease in the operator's own cluster. Default: none.
   */
  readonly clusters?: Readonly<Record<string, ClusterConnection>> | undefined
  /** Namespaces that the operator serves; absent: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
  /** Label selector of the resources that this process manages; absent: all. */
  readonly labelSelector?: string | undefined
  /** Maximum concurrent reconciles of each controller. Default: 10. */
  readonly maxConcurrent?: number | undefined
  /**
   * Exposes the series `resource_condition` for every resource, not only for those that need attention. Default: false.
   */
  readonly metricsPerResource?: boolean | undefined
  /** Delays between retries of one resource. Default: 5 s to 300 s. */
  readonly backoff?: BackoffPolicy | undefined
  /** Rate limit of reconciles of all controllers: per second, and burst. Default: 200 and 400. */
  readonly reconcileRate?: TokenBucketLimit | undefined
  /**
   * Rate limit of requests to each API server: per second, and burst. Includes watches, but not the Lease; excess
   * requests wait in order. Default: no limit.
   */
  readonly requestRate?: TokenBucketLimit | undefined
  /**
   * Maximum connections to each API server for requests; each watch has a connection of its own in addition. Default:
   * 64.
   */
  readonly connections?: number | undefined
  /**
   * Time for running reconciles to end when the operator stops, before their signals abort. Milliseconds; default
   * 2,500. The whole stop takes up to 7.5 s more: set `terminationGracePeriodSeconds` of the pod accordingly.
   */
  readonly gracefulShutdownMs?: number | undefined
  /**
   * Address of /healthz, /readyz and /metrics; `off` disables them. Default: port 8080 on all addresses; port 0 takes
   * any free one.
   */
  readonly http?: ListenAddress | 'off' | undefined
  /** Readers of /metrics. Default: `loopback`, on the address of the probes. */
  readonly metrics?: MetricsServing | undefined
  /**
   * Your own prom-client registry. Every metric of the operator in it has the label `operator`, so several operators
   * can share it. Metrics of the process (CPU, memory) are yours to add. Default: a registry of the operator, with
   * metrics of the process.
   */
  readonly registry?: MetricsRegistry | undefined
  /** Lowest level of the log. Default: `info`. */
  readonly logLevel?: LogLevel | undefined
  /**
   * Division of the resources among processes of the operator. Default: one process reconciles all; other replicas
   * stand by.
   */
  readonly sharding?: Sharding | undefined
  /** Leader election among replicas. Default: enabled in a cluster. */
  readonly leaderElection?: LeaderElectionOptions | undefined
}

/** Time for pending requests to end when the operator stops. */
const closeLimitMs = 500
/** The election has its own two connections, in case one hangs. */
const electionConnections = 2
const defaultHttp = { host: '0.0.0.0', port: 8080 }

/**
 * Runs an operator until the signal aborts, then stops it in order within ten seconds. Rejects with one sentence if the
 * operator cannot start. Causes: an invalid name (code `InvalidOperatorName`), no kubeconfig, no API server, rejected
 * credentials, a port in use. Rejects with code `LeaseLost` if this process led and lost its Lease: let the process end
 * with a non-zero exit code.
 *
 * @example
 * const { env: environment, stdout: output } = process
 * const options = { name: 'websites', controllers: [website], environment, output, userAgent: 'websites/1.0.0' }
 * await runOperator(options, signal)
 */
export async function runOperator(options: RunOperatorOptions, signal: AbortSignal): Promise<void> {
  const { done } = await startOperator(options, signal)
  await done
}

/**
 * Starts an operator in a program that does other work too. Resolves with its handle after the first answer of the API
 * server. Rejects as `runOperator` does if the operator cannot start. A program can run several operators with
 * different names.
 *
 * @example
 * const options = { name: 'websites', controllers: [website], environment, output, userAgent: 'websites/1.0.0' }
 * const operator = await startOperator(options)
 * operator.enqueue(Website, { namespace: 'shop', name: 'home' })
 * await operator.stop()
 */
export async function startOperator(options: RunOperatorOptions, signal?: AbortSignal): Promise<OperatorHandle> {
  const stopping = new AbortController()
  const until = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal])
  const { operator, health, metrics, started, run } = await prepare(options, until)
  const done = run()
  const stop = () => {
    stopping.abort(new DOMException('the program stops the operator', 'AbortError'))
    return done
  }
  // Rejects if the operator cannot start.
  await Promise.race([started, done])
  return {
    done,
    stop,
    enqueue: (of, resource) => operator.enqueue(of, resource),
    client: operator.client,
    namespaces: options.namespaces,
    healthz: () => health.report('live'),
    readyz: () => health.report('ready'),
    metrics,
    addresses: await started,
  }
}

interface Prepared {
  readonly operator: Operator
  readonly health: HealthRegistry
  readonly metrics: Exposition
  /** Resolves after the first answer of the API server. */
  readonly started: Promise<ServedAddresses>
  /** Runs until the signal aborts and everything has stopped. */
  run(): Promise<void>
}

async function prepare(options: RunOperatorOptions, signal: AbortSignal): Promise<Prepared> {
  const { controllers, environment, kubeconfig, context, userAgent, http = defaultHttp, registry } = options
  const { namespaces, labelSelector, maxConcurrent, backoff, reconcileRate, gracefulShutdownMs, runnables } = options
  const { name, leaseManager } = identityOf(options.name)
  const { sharding, leaderElection = {}, metricsPerResource } = options
  assertSharding(sharding, { namespaces, labelSelector, electsLeader: leaderElection.enabled, runnables, controllers })
  const clock = systemClock
  const shardName = sharding?.kind === 'selection' ? sharding.name : undefined
  const ownProcess = registry === undefined
  const metrics = new PrometheusMetrics({ operator: name, shard: shardName, processMetrics: ownProcess, registry })
  const instruments = { log: logOf(options, clock), metrics, tracer: new OpenTelemetryTracer() }
  const connection = await loadConnection({ clock, source: sourceOf(kubeconfig), environment, context }, signal)
  const identity = processIdentityOf(environment)
  const whereabouts = { operatorName: name, identity, podNamespace: connection.podNamespace }
  const election = leaderElectionOf(electionOptionsOf(name, sharding, leaderElection), whereabouts)
  const bounds = requestBoundsOf(options)
  const toServer = { connection, clock, instruments, userAgent: `${userAgent} (${identity})`, ...bounds }
  const { client, unfenced, fence, elector, shards, close } = clientsFor(
    toServer,
    election && { ...election, fieldManager: leaseManager },
    sharding?.kind === 'hash' ? { ...sharding, operatorName: name } : undefined,
  )
  const remote = await loadClusterClients(options.clusters ?? {}, { ...toServer, environment, fence }, signal)
  const health = new HealthRegistry()
  const shared = { clock, instruments, exposition: metrics, health }
  const serving = new ServingRunner({ ...shared, http, metrics: options.metrics, client: unfenced })
  // Not ready until the operator's own checks replace this one.
  const onReached = health.add({ probe: 'ready', name: 'start', check: unreached })
  const { promise: started, resolve: onBegun } = Promise.withResolvers<ServedAddresses>()
  let addresses: ServedAddresses = {}
  const onStarted = () => {
    onReached()
    onBegun(addresses)
  }
  const operator = new Operator({
    name,
    clock,
    random: systemRandom,
    secrets: systemSecrets,
    instruments,
    client,
    fence,
    elector,
    shards,
    health,
    controllers,
    clusters: remote.clients,
    runnables,
    namespaces,
    labelSelector,
    shardName,
    maxConcurrent,
    metricsPerResource,
    backoff,
    reconcileRate,
    gracefulShutdownMs,
    instance: environment['HOSTNAME'],
    onStarted,
  })
  const run = async () => {
    try {
      addresses = await serving.start(signal)
      await operator.run(signal)
    } finally {
      await serving.stop()
      await closeInTime(clock, [close, remote.close])
    }
  }
  return { operator, health, metrics, started, run }
}

function unreached(): string {
  return 'the API server has not been reached yet'
}

async function closeInTime(
  clock: Clock,
  closes: readonly ((signal: AbortSignal) => Promise<unknown>)[],
): Promise<void> {
  const limit = deadline(clock, closeLimitMs, new AbortController().signal)
  await Promise.all(closes.map((close) => close(limit.signal)))
  limit.clear()
}

function sourceOf(kubeconfig: string | undefined): ConnectionSource {
  return kubeconfig === undefined ? { kind: 'default' } : { kind: 'files', paths: [kubeconfig] }
}

function requestBoundsOf({ requestRate, connections }: RunOperatorOptions) {
  return { requestRate, limits: connections === undefined ? {} : { connections } }
}

function logOf({ log, output, logLevel }: RunOperatorOptions, clock: Clock): Log {
  if (log !== undefined) return logOver(log, logLevel)
  if (output !== undefined) return createLogger({ clock, level: logLevel, destination: output })
  const message = 'the operator has nowhere to log; give it an output, as process.stdout, or a log'
  throw new CodedError({ code: 'LogMissing', message, remedy: 'stop' })
}

interface Clients {
  readonly client: KubeClient
  /** Client for requests that change nothing; a standby uses it too. */
  readonly unfenced: KubeClient
  readonly fence: Fence | undefined
  readonly elector: Elector | undefined
  readonly shards?: ShardRunner | undefined
  close(signal: AbortSignal): Promise<unknown>
}

/** Returns a client that may always write; or a fenced client, and the elector that opens its fence. */
function clientsFor(
  options: RestClientOptions,
  election: (LeaderElection & { readonly fieldManager: string }) | undefined,
  hash?: { readonly operatorName: string; readonly handOverMs?: number | undefined },
): Clients {
  if (election === undefined) {
    const client = new RestClient(options)
    return { client, unfenced: client, fence: undefined, elector: undefined, close: (signal) => client.close(signal) }
  }
  const fence = new Fence(options.clock)
  // Requests for the Lease wait for no other request.
  const unfenced = new RestClient({
    ...options,
    limits: { connections: electionConnections },
    requestRate: undefined,
  })
  const fenced = new RestClient({ ...options, fence })
  const { clock, instruments } = options
  const common = { clock, instruments, random: systemRandom, client: unfenced, fence, ...election }
  return {
    client: new FencedClient({ client: fenced, fence }),
    unfenced,
    fence,
    elector: hash === undefined ? new Elector(common) : undefined,
    shards: hash && memberOf(common, hash),
    close: (signal) => Promise.all([fenced.close(signal), unfenced.close(signal)]),
  }
}

function memberOf(
  common: Omit<ShardRunnerOptions, 'operatorName' | 'namespace' | 'shard'> & Pick<LeaderElection, 'lease'>,
  hash: Pick<ShardRunnerOptions, 'operatorName' | 'handOverMs'>,
): ShardRunner {
  const group = new GroupLeaseRunner(common)
  const mayJoin = (signal: AbortSignal) => group.hold(signal)
  return new ShardRunner({ ...common, ...hash, namespace: common.lease.namespace, shard: new Shard(), mayJoin })
}

/** Returns the identity of this process in the Lease and in audit logs: the pod's name and a random suffix. */
function processIdentityOf(environment: RunOperatorOptions['environment']): string {
  return `${environment['HOSTNAME'] ?? hostname()}_${systemRandom.uuid().slice(0, 8)}`
}
