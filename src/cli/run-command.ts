// Command `run` and its options.
import process from 'node:process'
import type { Command } from 'commander'
import { metricsPort } from './metrics-option.ts'
import { flagValuesOf, withCluster, withControllers, withFlags, withMetrics } from './option-sets.ts'
import { backoff, duration, names, operatorName, port, positive, selector } from './option-values.ts'
import type { OperatorCliOptions } from './program.ts'
import { withSharding } from './sharding-option.ts'

export function addRun(program: Command, options: OperatorCliOptions, signal: AbortSignal): void {
  const run = program
    .command('run')
    .description('run the operator against a cluster')
    .option(
      '--name <name>',
      'name of the operator; a second operator of these kinds needs another name',
      operatorName,
      options.name,
    )
  withCluster(run)
    .option(
      '--namespaces <names>',
      'manage only resources in these namespaces, separated by commas (default: all)',
      names,
    )
    .option('--selector <labels>', 'manage only resources with these labels (default: all)', selector)
  withControllers(withSharding(run))
    .option('--max-concurrent <number>', 'maximum concurrent reconciles of each controller (default: 10)', positive)
    .option(
      '--metrics-per-resource',
      'expose condition metrics for every resource, not only for those that need attention',
    )
    .option(
      '--backoff <base-cap>',
      'first and longest delay between retries of one resource (default: 5s-300s)',
      backoff,
    )
    .option('--http-port <port>', 'port of /healthz and /readyz; 0 takes any free port (default: 8080)', port)
    .option('--http-host <address>', 'address of /healthz and /readyz (default: 0.0.0.0)')
  withMetrics(run, 'loopback')
    .option('--metrics-port <port>', `port of /metrics over HTTPS (default: ${metricsPort})`, port)
    .option(
      '--metrics-certificate <folder>',
      'folder with tls.crt and tls.key (default: a self-signed certificate; with --metrics open, HTTP)',
    )
    .option('--leader-elect', 'write only while this process holds the Lease (default: in a cluster)')
    .option('--no-leader-elect', 'write without a Lease, also beside other replicas')
    .option('--lease-name <name>', 'name of the Lease of all replicas (default: the operator’s name)')
    .option('--lease-namespace <namespace>', 'namespace of the Lease (default: the pod’s namespace)')
    .option(
      '--lease-duration <duration>',
      'time after the last renewal when a standby takes over (default: 15s)',
      duration,
    )
    .option(
      '--renew-deadline <duration>',
      'time after its last renewal when the leader stops writing (default: 10s)',
      duration,
    )
    .option('--retry-period <duration>', 'interval of renewals of the Lease (default: 2s)', duration)
    .option('--log-level <level>', 'lowest level of the log: debug, info, warn or error (default: info)')
  withFlags(run, 'run', options).action(async (given) =>
    (await import('./run.ts')).run(
      {
        ...given,
        program: options,
        flags: flagValuesOf(options, given),
        environment: process.env,
        output: process.stdout,
      },
      signal,
    ),
  )
}
