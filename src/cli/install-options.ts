// Properties of an operator's installation, from the options of `install` and the settings of its program: rights,
// replicas, arguments of its pods. Invariant: the rights match the arguments. Pure.
import type { OperatorInstallProps } from '../../constructs/index.ts'
import { rightsOf } from '../generate/rbac.ts'
import type { Controller, Sharding } from '../index.ts'
import { electionOptionsOf } from '../operator/sharding.ts'
import { CommandError } from './command-error.ts'
import { type MetricsKind, metricsPort } from './metrics-option.ts'
import { type FlagValues, longNameOf, type OperatorCliOptions, type OperatorSettings } from './program.ts'
import { checkSharding, type ShardingFlags, shardingOf } from './sharding-option.ts'

export interface InstallFlags extends ShardingFlags {
  /** Name of the operator and its objects. */
  readonly name: string
  /** Default: `<name>-system`. */
  readonly namespace?: string | undefined
  /** Container image. Default: that of the program. */
  readonly image?: string | undefined
  /** Number of pods. Default: 2, or 1 if the program elects no leader. */
  readonly replicas?: number | undefined
  /** Namespaces to serve. Default: those of the program, else `default`. */
  readonly namespaces?: readonly string[] | undefined
  /** Serves all namespaces instead, with rights on every Secret of the cluster. */
  readonly allNamespaces?: boolean | undefined
  readonly selector?: string | undefined
  /** Readers of /metrics. Default: those of the program, else `protected`. */
  readonly metrics?: MetricsKind | undefined
  /** TCP ports that the pods may connect to. Default: those of the program. */
  readonly egressPorts?: readonly number[] | undefined
  /** Adds the NetworkPolicies of the pods of konverge's own kinds. Default: false. */
  readonly includesDataPods?: boolean | undefined
  /** Names of the controllers to run; empty: all. */
  readonly controllers: readonly string[]
}

export interface Installed {
  readonly program: OperatorCliOptions
  /** Flags of the program, passed to the operator. */
  readonly flags: FlagValues
  readonly settings: OperatorSettings
  readonly controllers: readonly Controller[]
}

/** HTTPS, and the usual other port of API servers. */
const defaultEgressPorts = [443, 6443]

/**
 * Returns all properties except the kinds that people get rights on. Throws a CommandError of exit code 2 for options
 * that contradict each other.
 */
export function installPropsOf(given: InstallFlags, installed: Installed): Omit<OperatorInstallProps, 'kinds'> {
  const { program, settings } = installed
  const { name, namespace, image = program.image } = given
  if (image === undefined) throw new CommandError('--image is missing: give the container image of the operator', 2)
  const sharding = shardingOf(given, settings)
  const namespaces = servedBy(given, settings)
  checkSharding(sharding, {
    ...{ namespaces, labelSelector: given.selector ?? settings.labelSelector },
    ...{ electsLeader: settings.leaderElection?.enabled, runnables: settings.runnables },
    controllers: installed.controllers,
  })
  const metrics = given.metrics ?? settings.metrics?.kind ?? 'protected'
  const port = metricsPortOf(metrics, settings)
  const graceSeconds = graceSecondsOf(settings)
  return {
    ...{ name, image, replicas: replicasOf(given, settings) },
    ...(namespace === undefined ? {} : { namespace }),
    ...(sharding?.kind === 'selection' ? { shard: sharding.name } : {}),
    args: argumentsOf(given, { ...installed, namespaces, metrics }).map(literalArgument),
    rules: rulesOf(name, sharding, { ...installed, metrics }),
    networkPolicy: {
      includesDataPods: given.includesDataPods ?? false,
      egressPorts: given.egressPorts ?? program.egressPorts ?? defaultEgressPorts,
    },
    ...(port === undefined ? {} : { metricsPort: port }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: graceSeconds }),
  }
}

