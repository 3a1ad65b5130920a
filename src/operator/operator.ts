// Operator of one process: checks the API server, fills the caches, processes the queues, reports readiness and stops
// in order. Invariant: everything that it starts stops in reverse order, within ten seconds of the signal.

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
  /** Random source for passwords of controllers. */
  readonly secrets: SecretSource
  readonly instruments: Instruments
  /** Client of the cluster; fenced if there is an elector. */
  readonly client: KubeClient
  /** Effects outside the cluster start only while the fence is open, as writes do; absent: always. */
  readonly fence?: Fence | undefined
  /** Leader election; absent: this process acts alone. */
  readonly elector?: Elector | undefined
  /** Share of this process among other members, instead of an elector. */
  readonly shards?: ShardRunner | undefined
  readonly health: HealthRegistry
  readonly controllers: readonly Controller[]
  /** As of RunOperatorOptions. */
  readonly runnables?: readonly Runnable[] | undefined
  /**
   * Clients of other clusters, by the names that `childrenIn` of controllers uses; fenced as `client` is. Default:
   * none.
   */
  readonly clusters?: Readonly<Record<string, KubeClient>> | undefined
  /** Namespaces that the operator serves; absent: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
  /** Label selector of the resources that this process manages; absent: all. */
  readonly labelSelector?: string | undefined
  /** Name of the shard that these namespaces and labels select (see Sharding). Default: none. */
  readonly shardName?: string | undefined
  /** Maximum concurrent reconciles of each controller. Default: 10. */
  readonly maxConcurrent?: number | undefined
  /**
   * Exposes the series `resource_condition` for every resource, not only for those that need attention. Default: false.
   */
  readonly metricsPerResource?: boolean | undefined
  /** Delays between retries of one resource. Default: 5 s to 300 s. */
  readonly backoff?: BackoffPolicy | undefined
  /** Name of this process in Events: the pod's name. Default: the operator's name. */
  readonly instance?: string | undefined
  /** Called after the first answer of the API server, when the readiness checks are registered. */
  readonly onStarted?: (() => void) | undefined
  /** As of RunOperatorOptions. */
  readonly reconcileRate?: TokenBucketLimit | undefined
  /** As of RunOperatorOptions. */
  readonly gracefulShutdownMs?: number | undefined
}

/**
 * Throws a CodedError `DuplicateController`: two controllers with one name would delete each other's children and
 * fields.
 */
function assertDistinct(controllers: readonly Controller[]): void {
  const names = controllers.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice === undefined) return
  const message = `two controllers are called ${twice}; give one of them the option name, e.g. name: 'audit'`
  throw new CodedError({ code: 'DuplicateController', message, remedy: 'stop' })
}

/**
 * Time for running reconciles to end after the signal. A reconcile that ignores its abort costs 5 s more. Total: under
 * 10 s.
 */
const defaultShutdownMs = 2_500
/** Minimum time for runnables to end after their signal. */
const runnablesLimitMs = 5_000
const flushLimitMs = 1_000
const closeLimitMs = 1_000
const stopping = new DOMException('the operator stops', 'AbortError')

export class Operator {
  /** Client for the program's own reads and writes, usable from the start of the operator to its end. */
  readonly client: OperatorClient
  readonly #options: OperatorOptions
  /** Watches and reconciles outlive the stop signal: ending reconciles still need their caches. */
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
   * Queues a resource for a reconcile, as an event does, if this process reconciles its controller; with leader
   * election, only the leader does. Elsewhere, the call has no effect. `of` is the kind, or one of its controllers.
   * Throws a CodedError `UnknownController` if the operator has no controller of the kind.
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
   * Resolves when everything has stopped after the signal. Rejects if the API server is unusable, and with a
   * LeaseLostError if this process led and lost its Lease.
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
      // Rejects when the Lease is lost, because this process must not act any more. Without controllers, runnables
      // continue.
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
      // The Lease is released after the last write, so that the next leader can start at once.
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

  /** Closes the connections of drivers, newest first. One that does not close does not block the stop. */
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
