// Operator in this process against the embedded server; a faulty path between them injects faults. It can be killed and
// started again like a process by SIGKILL. Invariant: after its end no timer of a process runs, and no response reaches
// it.

import type { Instruments } from '../../src/base/instrument.ts'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { localControllers } from '../../src/cli/flagship.ts'
import { Fence } from '../../src/kube/fence.ts'
import { FencedClient } from '../../src/kube/fenced-client.ts'
import { FetchClient } from '../../src/kube/fetch-client.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { identityOf } from '../../src/object/identity.ts'
import { Elector } from '../../src/operator/elector.ts'
import { leaderElectionOf } from '../../src/operator/leader-election.ts'
import { Operator } from '../../src/operator/operator.ts'
import { HealthRegistry, healthText } from '../../src/telemetry/health.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { OpenTelemetryTracer } from '../../src/telemetry/tracer.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import { usualLimitMs } from '../control-plane/wait-until.ts'
import { FaultyFetch } from '../fault-lab/faulty-fetch.ts'
import { LifeClock } from './life-clock.ts'
import { type LogLine, metricIn } from './operator-process.ts'
import type { MortalOperator, OperatorAsk, OperatorEnd } from './story-server.ts'

export interface EmbeddedOperatorOptions extends OperatorAsk {
  readonly cluster: TestCluster
  readonly fetch: (request: Request) => Promise<Response>
  readonly token: string
  /** Seed of the operator's random numbers and of its identity; unique for each operator. */
  readonly seed: number
  readonly logsTurns?: boolean
}

/** Default request timeout of `konverge run`. */
const requestMs = 30_000
const stopLimitMs = 20_000
const stepMs = 20

interface Life {
  readonly clock: LifeClock
  readonly health: HealthRegistry
  readonly metrics: PrometheusMetrics
  readonly lines: LogLine[]
  readonly stop: AbortController
  readonly ended: Promise<OperatorEnd>
  end: OperatorEnd | undefined
}

export class EmbeddedOperator implements MortalOperator {
  readonly way: FaultyFetch
  readonly #options: EmbeddedOperatorOptions
  #lives = 0
  #life: Life | undefined

  constructor(options: EmbeddedOperatorOptions) {
    this.#options = options
    this.way = new FaultyFetch({ clock: options.cluster.clock, fetch: options.fetch })
  }

