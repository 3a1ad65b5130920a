// Runs one controller: waits until its caches are filled, then works its queue until it is stopped. This file has the
// parts and their order of start and stop; reconciler.ts has the reconcile.
import { Convergence } from '../apply/convergence.ts'
import { fieldManagersOf, type ManagerOf } from '../apply/field-managers.ts'
import type { BackoffPolicy } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import type { Instruments, Log } from '../base/instrument.ts'
import type { Random, SecretSource } from '../base/random.ts'
import { TokenBucket } from '../base/token-bucket.ts'
import { openWatchOf } from '../cache/feed-watcher.ts'
import type { InformerHealth } from '../cache/informer.ts'
import type { Informers } from '../cache/informers.ts'
import type { ExternalTools } from '../external/external.ts'
import { type EffectGate, openGate } from '../external/protocol-runner.ts'
import type { KubeClient } from '../kube/client.ts'
import { OperatorClient } from '../kube/operator-client.ts'
import { untilAborted } from '../kube/shared-runner.ts'
import { TracedClient } from '../kube/traced-client.ts'
import { clientManagerOf, type OperatorIdentity, partOf } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyFor, keyOf, parseKey } from '../object/ref.ts'
import { isOf } from '../object/resource.ts'
import { type Cause, type WorkItem, WorkQueue } from '../queue/work-queue.ts'
import { type Verdict, Worker } from '../queue/worker.ts'
import { makeChildrenReconciler } from './children-parts.ts'
import { ClusterStateWatcher } from './cluster-state-watcher.ts'
import type { EventReport } from './context.ts'
import { ControllerView } from './controller-view.ts'
import { tellLimitMs } from './cut-off.ts'
import { isDeclaredRead } from './declared-read.ts'
import type { Controller } from './definition.ts'
import { DesiredObjects } from './desired-objects.ts'
import { EventsRunner, type ResourceEvent } from './events-runner.ts'
import { inventoryOf } from './inventory.ts'
import type { InventoryLoaderOptions } from './inventory-loader.ts'
import { KindsRecorder } from './kinds-recorder.ts'
import { LiveLoader } from './live-loader.ts'
import { OutsideReconciler } from './outside-reconciler.ts'
import { ParentRecorder } from './parent-recorder.ts'
import { ReconcileMetrics } from './reconcile-metrics.ts'
import { Reconciler } from './reconciler.ts'
import { RecordsRecorder } from './records-recorder.ts'
import type { RemoteCluster } from './remote-cluster.ts'
import { RepairRunner } from './repair-runner.ts'
import type { Shard } from './shard.ts'
import { withoutOthersRecords } from './status-part.ts'
import { StatusRecorder } from './status-recorder.ts'
import { causeOfKind, type Trigger } from './triggers.ts'
import { VerificationTimes } from './verification-times.ts'

export interface ControllerRunnerOptions {
  readonly identity: OperatorIdentity
  readonly clock: Clock
  readonly random: Random
  readonly secrets: SecretSource
  readonly instruments: Instruments
  readonly client: KubeClient
  /** Kinds that the server serves; shared by all controllers of the process. */
  readonly discovery: InventoryLoaderOptions['discovery']
  readonly informers: Informers
  /** The cluster of the controller's children, if it is not the cluster of its resources. */
  readonly remote?: RemoteCluster | undefined
  readonly controller: Controller
  /** Selects the controller's resources that this process manages; absent: all. */
  readonly labelSelector?: string | undefined
  /** Number of concurrent reconciles. */
  readonly maxConcurrent: number
  /** Gives every resource its own series `resource_condition`. Default false. */
  readonly metricsPerResource?: boolean | undefined
  readonly backoff?: BackoffPolicy | undefined
  /** Shared by all controllers of the process. */
  readonly rateLimit?: TokenBucket | undefined
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
  /** Passed to the drivers of external resources; one for all controllers of the process. */
  readonly tools: ExternalTools
  /** External effects begin only while the gate is open. Default: always open. */
  readonly gate?: EffectGate | undefined
  /** The share of this process in the controller's resources. Default: all. */
  readonly shard?: Shard | undefined
}