function rulesOf(
  name: string,
  sharding: Sharding | undefined,
  { controllers, settings, metrics }: Installed & { readonly metrics: MetricsKind },
): OperatorInstallProps['rules'] {
  const { runnables, rights, leaderElection = {} } = settings
  const { leaseName } = electionOptionsOf(name, sharding, leaderElection)
  const isSharded = sharding?.kind === 'hash'
  return rightsOf({
    name,
    controllers,
    runnables,
    rights,
    leaseName,
    isSharded,
    protectsMetrics: metrics === 'protected',
  })
}

/** Returns the namespaces to serve; undefined: all, which the user must request explicitly. */
function servedBy(
  { namespaces, allNamespaces = false }: InstallFlags,
  { namespaces: own }: OperatorSettings,
): readonly string[] | undefined {
  if (!allNamespaces) return namespaces ?? own ?? ['default']
  if (namespaces !== undefined) {
    throw new CommandError('--all-namespaces and --namespaces exclude each other; give one of them', 2)
  }
  if (own === undefined) return undefined
  throw new CommandError(`--all-namespaces: the program serves ${own.join()} only; leave the option out`, 2)
}

function replicasOf({ replicas }: InstallFlags, { leaderElection }: OperatorSettings): number {
  if (leaderElection?.enabled !== false) return replicas ?? 2
  if (replicas === undefined || replicas === 1) return 1
  throw new CommandError(
    `--replicas: the program elects no leader, and ${replicas} pods would work at once; install one`,
    2,
  )
}

/** Returns the port of /metrics; undefined if the port of the probes serves them or nothing does. */
function metricsPortOf(kind: MetricsKind, { metrics }: OperatorSettings): number | undefined {
  if (metrics?.kind === kind && 'port' in metrics) return metrics.port
  return kind === 'protected' ? metricsPort : undefined
}

/** Time of a stop without the grace period of running reconciles. */
const otherStopMs = 7_500
const usualGraceSeconds = 30

/** Returns the termination grace period in seconds; undefined if Kubernetes' default is enough. */
function graceSecondsOf({ gracefulShutdownMs = 0 }: OperatorSettings): number | undefined {
  const seconds = Math.ceil((gracefulShutdownMs + otherStopMs) / 1_000)
  return seconds > usualGraceSeconds ? seconds : undefined
}

function argumentsOf(
  given: InstallFlags,
  {
    program,
    flags,
    namespaces,
    metrics,
    settings,
  }: Installed & {
    readonly namespaces: readonly string[] | undefined
    readonly metrics: MetricsKind
  },
): readonly string[] {
  const { name, shard, shardByHash, selector, controllers } = given
  return [
    'run',
    ...(name === program.name ? [] : [`--name=${name}`]),
    ...(namespaces === undefined ? [] : [`--namespaces=${namespaces.join()}`]),
    ...(selector === undefined ? [] : [`--selector=${selector}`]),
    ...(shard === undefined ? [] : [`--shard=${shard}`]),
    ...(shardByHash === true ? ['--shard-by-hash'] : []),
    ...(controllers.length > 0 ? [`--controllers=${controllers.join()}`] : []),
    `--metrics=${metrics}`,
    // The kubelet probes this port of the pod.
    ...(typeof settings.http === 'object' ? ['--http-host=0.0.0.0', '--http-port=8080'] : []),
    ...flagArguments(program, flags),
  ]
}

/** Escapes `$`: Kubernetes expands `$(NAME)` in arguments of containers, and reads `$$` as `$`. */
function literalArgument(argument: string): string {
  return argument.replaceAll('$', '$$$$')
}

/** Returns the flags as arguments of `run`, in the order of their declaration. */
function flagArguments({ flags: declared = [] }: OperatorCliOptions, flags: FlagValues): readonly string[] {
  return declared.flatMap(({ flag }) => {
    const name = longNameOf(flag)
    const value = flags[name]
    if (value === undefined) return []
    return [value === true ? `--${name}` : `--${name}=${value}`]
  })
}
