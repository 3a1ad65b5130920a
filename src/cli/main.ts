#!/usr/bin/env node
// The command line. Reads arguments, environment and signals, and hands values to the command; a fault is one sentence on
// standard error and an exit code.
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Work } from '../controllers/backup/work-order.ts'
import type { WorkStep } from '../controllers/backup/work-runner.ts'
import { operatorNameProblem } from '../object/identity.ts'
import { allowComplaint, allowFlags } from './allow-lists.ts'
import { CommandError } from './command-error.ts'
import { compileCacheFolder } from './compile-cache-folder.ts'
import { type MetricsKind, metricsKinds, metricsPort } from './metrics-option.ts'
import { ownImage } from './own-image.ts'
import { packageVersion } from './package-folder.ts'

// What the commands load is compiled once for many starts. Where the cache cannot be written, nothing is lost but time.
const compiled = compileCacheFolder(process.env)
if (compiled !== undefined) enableCompileCache(compiled)
process.exitCode = await main(process.argv)

async function main(argv: readonly string[]): Promise<number> {
  const stop = new AbortController()
  // The first signal asks to end in order; Node's own default is back for the second, which ends at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stop.abort(new CommandError(`ended by ${signal}`, 1)))
  try {
    await programWith(stop.signal).parseAsync(argv)
    return 0
  } catch (thrown) {
    return report(thrown)
  }
}

function programWith(signal: AbortSignal): Command {
  const program = new Command('konverge')
  program.description('An operator runtime for Kubernetes, and its database operator.').version(packageVersion())
  program
    .exitOverride()
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .showHelpAfterError(false)
  addRun(program, signal)
  addInstall(program, signal)
  addApiserver(program, signal)
  addDev(program)
  addWorker(program, signal)
  program
    .command('preview')
    .description('print the manifests of resources, without a cluster')
    .requiredOption('-f, --filename <file...>', 'YAML files with the resources; - is standard input')
    .action(async ({ filename }: { filename: string[] }) =>
      (await import('./preview.ts')).preview(
        { files: filename, write: (text) => void process.stdout.write(text) },
        signal,
      ),
    )
  program
    .command('generate')
    .description('write constructs, types and descriptors from the CRDs')
    .option('--crds <folder>', 'where the CRDs are', 'crds')
    .option('--out <folder>', 'where the generated code goes', 'imports')
    .option('--check', 'write nothing; fail if anything would change')
    .action(async ({ crds, out, check }: { crds: string; out: string; check?: boolean }) =>
      (await import('./generate.ts')).generateCommand(
        {
          crdFolder: crds,
          outFolder: out,
          mode: check === true ? 'check' : 'write',
          write: (text) => void process.stdout.write(text),
        },
        signal,
      ),
    )
  return program
}

function addRun(program: Command, signal: AbortSignal): void {
  const run = program
    .command('run')
    .description('run the operator against a cluster')
    .option(
      '--name <name>',
      'the operator’s name; a second operator of these kinds needs another one',
      operatorName,
      'konverge',
    )
    .option('--kubeconfig <file>', 'the kubeconfig (default: KUBECONFIG, the pod’s service account, ~/.kube/config)')
    .option('--context <name>', 'a context of the kubeconfig (default: its current one)')
    .option('--namespaces <names>', 'look after resources in these namespaces only, separated by commas', names, [])
    .option('--selector <labels>', 'look after resources with these labels only')
    .option('--controllers <names>', 'run these controllers only, separated by commas', names, [])
    .option('--max-concurrent <turns>', 'turns at once, for each controller', positive, 10)
    .option('--metrics-per-resource', 'give every resource metrics of its own, not only those that need attention')
    .option('--backoff <base-cap>', 'seconds between retries of one resource, from first to longest', backoff, {
      baseMs: 5_000,
      capMs: 300_000,
    })
    .option(
      '--local-addresses',
      'dial servers at the addresses that a local node gives their Services; not in a cluster',
    )
    .option('--http-port <port>', 'where /healthz and /readyz are served; 0 takes any free port', port, 8080)
    .option('--http-host <address>', 'the address to serve them on', '0.0.0.0')
    .addOption(metricsOption('loopback'))
    .option('--metrics-port <port>', 'where protected metrics are served', port, metricsPort)
    .option('--metrics-certificate <folder>', 'with tls.crt and tls.key (default: one that the operator signs itself)')
    .option('--leader-elect', 'act only while holding a lease (default: in a cluster)')
    .option('--no-leader-elect', 'act alone, whoever else does')
    .option('--lease-name <name>', 'the lease that the replicas share (default: the operator’s name)')
    .option('--lease-namespace <namespace>', 'where the lease is (default: the pod’s namespace)')
    .option('--lease-duration <seconds>', 'how long standbys wait for a silent leader (default: 15)', seconds)
    .option('--renew-deadline <seconds>', 'how long a leader writes after its last renewal (default: 10)', seconds)
    .option('--retry-period <seconds>', 'from one renewal of the lease to the next (default: 2)', seconds)
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
  withAllowLists(run).action(async (options) =>
    (await import('./run.ts')).run({ ...options, environment: process.env, output: process.stdout }, signal),
  )
}