export class ControllerRunner {
  readonly #options: ControllerRunnerOptions
  readonly #view: ControllerView
  readonly #cluster: ClusterStateWatcher
  readonly #queue: WorkQueue<Key>
  readonly #managerOf: ManagerOf
  readonly #worker: Worker<Key>
  #isPrepared = false
  /** False: nothing is queued, because a standby may see any number of resources appear and disappear. */
  #isWorking = false
  /** Last run that queues all resources, after a kind was installed or removed. */
  #lastQueueing: Promise<void> = Promise.resolve()

  constructor(options: ControllerRunnerOptions) {
    const { clock, random, instruments, client, informers, controller, labelSelector, remote, shard } = options
    const backoff = controller.backoff ?? options.backoff
    const traced = (untraced: KubeClient) => new TracedClient({ client: untraced, tracer: instruments.tracer })
    const elsewhere = remote && { ...remote, client: traced(remote.client), cluster: remote.watcher }
    const identity = partOf(options.identity, controller.part)
    this.#options = { ...options, identity, client: traced(client), remote: elsewhere }
    this.#managerOf = fieldManagersOf(options.identity, controller.name)
    this.#view = new ControllerView({
      identity: options.identity,
      controller,
      informers,
      labelSelector,
      elsewhere,
      shard,
    })
    const kinds = this.#view.kinds.filter(({ isAtHome }) => !isAtHome)
    this.#cluster = new ClusterStateWatcher({ clock, cluster: remote?.watcher, kinds })
    this.#queue = new WorkQueue({
      clock,
      random,
      instruments,
      name: controller.name,
      groupOf: (key) => parseKey(key).namespace ?? '',
      ...(backoff === undefined ? {} : { backoff }),
    })
    this.#worker = this.#makeWorker()
  }

  get name(): string {
    return this.#options.controller.name
  }

  get controller(): Controller {
    return this.#options.controller
  }

  /** True if the controller reconciles, or waits only for `mayWork`, as opposed to its caches. */
  get isPrepared(): boolean {
    return this.#isPrepared
  }

  /**
   * Duration in milliseconds for which resources have been ready while no reconcile began or ended; 0 if none is ready.
   */
  get idleForMs(): number {
    return this.#queue.idleForMs()
  }

  /** Limit of one reconcile in milliseconds. */
  get reconcileLimitMs(): number {
    return this.#options.controller.limits.reconcileMs
  }

  /**
   * One entry per informer. Informers of optional kinds that are not installed are left out, because nothing waits for
   * them. So are informers of another cluster, because another process could not reach it either.
   */
  get health(): readonly InformerHealth[] {
    const atHome = this.#view.kinds.filter(({ isAtHome }) => isAtHome)
    const kinds = atHome.filter(({ optional, informer }) => !optional || informer.isServed)
    return kinds.flatMap(({ informer }) => informer.health)
  }

  /**
   * Works once `mayWork` has resolved, and keeps the caches warm until then. Resolves when `drain` is complete or the
   * signal aborts.
   */
  async run(signal: AbortSignal, mayWork: Promise<void> = Promise.resolve()): Promise<void> {
    const { instruments } = this.#options
    try {
      const atHome = this.#view.kinds.filter((kind) => kind.isAtHome)
      await Promise.all(atHome.map(({ informer }) => informer.waitUntilKnown(signal)))
      await this.#cluster.waitUntilUsable(signal)
      this.#isPrepared = true
      new KindsRecorder(this.#options.controller, instruments).watch(this.#view.kinds)
      for (const { resource, informer } of this.#view.dependencies) {
        informer.addServedHandler((isServed) => this.#queueLater(causeOfKind(resource, isServed), signal))
      }
      await untilAborted(mayWork, signal)
    } catch (thrown) {
      if (signal.aborted) return
      throw thrown
    }
    instruments.log.info({ controller: this.name, resources: this.#view.parents.length }, 'working')
    this.#isWorking = true
    await this.#queueAll({ kind: 'initial' }, signal)
    const listening = new AbortController()
    const listens = AbortSignal.any([signal, listening.signal])
    this.#cluster.watch((cause) => this.#queueLater(cause, signal), listens)
    const events = this.#listen(listens)
    await this.#worker.run(signal)
    listening.abort(new DOMException('the controller stops', 'AbortError'))
    await events
    await this.#lastQueueing
  }

  /** Queues all resources, with a lower priority than changes by users. */
  async #queueAll(cause: Cause, signal: AbortSignal): Promise<void> {
    const { slices } = this.#options.informers
    for (const parent of this.#view.parents) {
      this.#enqueue({ key: keyOf(parent), priority: 'resync', cause })
      if (slices.isOver) await slices.nextTurn(signal)
      if (signal.aborted || this.#queue.isShutDown) return
    }
  }

  #queueLater(cause: Cause, signal: AbortSignal): void {
    if (this.#isWorking) this.#lastQueueing = this.#lastQueueing.then(() => this.#queueAll(cause, signal))
  }

  /**
   * Reconciles the resource; does nothing while this process does not work the controller. A resource that is not
   * cached is dropped: a working controller has all of them, and the event of a later one queues it.
   */
  enqueue({ namespace, name }: ResourceEvent): void {
    const key = keyFor(namespace, name)
    if (this.#view.parent(key) !== undefined) this.#enqueue({ key, priority: 'child', cause: { kind: 'external' } })
  }

  /** Number of cached resources of the controller. */
  get resources(): number {
    return this.#view.parents.length
  }

  /** Queues each resource of this process once, at the lowest priority; does nothing before the controller works. */
  resync(signal: AbortSignal): void {
    this.#queueLater({ kind: 'initial' }, signal)
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, random, instruments, controller } = this.#options
    if (controller.events === undefined) return
    const log = instruments.log.with({ controller: controller.name })
    const onEvent = (event: ResourceEvent) => this.enqueue(event)
    await new EventsRunner({ clock, random, log, events: controller.events, onEvent }).run(signal)
  }

  /** Starts no more reconciles, and gives the running ones `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    await this.#worker.drain(limitMs)
  }

  #makeWorker(): Worker<Key> {
    const { clock, random, secrets, instruments, client, controller, maxConcurrent, rateLimit, recordEvent } =
      this.#options
    const { identity, gate = openGate, metricsPerResource = false } = this.#options
    const { tracer } = instruments
    const forAuthor = {
      fieldManager: clientManagerOf(identity, controller.name),
      openWatch: openWatchOf({ clock, random, instruments, client }),
    }
    const view = this.#view
    const log = instruments.log.with({ controller: controller.name })
    const { abnormalConditions: abnormal, reconcileRate: ownRate } = controller
    const metrics = new ReconcileMetrics(instruments.metrics, controller.name, {
      abnormal,
      perResource: metricsPerResource,
    })
    const convergence = new Convergence(random)
    const verifications = new VerificationTimes(controller)
    const desired = new DesiredObjects(identity, controller, view, this.#options.remote?.watcher)
    const parents = this.#makeParentRecorder()
    const children = makeChildrenReconciler(
      { ...this.#options, view, managerOf: this.#managerOf, clusterState: () => this.#cluster.state },
      { log, tracer, metrics, convergence, verifications, parents },
    )
    const status = this.#makeStatusRecorder(log, metrics)
    const outside = this.#makeOutsideReconciler(log)
    const reconciler = new Reconciler({
      identity,
      controller,
      clock,
      random,
      secrets,
      log,
      tracer,
      metrics,
      parentOf: (key) => this.#parentAt(key),
      kinds: view,
      liveFor: (signal) => this.#liveFor(signal),
      clientFor: (signal) => new OperatorClient({ ...forAuthor, client, signal }),
      gate,
      children,
      outside,
      repairs: new RepairRunner({ controller, log, client, recordEvent }),
      status,
      parents,
      desiredOf: (parent, facts) => desired.of(parent, facts),
      partingOf: controller.preDelete && ((parent, facts) => desired.atParting(parent, facts)),
      inventoryOf: (parent) => inventoryOf(parent, controller, identity),
      recordEvent,
    })
    view.onTrigger(
      (trigger) => this.#enqueue(trigger),
      (object) => {
        const { uid } = object.metadata
        for (const part of [desired, convergence, verifications, status, outside]) part.forget(uid)
        // No later reconcile would do it.
        if (isOf(controller.resource, object) && !this.#works(keyOf(object))) reconciler.forget(keyOf(object))
      },
    )
    return new Worker({
      clock,
      instruments: { ...instruments, log },
      queue: this.#queue,
      handle: (item, signal) => this.#handle(reconciler, item, signal),
      maxConcurrent: controller.maxConcurrent ?? maxConcurrent,
      // The reconciler ends its reconcile earlier by itself, and reports that in the status.
      turnTimeoutMs: controller.limits.reconcileMs + 2 * tellLimitMs,
      rateLimits: [rateLimit, ownRate && new TokenBucket(ownRate)].filter((bucket) => bucket !== undefined),
    })
  }

  #parentAt(key: Key): LiveObject | undefined {
    const parent = this.#view.parent(key)
    return parent && withoutOthersRecords(parent, this.#options.controller.part)
  }

  #handle(reconciler: Reconciler, item: WorkItem<Key>, signal: AbortSignal): Promise<Verdict> {
    const { shard } = this.#options
    if (shard === undefined) return reconciler.reconcile(item, signal)
    return shard.run(this.#view.setOf(item.key), (until) => reconciler.reconcile(item, until), signal)
  }

  #liveFor(signal: AbortSignal): LiveLoader {
    const { client, controller } = this.#options
    return new LiveLoader({
      client,
      cachedKind: (resource) => this.#view.cachedKind(resource),
      mayAsk: (resource, verb) => isDeclaredRead(controller, resource, verb),
      signal,
    })
  }

  #enqueue({ key, ...wish }: Trigger): void {
    if (this.#isWorking && this.#works(key)) this.#queue.add(key, wish)
  }

  #works(key: Key): boolean {
    const { shard } = this.#options
    return shard === undefined || shard.works(this.#view.setOf(key))
  }

  #makeStatusRecorder(log: Log, metrics: ReconcileMetrics): StatusRecorder {
    const { clock, client, identity, controller, recordEvent } = this.#options
    const view = this.#view
    return new StatusRecorder({
      controller,
      clock,
      log,
      metrics,
      client,
      fieldManager: identity.statusManager,
      newest: (key) => view.parent(key),
      onWritten: (live) => view.statusWritten(live),
      recordEvent,
    })
  }

  #makeOutsideReconciler(log: Log): OutsideReconciler {
    const { clock, random, instruments, client, identity, controller, recordEvent, tools } = this.#options
    const view = this.#view
    const records = new RecordsRecorder({
      controller,
      client,
      fieldManager: identity.statusManager,
      newest: (key) => view.parent(key),
      onWritten: (live) => view.statusWritten(live),
    })
    const { gate = openGate } = this.#options
    const { tracer } = instruments
    return new OutsideReconciler({ controller, clock, random, log, tracer, tools, gate, records, recordEvent })
  }

  #makeParentRecorder(): ParentRecorder {
    const { client, identity, controller, remote } = this.#options
    const view = this.#view
    return new ParentRecorder({
      client,
      identity,
      controller,
      cluster: remote?.watcher,
      newest: (key) => view.parent(key),
      onWritten: (live) => view.parentWritten(live),
    })
  }
}
