// Options of the operator that `run` starts, from the flags and the settings of its program. Invariant: a flag
// overrides its setting, and a setting without a flag is unchanged. Pure.
import type { ListenAddress, MetricsServing, RunOperatorOptions } from '../index.ts'
import { type LogLevel, logLevels } from '../telemetry/logger.ts'
import { CommandError } from './command-error.ts'
import { type MetricsKind, metricsPort } from './metrics-option.ts'
import type { OperatorSettings } from './program.ts'
import { type ShardingFlags, shardingOf } from './sharding-option.ts'

/** Flags of the command line; absent: the settings of the program apply, or the defaults of `runOperator`. */
export interface RunFlags
  extends ShardingFlags,
    Pick<RunOperatorOptions, 'kubeconfig' | 'context' | 'maxConcurrent' | 'metricsPerResource' | 'backoff'> {
  /** Name of the operator. */
  readonly name: string
  readonly namespaces?: readonly string[] | undefined
  readonly selector?: string | undefined
  readonly httpPort?: number | undefined
  readonly httpHost?: string | undefined
  readonly metrics?: MetricsKind | undefined
  readonly metricsPort?: number | undefined
  readonly logLevel?: string | undefined
  readonly leaderElect?: boolean | undefined
  readonly leaseName?: string | undefined
  readonly leaseNamespace?: string | undefined
  /** This and the next two are in milliseconds. */
  readonly leaseDuration?: number | undefined
  readonly renewDeadline?: number | undefined
  readonly retryPeriod?: number | undefined
}

type Certificate = Extract<MetricsServing, { readonly kind: 'protected' }>['certificate']

/** Options that the command sets. */
export type RunBase = Pick<RunOperatorOptions, 'controllers' | 'environment' | 'output' | 'userAgent'>

/**
 * Returns the options. `certificate` comes from the flag --metrics-certificate. Throws a CommandError of exit code 2
 * for invalid flags.
 */
export function runOptionsOf(
  base: RunBase,
  {
    flags,
    settings,
    certificate,
  }: {
    readonly flags: RunFlags
    readonly settings: OperatorSettings
    readonly certificate?: Certificate
  },
): RunOperatorOptions {
  const { name, kubeconfig, context, namespaces, selector, maxConcurrent, metricsPerResource, backoff, logLevel } =
    flags
  const { rights: _, onStarted: __, ...operator } = settings
  return {
    ...operator,
    ...base,
    ...given({ kubeconfig, context, namespaces, maxConcurrent, metricsPerResource, backoff }),
    ...given({ labelSelector: selector, logLevel: logLevel === undefined ? undefined : levelOf(logLevel) }),
    name,
    sharding: shardingOf(flags, settings),
    http: httpOf(flags, settings.http),
    metrics: metricsOf(flags, settings.metrics, certificate),
    leaderElection: {
      ...settings.leaderElection,
      ...given({
        enabled: flags.leaderElect,
        leaseName: flags.leaseName,
        leaseNamespace: flags.leaseNamespace,
        leaseDurationMs: flags.leaseDuration,
        renewDeadlineMs: flags.renewDeadline,
        retryPeriodMs: flags.retryPeriod,
      }),
    },
  }
}

/** Removes undefined fields, so that they override nothing. */
function given<Fields extends object>(fields: Fields): Partial<Fields> {
  // Sound: fields are only left out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
}

const everywhere: ListenAddress = { host: '0.0.0.0', port: 8080 }

function httpOf({ httpHost, httpPort }: RunFlags, own: RunOperatorOptions['http']): RunOperatorOptions['http'] {
  if (httpHost === undefined && httpPort === undefined) return own
  const address = own === undefined || own === 'off' ? everywhere : own
  return { host: httpHost ?? address.host, port: httpPort ?? address.port }
}

/** Keeps address and certificate of the program's metrics if the flags name the same kind. */
function metricsOf(
  { metrics, metricsPort: port, httpHost: host }: RunFlags,
  own: MetricsServing | undefined,
  certificate: Certificate,
): MetricsServing | undefined {
  if (metrics === undefined && port === undefined && certificate === undefined) return own
  const kind = metrics ?? own?.kind ?? 'loopback'
  if (kind === 'off' || kind === 'loopback') return { kind }
  const served = own !== undefined && own.kind === kind && 'port' in own ? own : undefined
  const shown = certificate ?? served?.certificate
  const address = { host: host ?? served?.host ?? everywhere.host, port: port ?? served?.port ?? metricsPort }
  if (shown !== undefined) return { kind, ...address, certificate: shown }
  return kind === 'open' ? { kind } : { kind, ...address }
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level !== undefined) return level
  throw new CommandError(`--log-level: '${text}' is no level; choose from ${logLevels.join(', ')}`, 2)
}
