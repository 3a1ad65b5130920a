// What konverge's own program has besides the commands of every operator: `apiserver`, what Jobs run, and a `dev` with databases.
import { tmpdir } from 'node:os'
import process from 'node:process'
import type { Command } from 'commander'
import { terminalText } from '../base/terminal-text.ts'
import type { Work } from '../controllers/backup/work-order.ts'
import type { WorkStep } from '../controllers/backup/work-runner.ts'
import type { OwnParts } from './command-line.ts'
import type { FlagshipPlayOptions } from './dev/flagship-play.ts'
import { withControllers } from './option-sets.ts'
import { port, positive } from './option-values.ts'

export const ownParts: OwnParts = {
  addCommands: (program, signal) => {
    addApiserver(program, signal)
    addWorker(program, signal)
  },
  dev: {
    description: 'show the operator at work: a control plane in this process, this machine as its node, sample stores',
    addOptions: (dev) => {
      dev.option(
        '--control-plane <which>',
        'embedded, or real: built from Go modules, from a checkout only',
        'embedded',
      )
    },
    // Sound: commander gives what the options above say.
    loadPlay: async (options) =>
      (await import('./dev/flagship-play.ts')).flagshipPlay(options as unknown as FlagshipPlayOptions),
  },
  includesDataPods: true,
}

function addApiserver(program: Command, signal: AbortSignal): void {
  const apiserver = program
    .command('apiserver')
    .description('serve a Kubernetes API from this process, without a cluster')
    .option('--port <port>', 'where it is served; 0 takes any free port', port, 6443)
    .option('--host <address>', 'the address to serve it on; others than loopback need --token', '127.0.0.1')
    .option('--token <text>', 'the bearer token of its user, who may do everything (default: a random one)')
    .option('--kubeconfig <file>', 'where to write the kubeconfig that leads to it (default: a temporary file)')
  withControllers(
    apiserver,
    'run these controllers only, separated by commas; * for all, -name for all but one, or none',
  )
    .option('--simulated-nodes <nodes>', 'have nodes whose pods only seem to run (default: none)', positive)
    .option('--persist <folder>', 'keep what is written in this folder, over restarts (default: in memory)')
    .option('--repair', 'keep the whole records of a folder that is corrupt')
    .action(async (options) =>
      (await import('./apiserver.ts')).apiserver(
        {
          ...options,
          write: (text) => void process.stdout.write(terminalText(text)),
          writeError: (text) => void process.stderr.write(terminalText(text)),
        },
        signal,
      ),
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
