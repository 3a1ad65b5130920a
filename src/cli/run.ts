// Runs the flagship's controllers: turns the command line's words into the options of an operator.
import type { LogLevel, RunOperatorOptions } from '../index.ts'
import { runOperator } from '../index.ts'
import { LeaderElectionError } from '../operator/leader-election.ts'
import { logLevels } from '../telemetry/logger.ts'
import { type AllowLists, policyOf } from './allow-lists.ts'
import { CommandError } from './command-error.ts'
import { controllersNamed } from './flagship.ts'
import { packageVersion } from './package-folder.ts'

export interface RunOptions
  extends AllowLists,
    Pick<RunOperatorOptions, 'environment' | 'output' | 'kubeconfig' | 'context' | 'maxConcurrent' | 'backoff'> {
  readonly namespaces: readonly string[]
  readonly selector?: string
  readonly controllers: readonly string[]
  readonly httpPort: number
  readonly httpHost: string
  readonly logLevel: string
  /** Absent: in a cluster only. */
  readonly leaderElect?: boolean
  readonly leaseName: string
  readonly leaseNamespace?: string
  /** These three in milliseconds. */
  readonly leaseDuration?: number
  readonly renewDeadline?: number
  readonly retryPeriod?: number
}

/** Runs until the signal aborts. Rejects with one sentence when the operator cannot begin. */
export async function run(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { environment, output, kubeconfig, context, namespaces, selector, maxConcurrent, backoff } = options
  const operator = runOperator(
    {
      environment,
      output,
      kubeconfig,
      context,
      maxConcurrent,
      backoff,
      labelSelector: selector,
      controllers: controllersNamed(options.controllers, {
        image: environment['KONVERGE_IMAGE'],
        policy: policyOf(options),
      }),
      userAgent: `konverge/${packageVersion()}`,
      namespaces: namespaces.length === 0 ? undefined : namespaces,
      http: { host: options.httpHost, port: options.httpPort },
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

function levelOf(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level === undefined) {
    throw new CommandError(`--log-level: '${text}' is no level; choose from ${logLevels.join(', ')}`, 2)
  }
  return level
}
