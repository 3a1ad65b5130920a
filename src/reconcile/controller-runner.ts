// Runs one controller: waits until everything it looks at is in memory, then works its queue until it is told to stop.
// Parts and their order of start and stop are here; what a turn does is in reconciler.ts.
import { Applier } from '../apply/applier.ts'
import { Convergence } from '../apply/convergence.ts'
import type { Compare } from '../apply/plan.ts'
import { assert } from '../base/assert.ts'
import type { BackoffPolicy } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import type { Gauge, Instruments, Log } from '../base/instrument.ts'
import type { Random, SecretSource } from '../base/random.ts'
import type { TokenBucket } from '../base/token-bucket.ts'
import type { InformerHealth } from '../cache/informer.ts'
import type { Informers } from '../cache/informers.ts'
import type { ExternalTools } from '../external/external.ts'
import { type EffectGate, openGate } from '../external/protocol-runner.ts'
import type { KubeClient } from '../kube/client.ts'
import { untilAborted } from '../kube/shared-runner.ts'
import { TracedClient } from '../kube/traced-client.ts'
import { childManagerOf, type OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyFor, keyOf, parseKey } from '../object/ref.ts'
import { groupKindOf, groupResourceOf } from '../object/resource.ts'
import { WorkQueue } from '../queue/work-queue.ts'
import { Worker } from '../queue/worker.ts'
import { ChildrenReconciler, type ChildrenReconcilerOptions } from './children-reconciler.ts'
import type { EventReport } from './context.ts'
import { ControllerView, type HeldKind } from './controller-view.ts'
import { tellLimitMs } from './cut-off.ts'
import { isDeclaredRead } from './declared-read.ts'
import { type Controller, resourceIn } from './definition.ts'
import { DesiredObjects } from './desired-objects.ts'
import { EventsRunner, type ResourceEvent } from './events-runner.ts'
import { inventoryOf } from './inventory.ts'
import { InventoryLoader, type InventoryLoaderOptions } from './inventory-loader.ts'
import { InventoryTokens } from './inventory-tokens.ts'
import { kindsNotInstalled } from './kinds-not-installed.ts'
import { LiveLoader } from './live-loader.ts'
import { OutsideReconciler } from './outside-reconciler.ts'
import { ParentRecorder } from './parent-recorder.ts'
import { Reconciler } from './reconciler.ts'
import { RecordsRecorder } from './records-recorder.ts'
import { RepairRunner } from './repair-runner.ts'
import { StatusRecorder } from './status-recorder.ts'
import type { Trigger } from './triggers.ts'
import { TurnMetrics } from './turn-metrics.ts'

export interface ControllerRunnerOptions {
  readonly identity: OperatorIdentity
  readonly clock: Clock
  readonly random: Random
  readonly secrets: SecretSource
  readonly instruments: Instruments
  readonly client: KubeClient
  /** Which kinds the server has; shared by all controllers of the process. */
  readonly discovery: InventoryLoaderOptions['discovery']
  readonly informers: Informers
  readonly controller: Controller
  /** Which of the controller's resources this process looks after; absent: all. */
  readonly labelSelector?: string | undefined
  /** Turns at once. */
  readonly maxConcurrent: number
  /** Gives every resource series `resource_condition` of its own. Default false. */
  readonly metricsPerResource?: boolean | undefined
  readonly backoff?: BackoffPolicy | undefined
  /** Shared by all controllers of the process. */
  readonly rateLimit?: TokenBucket | undefined
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
  /** Lent to the drivers of things outside; one for all controllers of the process. */
  readonly tools: ExternalTools
  /** Effects outside begin only while it is open. Default: always. */
  readonly gate?: EffectGate | undefined
}

type ChildrenParts = Pick<ChildrenReconcilerOptions, 'log' | 'tracer' | 'metrics' | 'parents'> & {
  readonly convergence: Convergence
}

export class ControllerRunner {
  readonly #options: ControllerRunnerOptions
  readonly #view: ControllerView
  readonly #queue: WorkQueue<Key>
  /** The field manager of its children. */
  readonly #manager: string
  readonly #worker: Worker<Key>
  readonly #servedKinds: Gauge
  /** Named in the log as not installed. */
  readonly #missingKinds = new Set<string>()
  #isPrepared = false
  /** Until then nothing is queued: a standby may see any number of resources come and go. */
  #isWorking = false

