// One process: reaches the API server, fills the caches, works the queues, says that it is ready, and ends in order. What is
// started is stopped, in reverse, within ten seconds of the signal.

import type { BackoffPolicy } from '../base/backoff.ts'
import { type Clock, deadline } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random, SecretSource } from '../base/random.ts'
import { TokenBucket } from '../base/token-bucket.ts'
import { Informers } from '../cache/informers.ts'
import { ToolBox } from '../external/tool-box.ts'
import type { KubeClient } from '../kube/client.ts'
import { DiscoveryClient } from '../kube/discovery-client.ts'
import { DiscreetClient } from '../kube/discreet-client.ts'
import type { Fence } from '../kube/fence.ts'
import { identityOf, isChildManager } from '../object/identity.ts'
import { ControllerRunner } from '../reconcile/controller-runner.ts'
import type { Controller } from '../reconcile/definition.ts'
import { EventRecorder } from '../telemetry/event-recorder.ts'
import type { HealthRegistry } from '../telemetry/health.ts'
import type { Elector } from './elector.ts'
import { livenessChecks } from './liveness-checks.ts'
import { readinessChecks } from './readiness-checks.ts'

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
  readonly health: HealthRegistry
  readonly controllers: readonly Controller[]
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
  /** Names this process in Events: the pod's name. Default: the operator's name. */
  readonly instance?: string | undefined
  /** Called once the API server has been reached and the readiness checks are in place. */
  readonly onStarted?: (() => void) | undefined
  /** Turns a second, over all controllers, and how many may come at once. Default 200 and 400. */
  readonly turnRate?: { readonly perSecond: number; readonly burst: number } | undefined
}

/** What running turns get to end after the signal; one that then ignores its abort costs 5 s more. All of it under 10 s. */
const drainLimitMs = 2_500
const flushLimitMs = 1_000
const closeLimitMs = 1_000
const stopping = new DOMException('the operator stops', 'AbortError')

export class Operator {
  readonly #options: OperatorOptions
  readonly #informers: Informers
  readonly #events: EventRecorder
  readonly #tools: ToolBox
  readonly #runners: readonly ControllerRunner[]

  constructor(options: OperatorOptions) {
    const { clock, random, secrets, instruments, controllers, namespaces, labelSelector, backoff } = options
    const { maxConcurrent = 10, turnRate = { perSecond: 200, burst: 400 } } = options
    this.#options = options
    const identity = identityOf(options.name)
    const client = new DiscreetClient(options.client)
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
    const rateLimit = new TokenBucket(turnRate)
    const discovery = new DiscoveryClient({ clock, client })
    this.#runners = controllers.map(
      (controller) =>
        new ControllerRunner({
          identity,
          clock,
          random,
          secrets,
          instruments,
          client,
          discovery,
          informers: this.#informers,
          controller,
          labelSelector,
          maxConcurrent,
          metricsPerResource: options.metricsPerResource,
          backoff,
          rateLimit,
          tools: this.#tools,
          gate: options.fence,
          recordEvent: (regarding, event) => this.#events.record({ regarding, ...event }),
        }),
    )
  }

  /**
   * Resolves when everything has stopped after the signal; rejects if the API server cannot be used at all, and with a
   * LeaseLostError when this process led and leads no more.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { client, health, instruments, elector, onStarted } = this.#options
    const { gitVersion } = await client.read('/version', signal)
    instruments.log.info({ kubernetes: gitVersion, controllers: this.#runners.map(({ name }) => name) }, 'starting')
    const checks = [...readinessChecks(this.#runners, elector), ...livenessChecks(this.#runners)].map((check) =>
      health.add(check),
    )
    onStarted?.()
    // Watches and turns outlive the signal: turns still need their caches while they end.
    const life = new AbortController()
    const telling = new AbortController()
    this.#informers.start(life.signal)
    const events = this.#events.run(telling.signal)
    const leading = new AbortController()
    const leadership = elector?.run(leading.signal)
    const work = Promise.all(this.#runners.map((runner) => runner.run(life.signal, elector?.elected)))
    try {
      // Rejects when the lease is lost: nothing that this process does counts any more.
      await Promise.race([work, aborted(signal), ...(leadership === undefined ? [] : [leadership])])
    } finally {
      instruments.log.info({}, 'stopping')
      const limitMs = signal.aborted ? drainLimitMs : 0
      await Promise.all(this.#runners.map((runner) => runner.drain(limitMs)))
      await this.#closeTools()
      telling.abort(stopping)
      await events
      await this.#flushEvents()
      // The lease goes back when nobody writes any more, so that the next leader may begin at once.
      leading.abort(stopping)
      await Promise.allSettled([leadership])
      life.abort(stopping)
      await this.#informers.stop()
      for (const remove of checks) remove()
      instruments.log.info({}, 'stopped')
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
