// Runs the controllers of a program: turns the command line's words into the options of an operator.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import type { LogLevel, RunOperatorOptions } from '../index.ts'
import { runOperator } from '../index.ts'
import { LeaderElectionError } from '../operator/leader-election.ts'
import { logLevels } from '../telemetry/logger.ts'
import { chosenControllers } from './chosen-controllers.ts'
import { CommandError } from './command-error.ts'
import type { MetricsKind } from './metrics-option.ts'
import { type FlagValues, type OperatorCliOptions, userAgentOf } from './program.ts'

export interface RunOptions
  extends Pick<
    RunOperatorOptions,
    'environment' | 'output' | 'kubeconfig' | 'context' | 'maxConcurrent' | 'metricsPerResource' | 'backoff'
  > {
  readonly program: OperatorCliOptions
  readonly flags: FlagValues
  /** Of the operator. */
  readonly name: string
  readonly namespaces: readonly string[]
  readonly selector?: string
  readonly controllers: readonly string[]
  readonly httpPort: number
  readonly httpHost: string
  readonly metrics: MetricsKind
  readonly metricsPort: number
  /** A folder with tls.crt and tls.key. */
  readonly metricsCertificate?: string
  readonly logLevel: string
  /** Absent: in a cluster only. */
  readonly leaderElect?: boolean
  readonly leaseName?: string
  readonly leaseNamespace?: string
  /** These three in milliseconds. */
  readonly leaseDuration?: number
  readonly renewDeadline?: number
  readonly retryPeriod?: number
}

/** Runs until the signal aborts. Rejects with one sentence when the operator cannot begin. */
export async function run(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { program, flags, environment, output, kubeconfig, context, namespaces, selector, maxConcurrent, backoff } =
    options
  const controllers = await chosenControllers(program, { names: options.controllers, environment, flags })
  const operator = runOperator(
    {
      name: options.name,
      environment,
      output,
      kubeconfig,
      context,
      maxConcurrent,
      metricsPerResource: options.metricsPerResource,
      backoff,
      labelSelector: selector,
      controllers,
      userAgent: userAgentOf(program),
      namespaces: namespaces.length === 0 ? undefined : namespaces,
      http: { host: options.httpHost, port: options.httpPort },
      metrics: await metricsOf(options),
      logLevel: levelOf(options.logLevel),
      leaderElection: {
        enabled: options.leaderElect,
        leaseName: options.leaseName,
        leaseNamespace: options.leaseNamespace,
        leaseDurationMs: options.leaseDuration,
        renewDeadlineMs: options.renewDeadline,
        retryPeriodMs: options.retryPeriod,
      },
    },
    signal,
  )
  await operator.catch((thrown: unknown) => {
    throw thrown instanceof LeaderElectionError ? new CommandError(thrown.message, 2) : thrown
  })
}

async function metricsOf(options: RunOptions): Promise<RunOperatorOptions['metrics']> {
  const { metrics: kind, httpHost: host, metricsPort: port, metricsCertificate: folder } = options
  if (kind === 'off' || kind === 'loopback') return { kind }
  if (folder === undefined) return kind === 'open' ? { kind } : { kind, host, port }
  const read = async (file: string) => {
    return await readFile(join(folder, file), 'utf8').catch((thrown: unknown) => {
      throw new CommandError(`--metrics-certificate: ${messageOf(thrown)}`, 2)
    })
  }
  return { kind, host, port, certificate: { cert: await read('tls.crt'), key: await read('tls.key') } }
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level === undefined) {
    throw new CommandError(`--log-level: '${text}' is no level; choose from ${logLevels.join(', ')}`, 2)
  }
  return level
}