  constructor(options: ControllerRunnerOptions) {
    const { clock, random, instruments, client, informers, controller, labelSelector } = options
    const backoff = controller.backoff ?? options.backoff
    this.#options = { ...options, client: new TracedClient({ client, tracer: instruments.tracer }) }
    this.#manager = childManagerOf(options.identity, controller.name)
    this.#view = new ControllerView({ operatorName: options.identity.name, controller, informers, labelSelector })
    this.#queue = new WorkQueue({
      clock,
      random,
      instruments,
      name: controller.name,
      groupOf: (key) => parseKey(key).namespace ?? '',
      ...(backoff === undefined ? {} : { backoff }),
    })
    this.#worker = this.#makeWorker()
    this.#servedKinds = instruments.metrics.gauge({
      name: 'controller_kind_served',
      help: '1 while the API server serves a kind that the controller uses, 0 while its CRD is not installed.',
      labels: ['controller', 'resource', 'optional'],
    })
  }

  get name(): string {
    return this.#options.controller.name
  }

  /** Does it take turns, or wait for nothing but its own to take them, as opposed to waiting for its caches? */
  get isPrepared(): boolean {
    return this.#isPrepared
  }

  /** For how long resources have been ready while no reconcile began or ended; 0 if none is ready. */
  get idleForMs(): number {
    return this.#queue.idleForMs()
  }

  /** What one reconcile may take. */
  get reconcileLimitMs(): number {
    return this.#options.controller.limits.reconcileMs
  }

  /** One entry per informer, but for those of optional kinds that are not installed: nothing is waited for there. */
  get health(): readonly InformerHealth[] {
    const kinds = this.#view.kinds.filter(({ optional, informer }) => !optional || informer.isServed)
    return kinds.flatMap(({ informer }) => informer.health)
  }

  /** Works once `mayWork` has resolved, its caches warm until then. Resolves when `drain` is through or the signal aborted. */
  async run(signal: AbortSignal, mayWork: Promise<void> = Promise.resolve()): Promise<void> {
    const { instruments } = this.#options
    try {
      await Promise.all(this.#view.kinds.map(({ informer }) => informer.waitUntilKnown(signal)))
      this.#isPrepared = true
      for (const kind of this.#view.kinds) {
        this.#observeKind(kind)
        kind.informer.addServedHandler(() => this.#observeKind(kind))
      }
      await untilAborted(mayWork, signal)
    } catch (thrown) {
      if (signal.aborted) return
      throw thrown
    }
    instruments.log.info({ controller: this.name, resources: this.#view.parents.length }, 'working')
    this.#isWorking = true
    for (const parent of this.#view.parents) {
      this.#queue.add(keyOf(parent), { priority: 'resync', cause: { kind: 'initial' } })
    }
    const listening = new AbortController()
    const events = this.#listen(AbortSignal.any([signal, listening.signal]))
    await this.#worker.run(signal)
    listening.abort(new DOMException('the controller stops', 'AbortError'))
    await events
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, random, instruments, controller } = this.#options
    if (controller.events === undefined) return
    const log = instruments.log.with({ controller: controller.name })
    const onEvent = ({ namespace, name }: ResourceEvent) =>
      this.#queue.add(keyFor(namespace, name), { priority: 'child', cause: { kind: 'external' } })
    await new EventsRunner({ clock, random, log, events: controller.events, onEvent }).run(signal)
  }

  /** Begins no more turns and gives the running ones `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    await this.#worker.drain(limitMs)
  }

  /** Shows in log and metrics whether a kind is installed. One that is at the start is worth no line of the log. */
  #observeKind({ resource, optional, informer: { isServed } }: HeldKind): void {
    const { log } = this.#options.instruments
    const kind = groupResourceOf(resource)
    const isNews = this.#missingKinds.has(kind) === isServed
    this.#servedKinds.set({ controller: this.name, resource: kind, optional: String(optional) }, isServed ? 1 : 0)
    if (!isNews) return
    const fields = { controller: this.name, resource: kind, optional }
    if (isServed) {
      this.#missingKinds.delete(kind)
      log.info(fields, `${kind} is installed`)
    } else {
      this.#missingKinds.add(kind)
      if (optional) log.info(fields, `${kind} is not installed; it is optional, so the controller works without it`)
      else log.warn(fields, kindsNotInstalled([resource]).message)
    }
  }

  #makeWorker(): Worker<Key> {
    const { clock, random, secrets, instruments, client, controller, maxConcurrent, rateLimit, recordEvent } =
      this.#options
    const { identity, gate = openGate, metricsPerResource = false } = this.#options
    const { tracer } = instruments
    const view = this.#view
    const log = instruments.log.with({ controller: controller.name })
    const { abnormalConditions: abnormal } = controller
    const metrics = new TurnMetrics(instruments.metrics, controller.name, { abnormal, perResource: metricsPerResource })
    const convergence = new Convergence({ manager: this.#manager, random })
    const desired = new DesiredObjects(identity.name, controller, view)
    const parents = this.#makeParentRecorder()
    const children = this.#makeChildrenReconciler({ log, tracer, metrics, convergence, parents })
    const status = new StatusRecorder({
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
      parentOf: (key) => view.parent(key),
      kinds: view,
      liveFor: (signal) => this.#liveFor(signal),
      gate,
      children,
      outside,
      repairs: new RepairRunner({ controller, log, client, recordEvent }),
      status,
      parents,
      desiredOf: (parent, facts) => desired.of(parent, facts),
      partingOf: controller.parting && ((parent, facts) => desired.atParting(parent, facts)),
      inventoryOf: (parent) => inventoryOf(parent, controller, identity),
      recordEvent,
    })
    view.onTrigger(
      (trigger) => this.#enqueue(trigger),
      ({ metadata: { uid } }) => {
        desired.forget(uid)
        status.forget(uid)
        outside.forget(uid)
      },
    )
    const handle = reconciler.reconcile.bind(reconciler)
    return new Worker({
      clock,
      instruments: { ...instruments, log },
      queue: this.#queue,
      handle,
      maxConcurrent: controller.maxConcurrent ?? maxConcurrent,
      // The reconciler cuts itself off before, and tells.
      turnTimeoutMs: controller.limits.reconcileMs + 2 * tellLimitMs,
      ...(rateLimit === undefined ? {} : { rateLimit }),
    })
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

  #enqueue({ key, priority, cause }: Trigger): void {
    if (this.#isWorking) this.#queue.add(key, { priority, cause })
  }

  #makeChildrenReconciler(parts: ChildrenParts): ChildrenReconciler {
    const { clock, client, controller, recordEvent, secrets } = this.#options
    const { convergence } = parts
    const view = this.#view
    const members = this.#makeInventoryLoader()
    const applier = new Applier({
      client,
      fieldManager: this.#manager,
      resourceOf: (object) => {
        const resource = members.resourceOf(object) ?? resourceIn(controller, object, 'contribution')
        assert(resource !== undefined, `${controller.name} owns or contributes to ${groupKindOf(object)}`)
        return resource
      },
      readinessOf: (object, predicates) => view.readinessOf(object, predicates),
      clock,
      convergence,
      report: recordEvent,
      isCurrent: (parent, signal) => members.isCurrent(parent, signal),
      onWritten: (written) => view.written(written),
      onDeleted: (object, parent) => view.childDeleted(object, parent),
    })
    const compare: Compare = (object, live) => convergence.compare(object, live, clock.monotonicMs())
    const tokens = new InventoryTokens(secrets)
    return new ChildrenReconciler({
      ...parts,
      clock,
      view,
      applier,
      compare,
      manager: this.#manager,
      members,
      tokens,
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

  #makeInventoryLoader(): InventoryLoader {
    const { client, controller, discovery } = this.#options
    const covers: ControllerView['covers'] = (kind, namespace) => this.#view.covers(kind, namespace)
    return new InventoryLoader({ client, discovery, controller, covers })
  }

  #makeParentRecorder(): ParentRecorder {
    const { client, identity, controller } = this.#options
    const view = this.#view
    return new ParentRecorder({
      client,
      identity,
      controller,
      newest: (key) => view.parent(key),
      onWritten: (live) => view.parentWritten(live),
    })
  }
}