function addInstall(program: Command, signal: AbortSignal): void {
  const install = program
    .command('install')
    .description('install the operator: CRDs, roles, Deployment')
    .option('--name <name>', 'the operator’s name, and that of its objects', operatorName, 'konverge')
    .option('--dry-run', 'print the manifests, for kubectl apply --server-side -f -, and apply nothing')
    .option('--namespace <name>', 'the namespace in which the operator runs (default: the name and -system)')
    .option('--image <reference>', 'the container image', ownImage())
    .option('--replicas <pods>', 'how many pods, of which one leads and the others stand by', positive, 2)
    .option('--namespaces <names>', 'serve these namespaces, separated by commas (default: default)', names, [])
    .option('--all-namespaces', 'serve all namespaces, with rights on every Secret of the cluster')
    .addOption(metricsOption('protected'))
    .option('--egress-ports <ports>', 'where operator and workers may connect to (default: 443,5432,6443)', ports)
    .option('--controllers <names>', 'run these controllers only, separated by commas', names, [])
    .option('--kubeconfig <file>', 'the kubeconfig (default: KUBECONFIG, the pod’s service account, ~/.kube/config)')
    .option('--context <name>', 'a context of the kubeconfig (default: its current one)')
  withAllowLists(install).action(async (options) =>
    (await import('./install.ts')).install(
      { ...options, environment: process.env, write: (text) => void process.stdout.write(text) },
      signal,
    ),
  )
}

function metricsOption(byDefault: MetricsKind): Option {
  const text = 'who reads /metrics: users of the cluster by HTTPS, this machine, everybody, or nobody'
  return new Option('--metrics <which>', text).choices(metricsKinds).default(byDefault)
}

function withAllowLists(command: Command): Command {
  for (const allow of allowFlags) {
    command.option(allow.flag, allow.text, (text: string) => {
      const given = names(text)
      const complaint = allowComplaint(allow, given)
      if (complaint !== undefined) throw new InvalidArgumentError(`${complaint}.`)
      return given
    })
  }
  return command
}

function addApiserver(program: Command, signal: AbortSignal): void {
  program
    .command('apiserver')
    .description('serve a Kubernetes API from this process, without a cluster')
    .option('--port <port>', 'where it is served; 0 takes any free port', port, 6443)
    .option('--host <address>', 'the address to serve it on; others than loopback need --token', '127.0.0.1')
    .option('--token <text>', 'the bearer token of its user, who may do everything (default: a random one)')
    .option('--kubeconfig <file>', 'where to write the kubeconfig that leads to it (default: a temporary file)')
    .option(
      '--controllers <names>',
      'run these controllers only, separated by commas; * for all, -name for all but one, or none',
      names,
      [],
    )
    .option('--simulated-nodes <nodes>', 'have nodes whose pods only seem to run (default: none)', positive)
    .option('--persist <folder>', 'keep what is written in this folder, over restarts (default: in memory)')
    .option('--repair', 'keep the whole records of a folder that is corrupt')
    .action(async (options) =>
      (await import('./apiserver.ts')).apiserver(
        {
          ...options,
          write: (text) => void process.stdout.write(text),
          writeError: (text) => void process.stderr.write(text),
        },
        signal,
      ),
    )
}

/** It listens to signals itself: more ends it than them. */
function addDev(program: Command): void {
  program
    .command('dev')
    .description('show the operator at work: a control plane in this process, this machine as its node, sample stores')
    .option('--control-plane <which>', 'embedded, or real: built from Go modules, from a checkout only', 'embedded')
    .option('--no-samples', 'apply no sample stores')
    .option('--port <port>', 'where the API is served (default: any free port)', port)
    .option('--kubeconfig <file>', 'where to write the kubeconfig that leads to it (default: a temporary file)')
    .option('--persist <folder>', 'keep everything in this folder, over restarts (default: nothing stays)')
    .option('--repair', 'keep the whole records of a folder that is corrupt')
    .action(async (options) =>
      (await import('./dev.ts')).dev({ ...options, environment: process.env, output: process.stdout }),
    )
}

