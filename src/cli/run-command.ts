// The command `run` and its options.
import process from 'node:process'
import type { Command } from 'commander'
import { metricsPort } from './metrics-option.ts'
import { flagValuesOf, withCluster, withControllers, withFlags, withMetrics } from './option-sets.ts'
import { backoff, names, operatorName, port, positive, seconds, selector } from './option-values.ts'
import type { OperatorCliOptions } from './program.ts'
import { withSharding } from './sharding-option.ts'

export function addRun(program: Command, options: OperatorCliOptions, signal: AbortSignal): void {
  const run = program
    .command('run')
    .description('run the operator against a cluster')
    .option(
      '--name <name>',
      'the operator’s name; a second operator of these kinds needs another one',
      operatorName,
      options.name,
    )
  withCluster(run)
    .option(
      '--namespaces <names>',
      'manage resources in these namespaces only, separated by commas (default: all)',
      names,
    )
    .option('--selector <labels>', 'manage resources with these labels only', selector)
  withControllers(withSharding(run))
    .option('--max-concurrent <number>', 'reconciles at once, for each controller (default: 10)', positive)
    .option('--metrics-per-resource', 'give every resource metrics of its own, not only those that need attention')
    .option(
      '--backoff <base-cap>',
      'seconds between retries of one resource, from first to longest (default: 5-300)',
      backoff,
    )
    .option('--http-port <port>', 'port of /healthz and /readyz; 0 takes any free one (default: 8080)', port)
    .option('--http-host <address>', 'address of /healthz and /readyz (default: 0.0.0.0)')
  withMetrics(run, 'loopback')
    .option('--metrics-port <port>', `port of metrics by HTTPS (default: ${metricsPort})`, port)
    .option(
      '--metrics-certificate <folder>',
      'with tls.crt and tls.key (default: one that the operator signs itself; with --metrics open, HTTP)',
    )
    .option('--leader-elect', 'act only while holding a lease (default: in a cluster)')
    .option('--no-leader-elect', 'act alone, whoever else does')
    .option('--lease-name <name>', 'the lease that the replicas share (default: the operator’s name)')
    .option('--lease-namespace <namespace>', 'where the lease is (default: the pod’s namespace)')
    .option('--lease-duration <seconds>', 'how long standbys wait for a silent leader (default: 15)', seconds)
    .option('--renew-deadline <seconds>', 'how long a leader writes after its last renewal (default: 10)', seconds)
    .option('--retry-period <seconds>', 'from one renewal of the lease to the next (default: 2)', seconds)
    .option('--log-level <level>', 'debug, info, warn or error (default: info)')
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
