// The command `run` and its options.
import process from 'node:process'
import type { Command } from 'commander'
import { metricsPort } from './metrics-option.ts'
import { flagValuesOf, withCluster, withFlags, withMetrics } from './option-sets.ts'
import { backoff, names, operatorName, port, positive, seconds } from './option-values.ts'
import type { OperatorCliOptions } from './program.ts'

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
    .option('--namespaces <names>', 'look after resources in these namespaces only, separated by commas', names, [])
    .option('--selector <labels>', 'look after resources with these labels only')
    .option('--controllers <names>', 'run these controllers only, separated by commas', names, [])
    .option('--max-concurrent <turns>', 'turns at once, for each controller', positive, 10)
    .option('--metrics-per-resource', 'give every resource metrics of its own, not only those that need attention')
    .option('--backoff <base-cap>', 'seconds between retries of one resource, from first to longest', backoff, {
      baseMs: 5_000,
      capMs: 300_000,
    })
    .option('--http-port <port>', 'where /healthz and /readyz are served; 0 takes any free port', port, 8080)
    .option('--http-host <address>', 'the address to serve them on', '0.0.0.0')
  withMetrics(run, 'loopback')
    .option('--metrics-port <port>', 'where metrics are served by HTTPS', port, metricsPort)
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
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
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
