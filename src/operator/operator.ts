// One process: reaches the API server, fills the caches, works the queues, says that it is ready, and ends in order. What is
// started is stopped, in reverse, within ten seconds of the signal.

import type { BackoffPolicy } from '../base/backoff.ts'
import { type Clock, deadline } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random, SecretSource } from '../base/random.ts'
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import { openWatchOf } from '../cache/feed-watcher.ts'
import { Informers } from '../cache/informers.ts'
import { ToolBox } from '../external/tool-box.ts'
import type { KubeClient } from '../kube/client.ts'
import { DiscoveryClient } from '../kube/discovery-client.ts'
import { DiscreetClient } from '../kube/discreet-client.ts'
import type { Fence } from '../kube/fence.ts'
import { OperatorClient } from '../kube/operator-client.ts'
import { TracedClient } from '../kube/traced-client.ts'
import { clientManagerOf, identityOf, isChildManager } from '../object/identity.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { ControllerRunner } from '../reconcile/controller-runner.ts'
import type { Controller } from '../reconcile/definition.ts'
import type { ResourceEvent } from '../reconcile/events-runner.ts'
import { EventRecorder } from '../telemetry/event-recorder.ts'
import type { HealthRegistry } from '../telemetry/health.ts'
import { assertConnected, type ClusterRunners, openClusters } from './cluster-runner.ts'
import type { Elector } from './elector.ts'
import { livenessChecks } from './liveness-checks.ts'
import { readinessChecks } from './readiness-checks.ts'
import type { Runnable } from './runnable.ts'
import { RunnablesRunner } from './runnables-runner.ts'
import type { ShardRunner } from './shard-runner.ts'
import type { ShardWork } from './slot-runner.ts'

export interface OperatorOptions {
  /** As of RunOperatorOptions. */
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  /** Where controllers draw passwords from. */
  readonly secrets: SecretSource
  readonly instruments: Instruments
  /** Fenced where there is an elector. */
  readonly client: KubeClient
  /** Effects outside the cluster begin only while it is open, as writes do; absent: always. */
  readonly fence?: Fence | undefined
  /** Absent: this process acts alone. */
  readonly elector?: Elector | undefined
  /** This process works its share of the resources, beside other members. In place of an elector. */
  readonly shards?: ShardRunner | undefined
  readonly health: HealthRegistry
  readonly controllers: readonly Controller[]
  /** As of RunOperatorOptions. */
  readonly runnables?: readonly Runnable[] | undefined
  /** Other clusters, by the names that `childrenIn` of controllers has; fenced as `client` is. Default: none. */
  readonly clusters?: Readonly<Record<string, KubeClient>> | undefined
  /** Confines the operator to these namespaces; absent: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
  /** Which resources this process looks after; absent: all. */
  readonly labelSelector?: string | undefined
  /** The named shard that these namespaces and labels select, as of Sharding. Default: none. */
  readonly shardName?: string | undefined
  /** Turns at once, for each controller. Default 10. */
  readonly maxConcurrent?: number | undefined
  /** Gives every resource series `resource_condition` of its own, and not only those that need attention. Default false. */
  readonly metricsPerResource?: boolean | undefined
  /** Delays between the retries of one resource. Default 5 s to 300 s. */
  readonly backoff?: BackoffPolicy | undefined
  /** Names this process in Events: the pod's name. Default: the operator's name. */
  readonly instance?: string | undefined
  /** Called once the API server has been reached and the readiness checks are in place. */
  readonly onStarted?: (() => void) | undefined
  /** As of RunOperatorOptions. */
  readonly reconcileRate?: TokenBucketLimit | undefined
  /** As of RunOperatorOptions. */
  readonly gracefulShutdownMs?: number | undefined
}

/** Throws a CodedError `DuplicateController`: two controllers of one name would remove the children and fields of each other. */
function assertDistinct(controllers: readonly Controller[]): void {
  const names = controllers.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice === undefined) return
  const message = `two controllers are called ${twice}; give one of them the option name, e.g. name: 'audit'`
  throw new CodedError({ code: 'DuplicateController', message, remedy: 'stop' })
}

