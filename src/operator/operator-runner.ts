// Wires an operator from what a process has: an environment, an output and arguments. Clock, chance, connection, logs, metrics
// and controllers meet here and nowhere else; `konverge run` and every operator built on konverge start the same way.
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

export interface RunOperatorOptions {
  /**
   * Identifies the operator in its cluster: a DNS label of at most 40 characters, e.g. `shop`, and another one for each operator. The Lease,
   * field managers, the finalizer, labels of children, Events and metrics bear it, so that two operators in one namespace never take the
   * leadership, the children or the fields of each other. Do not change it later: to another name the resources belong to another operator.
   */
  readonly name: string
  readonly controllers: readonly Controller[]
  /** Work of the author's own that goes on while this process leads. Default: none. */
  readonly runnables?: readonly Runnable[] | undefined
  /** `process.env`: KUBECONFIG, HOME and the pod's variables are looked up in it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where log lines go, one JSON object each: `process.stdout`. Absent: `log` takes them. */
  readonly output?: { write(text: string): unknown } | undefined
  /**
   * A logger of your own, as one of pino, in place of `output`. Values under keys that name secrets are redacted before, and lines below `logLevel`
   * are left out.
   */
  readonly log?: LogSink | undefined
  /** Begins the user agent of every request, as in `shop-operator/1.2.0`; what names the process follows in parentheses. */
  readonly userAgent: string
  /** A kubeconfig file; absent: KUBECONFIG, the pod's service account, `~/.kube/config`, in this order. */
  readonly kubeconfig?: string | undefined
  /** A context of the kubeconfig; absent: its current one. */
  readonly context?: string | undefined
  /**
   * Connections to other clusters, by the names that `childrenIn` of controllers has: DNS labels. Writes to all of them pass the fence of the lease
   * in the operator's own cluster. Default: none.
   */
  readonly clusters?: Readonly<Record<string, ClusterConnection>> | undefined
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
  /** Reconciles a second, over all controllers, and how many may begin at once. Default 200 and 400. */
  readonly reconcileRate?: TokenBucketLimit | undefined
  /** Requests a second to each API server, watches included and the lease not, and how many may leave at once. Others wait in order. Default: no limit. */
  readonly requestRate?: TokenBucketLimit | undefined
  /** Connections to each API server for requests; each watch has one of its own besides. Default 64. */
  readonly connections?: number | undefined
  /**
   * What running reconciles get to end when the operator stops, before their signals abort. Milliseconds; default 2,500. The whole stop takes up to 7.5 s more,
   * so raise `terminationGracePeriodSeconds` of the pod with it.
   */
  readonly gracefulShutdownMs?: number | undefined
  /** Where /healthz, /readyz and /metrics are served; `off`: nowhere. Default: port 8080 on all addresses; port 0 takes any free one. */
  readonly http?: ListenAddress | 'off' | undefined
  /** To whom /metrics is served. Default: `loopback`, on the address of the probes. */
  readonly metrics?: MetricsServing | undefined
  /**
   * A prom-client registry of your own: every metric of the operator in it has the label `operator`, so that several operators may share it. Metrics of
   * the process (CPU, memory) are yours to add. Default: one of the operator's own, with those of the process.
   */
  readonly registry?: MetricsRegistry | undefined
  /** Lines below it are left out. Default: `info`. */
  readonly logLevel?: LogLevel | undefined
  /** How the resources are divided among processes of the operator. Default: one process works all, and its other replicas stand by. */
  readonly sharding?: Sharding | undefined
  /** Whether replicas agree on one that acts. Default: in a cluster they do. */
  readonly leaderElection?: LeaderElectionOptions | undefined
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
  const { done } = await startOperator(options, signal)
  await done
}

/**
 * Starts an operator in a program that does more than run it, and resolves once the API server has answered. Rejects when it cannot begin, as
 * `runOperator` does. A program may run several operators, of different names.
 *
 * @example
 * const operator = await startOperator({ name: 'websites', controllers: [website], environment, output, userAgent: 'websites/1.0.0' })
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
  // Rejects where it cannot begin.
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
  /** Resolves once the API server has answered. */
  readonly started: Promise<ServedAddresses>
  /** Runs until the signal aborts; by then nothing of it is left. */
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
  // Not ready from the first probe on, until the operator's own checks take over.
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
  /** For requests that change nothing, also of a standby. */
  readonly unfenced: KubeClient
  readonly fence: Fence | undefined
  readonly elector: Elector | undefined
  readonly shards?: ShardRunner | undefined
  close(signal: AbortSignal): Promise<unknown>
}

/** One client that may always write; or one whose writes are fenced, and the elector that opens the fence. */
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
  // The lease waits for no other request.
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

/** Tells this process from all others, in the lease and in audit logs: the pod's name and something that no restart repeats. */
function processIdentityOf(environment: RunOperatorOptions['environment']): string {
  return `${environment['HOSTNAME'] ?? hostname()}_${systemRandom.uuid().slice(0, 8)}`
}