/** What Jobs run that the operator makes. */
function addWorker(program: Command, signal: AbortSignal): void {
  const worker = program.command('worker').description('do a long piece of work for the operator, in a pod of its own')
  addWork(worker, 'migrate', 'carry out the steps of a Migration').action(async (options) =>
    (await import('./worker-migrate.ts')).workerMigrate({ ...options, output: process.stdout }, signal),
  )
  worker
    .command('review')
    .description('review the steps of a Migration, from standard input, for the operator or a worker')
    .action(async () => (await import('./worker-review.ts')).workerReview())
  addWork(worker, 'prepare', 'make the new side of an upgrade')
    .option('--scratch <folder>', 'where there is room for a schema', tmpdir())
    .action(async (options) =>
      (await import('./worker-prepare.ts')).workerPrepare(
        { ...options, environment: process.env, output: process.stdout },
        signal,
      ),
    )
  const works = {
    backup: 'make a backup',
    verify: 'prove a backup',
    discard: 'remove the artifact of a backup',
    tidy: 'remove what killed workers have left of a backup',
    restore: 'restore a backup, or undo that',
    release: 'remove what a restore has left on its server',
    clear: 'remove what that has left on the volume',
  } as const
  for (const work of ['backup', 'verify', 'discard', 'tidy', 'restore', 'release', 'clear'] as const) {
    addBackupWork(addWork(worker, work, works[work]), { works: [work] }, signal)
  }
  // What runs what others have written is done in two steps.
  const stepped = ['verify', 'fill'] as const
  const fetching = addWork(worker, 'fetch', 'load the copy of a server from the store, and run nothing of it')
  addBackupWork(fetching, { works: stepped, step: 'fetch' }, signal)
  const proving = addSealedWork(worker, 'prove', 'start a server on the copy that was loaded, without credentials')
  addBackupWork(proving, { works: stepped, step: 'prove' }, signal)
}

interface BackupWork {
  readonly works: readonly Work[]
  readonly step?: WorkStep
}

function addBackupWork(command: Command, work: BackupWork, signal: AbortSignal): void {
  command
    .option('--store <folder>', 'where the volume is mounted on which backups are kept, if they are on one')
    .option('--data <folder>', 'where the volume is mounted that is filled, if one is')
    .option('--scratch <folder>', 'where there is room for the artifact', tmpdir())
    .action(async (options) =>
      (await import('./worker-backup.ts')).workerBackup(
        { ...options, ...work, environment: process.env, output: process.stdout },
        signal,
      ),
    )
}

function addWork(worker: Command, name: string, description: string): Command {
  return addSealedWork(worker, name, description).requiredOption(
    '--credentials <folder>',
    'a folder for each database: host, port, username, password, ca.crt',
  )
}

function addSealedWork(worker: Command, name: string, description: string): Command {
  return worker
    .command(name)
    .description(description)
    .requiredOption('--order <file>', 'what to do')
    .requiredOption('--digest <sha256>', 'of the order, which is refused if it is another')
    .option('--termination-log <file>', 'where to leave the result, in one line of JSON', '/dev/termination-log')
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) {
    // Help and version have been printed; anything else is a wrong flag.
    if (thrown.exitCode === 0) return 0
    process.stderr.write(`konverge: ${wrongUse(thrown)}; konverge --help lists what there is\n`)
    return 2
  }
  process.stderr.write(`konverge: ${messageOf(thrown)}\n`)
  if (thrown instanceof CommandError) return thrown.exitCode
  if (!(thrown instanceof CodedError) && thrown instanceof Error) process.stderr.write(`${thrown.stack}\n`)
  return 1
}

/** Commander's words as the first half of a sentence. */
function wrongUse({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'name a command'
  return message
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replaceAll('\n', ' ')
}

function names(text: string): readonly string[] {
  const given = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (given.length === 0) throw new InvalidArgumentError('Give at least one name.')
  return given
}

function ports(text: string): readonly number[] {
  return names(text).map(port)
}

function operatorName(text: string): string {
  const problem = operatorNameProblem(text)
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}.`)
  return text
}

function positive(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Give a whole number from 1.')
  return number
}

/** Seconds as milliseconds. */
function seconds(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError('Give a number of seconds, as in 15 or 0.5.')
  return Math.round(number * 1000)
}

function port(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('Give a port from 0 to 65535.')
  return number
}

function backoff(text: string): { readonly baseMs: number; readonly capMs: number } {
  const [base, cap] = (/^(\d+)-(\d+)$/.exec(text) ?? []).slice(1).map(Number)
  if (base === undefined || cap === undefined || base < 1 || cap < base)
    throw new InvalidArgumentError('Give two numbers of seconds, as in 1-1000.')
  return { baseMs: base * 1000, capMs: cap * 1000 }
}