/** What running turns get to end after the signal; one that then ignores its abort costs 5 s more. All of it under 10 s. */
const defaultShutdownMs = 2_500
/** What runnables get to end after their signal, at least. */
const runnablesLimitMs = 5_000
const flushLimitMs = 1_000
const closeLimitMs = 1_000
const stopping = new DOMException('the operator stops', 'AbortError')

export class Operator {
  /** For the author's own reads and writes, from the start of the operator to its end. */
  readonly client: OperatorClient
  readonly #options: OperatorOptions
  /** Watches and turns outlive the signal: turns still need their caches while they end. */
  readonly #life = new AbortController()
  readonly #informers: Informers
  readonly #events: EventRecorder
  readonly #tools: ToolBox
  readonly #makeRunner: (controller: Controller, clusters: ClusterRunners) => ControllerRunner
  readonly #runnables: RunnablesRunner
  readonly #client: KubeClient
  #runners: readonly ControllerRunner[] = []

  constructor(options: OperatorOptions) {
    const { clock, random, secrets, instruments, controllers, namespaces, labelSelector, backoff } = options
    const { maxConcurrent = 10, reconcileRate = { perSecond: 200, burst: 400 } } = options
    assertConnected(controllers, Object.keys(options.clusters ?? {}))
    this.#options = options
    const identity = identityOf(options.name, options.shardName)
    assertDistinct(controllers)
    const client = new DiscreetClient(options.client)
    this.#client = client
    this.#informers = new Informers({ clock, random, instruments, client, keepsFieldsOf: isChildManager, namespaces })
    this.#events = new EventRecorder({
      clock,
      random,
      instruments,
      client,
      reporter: { controller: identity.qualifiedName, instance: options.instance ?? identity.name },
      fieldManager: identity.eventManager,
    })
    this.#tools = new ToolBox({ clock, random, instruments })
    const traced = new TracedClient({ client, tracer: instruments.tracer })
    const { runnables = [] } = options
    this.client = new OperatorClient({
      client: traced,
      openWatch: openWatchOf({ clock, random, instruments, client: traced }),
      fieldManager: clientManagerOf(identity),
      signal: this.#life.signal,
    })
    this.#runnables = new RunnablesRunner({
      identity,
      clock,
      random,
      instruments,
      client: traced,
      runnables,
      namespaces,
    })
    const rateLimit = new TokenBucket(reconcileRate)
    const discovery = new DiscoveryClient({ clock, client })
    this.#makeRunner = (controller, clusters) =>
      new ControllerRunner({
        identity,
        clock,
        random,
        secrets,
        instruments,
        client,
        discovery,
        informers: this.#informers,
        remote: controller.childrenIn === undefined ? undefined : clusters.get(controller.childrenIn),
        controller,
        labelSelector,
        maxConcurrent,
        metricsPerResource: options.metricsPerResource,
        backoff,
        rateLimit,
        tools: this.#tools,
        gate: options.fence,
        shard: options.shards?.shard,
        recordEvent: (regarding, event) => this.#events.record({ regarding, ...event }),
      })
  }

  /**
   * Reconciles a resource, as an event of it does, where this process works its controller: as leader where replicas elect one. Elsewhere nothing
   * happens. `of` is the kind, or one of its controllers. Throws a CodedError `UnknownController` if the operator has no controller of the kind.
   */
  enqueue(of: Resource | Controller, { namespace, name }: ResourceEvent): void {
    const isMeant = (controller: Controller) =>
      'resource' in of ? of === controller : groupResourceOf(of) === groupResourceOf(controller.resource)
    if (!this.#options.controllers.some(isMeant)) {
      const kind = groupResourceOf('resource' in of ? of.resource : of)
      const message = `the operator has no controller of ${kind}; add one to its controllers`
      throw new CodedError({ code: 'UnknownController', message, remedy: 'stop' })
    }
    for (const runner of this.#runners) if (isMeant(runner.controller)) runner.enqueue({ namespace, name })
  }

  /**
   * Resolves when everything has stopped after the signal; rejects if the API server cannot be used at all, and with a
   * LeaseLostError when this process led and leads no more.
   */
  async run(signal: AbortSignal): Promise<void> {
    const {
      controllers,
      health,
      instruments,
      shards,
      onStarted,
      gracefulShutdownMs = defaultShutdownMs,
    } = this.#options
    const elector = shards ?? this.#options.elector
    const { gitVersion } = await this.#client.read('/version', signal)
    instruments.log.info({ kubernetes: gitVersion, controllers: controllers.map(({ name }) => name) }, 'starting')
    const clusters = await this.#openClusters(signal)
    this.#runners = controllers.map((controller) => this.#makeRunner(controller, clusters))
    const others = [...clusters.values()]
    const checks = [
      ...readinessChecks(this.#runners, elector),
      ...others.map(({ readinessCheck }) => readinessCheck),
      ...livenessChecks(this.#runners),
    ].map((check) => health.add(check))
    onStarted?.()
    const life = this.#life
    const telling = new AbortController()
    this.#informers.start(life.signal)
    for (const cluster of others) cluster.start(life.signal)
    const events = this.#events.run(telling.signal)
    const leading = new AbortController()
    const leadership = elector?.run(leading.signal, this.#shardWork())
    const work = Promise.all(this.#runners.map((runner) => runner.run(life.signal, elector?.elected)))
    void this.#runnables.run(elector?.elected)
    try {
      // Rejects when the lease is lost: nothing that this process does counts any more. Without controllers, runnables go on.
      await Promise.race([
        work.then(() => aborted(signal)),
        aborted(signal),
        ...(leadership === undefined ? [] : [leadership]),
      ])
    } finally {
      instruments.log.info({}, 'stopping')
      const limitMs = signal.aborted ? gracefulShutdownMs : 0
      await Promise.all([
        ...this.#runners.map((runner) => runner.drain(limitMs)),
        this.#runnables.stop(signal.aborted ? Math.max(runnablesLimitMs, limitMs) : 0),
      ])
      await this.#closeTools()
      telling.abort(stopping)
      await events
      await this.#flushEvents()
      // The lease goes back when nobody writes any more, so that the next leader may begin at once.
      leading.abort(stopping)
      await Promise.allSettled([leadership])
      life.abort(stopping)
      await Promise.all([this.#informers.stop(), ...others.map((cluster) => cluster.stop())])
      for (const remove of checks) remove()
      instruments.log.info({}, 'stopped')
    }
  }

  #openClusters(signal: AbortSignal): Promise<ClusterRunners> {
    const { clusters = {}, ...shared } = this.#options
    return openClusters({ ...shared, client: this.#client, clients: clusters }, signal)
  }

  #shardWork(): ShardWork {
    const [informers, runners] = [this.#informers, this.#runners]
    return {
      prepare: (signal) => informers.waitUntilKnown(signal),
      fill: (signal) => informers.refill(signal),
      prune: () => informers.prune(),
      resync: (signal) => {
        for (const runner of runners) runner.resync(signal)
      },
      get resources() {
        return runners.reduce((sum, runner) => sum + runner.resources, 0)
      },
    }
  }

  /** What drivers opened, newest first; one that does not close keeps nobody from stopping. */
  async #closeTools(): Promise<void> {
    const { clock, instruments } = this.#options
    const limit = deadline(clock, closeLimitMs, new AbortController().signal)
    for (const close of this.#tools.closers) {
      try {
        await Promise.race([close(), aborted(limit.signal)])
      } catch (thrown) {
        instruments.log.warn({ error: messageOf(thrown) }, 'what a driver opened could not be closed')
      }
    }
    limit.clear()
  }

  async #flushEvents(): Promise<void> {
    const limit = deadline(this.#options.clock, flushLimitMs, new AbortController().signal)
    await this.#events.flush(limit.signal)
    limit.clear()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