  start(): this {
    const {
      cluster,
      controllers = localControllers,
      namespaces = [],
      backoff,
      userAgent = 'konverge/test',
    } = this.#options
    const clock = new LifeClock(cluster.clock)
    const random = seededRandom(this.#options.seed * 1_000 + ++this.#lives)
    const lines: LogLine[] = []
    const { name, leaseManager } = identityOf('konverge')
    const metrics = new PrometheusMetrics({ operator: name })
    const write = (text: string) => clock.isDead || lines.push(JSON.parse(text) as LogLine)
    const level = this.#options.logsTurns === true ? 'debug' : 'info'
    const log = createLogger({ clock, level, destination: { write } })
    const instruments: Instruments = { log, metrics, tracer: new OpenTelemetryTracer() }
    const identity = `operator_${random.uuid().slice(0, 8)}`
    const client = this.#clientOf(clock, `${userAgent} (${identity})`)
    const standing = { enabled: this.#options.election !== undefined, ...this.#options.election }
    const election = leaderElectionOf(standing, { operatorName: name, identity, podNamespace: undefined })
    const fence = new Fence(clock)
    const health = new HealthRegistry()
    const check = () => 'the API server has not been reached yet'
    const operator = new Operator({
      ...{ name, clock, random, instruments, health, controllers, backoff },
      // Secrets of this process only: a later process never draws the same values.
      secrets: seededSecrets(this.#options.seed * 1_000 + this.#lives),
      namespaces: namespaces.length === 0 ? undefined : namespaces,
      client: election === undefined ? client : new FencedClient({ client, fence }),
      elector:
        election && new Elector({ ...election, fieldManager: leaseManager, clock, instruments, random, client, fence }),
      onStarted: health.add({ probe: 'ready', name: 'start', check }),
    })
    const stop = new AbortController()
    const ended = operator.run(stop.signal).then(
      (): OperatorEnd => ({ code: 0, message: '' }),
      (thrown: Error): OperatorEnd => ({ code: 1, message: thrown.message }),
    )
    const life: Life = { clock, health, metrics, lines, stop, ended, end: undefined }
    void ended.then((end) => {
      life.end = end
    })
    this.#life = life
    return this
  }

  async ready(limitMs = usualLimitMs): Promise<this> {
    await this.until('the operator to be ready', async () => (await this.get('/readyz')).status === 200, limitMs)
    return this
  }

  get lines(): readonly LogLine[] {
    return this.#living.lines
  }

  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const { health, metrics } = this.#living
    if (path === '/metrics') return { status: 200, text: await metrics.text() }
    const report = health.report(path.startsWith('/readyz') ? 'ready' : 'live')
    const text = healthText(report, { isVerbose: path.endsWith('?verbose') })
    return { status: report.isOk ? 200 : 503, text }
  }

  async metric(name: string, labels = ''): Promise<number> {
    return metricIn(await this.#living.metrics.text(), name, labels)
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = usualLimitMs): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += stepMs) {
      this.throwIfEnded()
      if (passedMs > limitMs) throw new Error(`Waited ${limitMs / 1000} s for ${what}.`)
      await this.#options.cluster.advance(stepMs)
    }
  }

  throwIfEnded(): void {
    const { end } = this.#living
    if (end !== undefined) throw new Error(`the operator has ended: ${end.message}`)
  }

  async exit(): Promise<OperatorEnd> {
    const life = this.#living
    for (let passedMs = 0; life.end === undefined; passedMs += stepMs) {
      if (passedMs > stopLimitMs) throw new Error(`Waited ${stopLimitMs / 1000} s for the operator to end.`)
      await this.#options.cluster.advance(stepMs)
    }
    return life.end
  }

  async kill(): Promise<void> {
    this.#life?.clock.end()
    this.way.line = 'up'
  }

  sleep(): void {
    this.#living.clock.sleep()
  }

  wake(): void {
    this.#living.clock.wake()
  }

  async stop(): Promise<OperatorEnd> {
    const life = this.#life
    if (life === undefined || life.clock.isDead) return { code: 0, message: '' }
    life.clock.wake()
    life.stop.abort(new DOMException('the test stops the operator', 'AbortError'))
    const end = await this.exit()
    life.clock.end()
    return end
  }

  get #living(): Life {
    if (this.#life === undefined) throw new Error('the operator has not been started')
    return this.#life
  }

  #clientOf(clock: LifeClock, userAgent: string): RestClient {
    const { token } = this.#options
    const fetch = (request: Request) =>
      new Promise<Response>((resolve, reject) => {
        if (clock.isDead) return
        this.way.fetch(request).then(
          (answer) => clock.whenAwake(() => resolve(heardBy(clock, answer))),
          (thrown: unknown) => clock.whenAwake(() => reject(thrown)),
        )
      })
    return new RestClient({ http: new FetchClient({ fetch, token, userAgent, limit: { clock, requestMs } }) })
  }
}

/** Returns the same response; its body delivers nothing while the process sleeps. */
function heardBy(clock: LifeClock, { body, status, headers }: Response): Response {
  if (body === null) return new Response(null, { status, headers })
  const reader = body.getReader()
  const heard = new ReadableStream<Uint8Array>({
    pull: async (sink) => {
      const { value, done } = await reader.read()
      await new Promise<void>((resolve) => clock.whenAwake(resolve))
      if (done) sink.close()
      else sink.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(heard, { status, headers })
}
