// Wires the operator: the only place where clock, chance, connection, logs, metrics and controllers meet.
import { deadline, systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { type ConnectionSource, loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient } from '../kube/rest-client.ts'
import { Operator } from '../operator/operator.ts'
import { HealthRegistry } from '../telemetry/health.ts'
import { HttpServer } from '../telemetry/http-server.ts'
import { createLogger, type LogLevel, logLevels } from '../telemetry/logger.ts'
import { PrometheusMetrics } from '../telemetry/metrics.ts'
import { CommandError } from './command-error.ts'
import { controllersNamed } from './flagship.ts'
import { packageVersion } from './package-folder.ts'

export interface RunOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where log lines go. */
  readonly output: { write(text: string): unknown }
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespaces: readonly string[]
  readonly selector?: string
  readonly controllers: readonly string[]
  readonly maxConcurrent: number
  readonly backoff: { readonly baseMs: number; readonly capMs: number }
  readonly httpPort: number
  readonly httpHost: string
  readonly logLevel: string
}

/** What requests under way get to end when the operator stops. */
const closeLimitMs = 1_000

/** Runs until the signal aborts. Rejects with one sentence when the operator cannot begin. */
export async function run(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { environment, kubeconfig, context, namespaces, selector, maxConcurrent, backoff, httpPort, httpHost } = options
  const controllers = controllersNamed(options.controllers)
  const clock = systemClock
  const log = createLogger({ clock, level: levelOf(options.logLevel), destination: options.output })
  const metrics = new PrometheusMetrics({ processMetrics: true })
  const instruments = { log, metrics }
  const source: ConnectionSource =
    kubeconfig === undefined ? { kind: 'default' } : { kind: 'files', paths: [kubeconfig] }
  const connection = await loadConnection({ clock, source, environment, context }, signal)
  const client = new RestClient({ connection, clock, instruments, userAgent: `konverge/${packageVersion()}` })
  const health = new HealthRegistry()
  const server = new HttpServer({ clock, instruments, health, exposition: metrics, host: httpHost, port: httpPort })
  // Not ready from the first probe on, until the operator's own checks take over.
  const removeStarting = health.add({
    probe: 'ready',
    name: 'start',
    check: () => 'the API server has not been reached yet',
  })
  try {
    const { host, port } = await server.start(signal)
    log.info({ host, port }, 'serving health and metrics')
    const operator = new Operator({
      ...{ clock, random: systemRandom, instruments, client, health, controllers, maxConcurrent, backoff },
      namespaces: namespaces.length === 0 ? undefined : namespaces,
      labelSelector: selector,
      instance: environment.HOSTNAME,
      onStarted: removeStarting,
    })
    await operator.run(signal)
  } finally {
    await server.stop()
    const limit = deadline(clock, closeLimitMs, new AbortController().signal)
    await client.close(limit.signal)
    limit.clear()
  }
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level === undefined)
    throw new CommandError(`--log-level: '${text}' is no level; choose from ${logLevels.join(', ')}`, 2)
  return level
}
