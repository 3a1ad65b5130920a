// One process of a controller over the model API server: from the first list until it is stopped or killed. Its example
// kind is a Site, which declares a ConfigMap with its pages and, after that, a Service.
import { ApiObject } from 'cdk8s'
import type { Instruments, LogFields, Metrics, Tracer } from '../../src/base/instrument.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { Informers } from '../../src/cache/informers.ts'
import type { EffectGate } from '../../src/external/protocol-runner.ts'
import { ToolBox } from '../../src/external/tool-box.ts'
import { DiscoveryClient } from '../../src/kube/discovery-client.ts'
import { ConfigMap, Secret, Service } from '../../src/object/built-in.ts'
import type { Condition } from '../../src/object/condition.ts'
import { identityOf, isChildManager } from '../../src/object/identity.ts'
import type { LiveObject, StatusWithConditions } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'
import type { EventReport } from '../../src/reconcile/context.ts'
import { ControllerRunner } from '../../src/reconcile/controller-runner.ts'
import { type Controller, type ControllerOptions, defineController } from '../../src/reconcile/definition.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { at, ModelApi } from '../model-api.ts'

export interface SiteSpec {
  readonly page: string
  readonly password?: string
}

export interface SiteStatus extends StatusWithConditions {
  readonly pages?: number
}

export const Site = defineResource<SiteSpec, SiteStatus>({
  group: 'example.dev',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
})

type SiteOptions = ControllerOptions<SiteSpec, SiteStatus, unknown>

/** Declares the pages first, the Service after them; a Secret only if the spec has a password. */
export function siteController(over: Partial<SiteOptions> = {}): Controller {
  return defineController<SiteSpec, SiteStatus, unknown>(Site, {
    owns: [ConfigMap, Service, Secret],
    desired: (chart, { object: { metadata, spec } }) => {
      const { name } = metadata
      const pages = new ApiObject(chart, 'pages', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${name}-pages` },
        data: { index: spec.page },
      })
      const service = new ApiObject(chart, 'service', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name },
        spec: { selector: { site: name }, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
      })
      service.node.addDependency(pages)
      if (spec.password === undefined) return
      new ApiObject(chart, 'login', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${name}-login` },
        stringData: { login: spec.password },
      })
    },
    status: ({ children }) => ({ fields: { pages: children.length }, conditions: [] }),
    ...over,
  })
}

export interface LogLine {
  readonly level: string
  readonly fields: LogFields
  readonly message: string
}

export interface WorldOptions {
  readonly tracer?: Tracer
  readonly metrics?: Metrics
  readonly clock?: SimClock
}

/** The server, the clock, and the log and metrics of every process. */
export class World {
  readonly #tracer: Tracer
  readonly #metrics: Metrics
  readonly clock: SimClock
  readonly api: ModelApi
  readonly lines: LogLine[] = []
  readonly events: EventReport[] = []

  constructor({
    tracer = silentInstruments.tracer,
    metrics = silentInstruments.metrics,
    clock = new SimClock(),
  }: WorldOptions = {}) {
    this.#tracer = tracer
    this.#metrics = metrics
    this.clock = clock
    this.api = new ModelApi(clock)
  }

  addSite(name = 'a', spec: SiteSpec = { page: 'hello' }, namespace = 'default'): LiveObject {
    const metadata = { name, namespace }
    return this.api.put(Site, { apiVersion: 'example.dev/v1', kind: 'Site', metadata, spec })
  }

  site(key = 'default/a'): LiveObject | undefined {
    return this.api.find(Site, key)
  }

  /** Returns `Ready=True/Settled` by type. */
  conditions(key = 'default/a'): Readonly<Record<string, string>> {
    // Written by the reconciler.
    const conditions = (at(this.site(key), 'status', 'conditions') ?? []) as unknown as readonly Condition[]
    return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status}/${reason}`]))
  }

  /** Returns the message of a condition; undefined if there is none. */
  message(type: string, key = 'default/a'): string | undefined {
    const conditions = (at(this.site(key), 'status', 'conditions') ?? []) as unknown as readonly Condition[]
    return conditions.find((condition) => condition.type === type)?.message
  }

  /** Starts a controller and runs until idle. */
  async live(controller: Controller = siteController(), options: LifeOptions = {}): Promise<Life> {
    const life = new Life(this, controller, options)
    await this.clock.advance(0)
    return life
  }

  get instruments(): Instruments {
    const log = (level: string) => (fields: LogFields, message: string) =>
      void this.lines.push({ level, fields, message })
    const lines = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
    const all: Instruments['log'] = { ...lines, with: () => all }
    return { ...silentInstruments, log: all, metrics: this.#metrics, tracer: this.#tracer }
  }
}

export interface LifeOptions {
  readonly namespaces?: readonly string[]
  readonly maxConcurrent?: number
  /** Until it resolves, the process is a standby. Default: works at once. */
  readonly mayWork?: Promise<void>
  /** Seed of the secrets of the process. Default 1. */
  readonly secretSeed?: number
  /** Default: always open. */
  readonly gate?: EffectGate
}

export class Life {
  readonly #world: World
  readonly #stop = new AbortController()
  readonly #informers: Informers
  readonly #runner: ControllerRunner
  readonly #ended: Promise<void>

  constructor(
    world: World,
    controller: Controller,
    { namespaces, maxConcurrent = 4, mayWork, secretSeed = 1, gate }: LifeOptions,
  ) {
    const { clock, api: client, instruments } = world
    const surroundings = { clock, random: seededRandom(1), instruments, client }
    this.#world = world
    this.#informers = new Informers({ ...surroundings, keepsFieldsOf: isChildManager, namespaces })
    this.#runner = new ControllerRunner({
      identity: identityOf('konverge'),
      ...surroundings,
      secrets: seededSecrets(secretSeed),
      discovery: new DiscoveryClient({ clock, client }),
      informers: this.#informers,
      controller,
      maxConcurrent,
      tools: new ToolBox(surroundings),
      gate,
      recordEvent: (_, event) => void world.events.push(event),
    })
    this.#informers.start(this.#stop.signal)
    this.#ended = this.#runner.run(this.#stop.signal, mayWork)
  }

  get runner(): ControllerRunner {
    return this.#runner
  }

  /** Ends as after a signal: reconciles may end first. */
  async drain(): Promise<void> {
    const drained = this.#runner.drain(1_000)
    await this.#world.clock.advance(1_000)
    await drained
    await this.end()
  }

  /** Ends as after a crash. */
  async end(): Promise<void> {
    this.#stop.abort(new Error('the end of this life'))
    await this.#world.clock.advance(0)
    await this.#ended
    await this.#informers.stop()
  }
}
