// Extra commands of konverge's own program: `apiserver`, the workers of Jobs, and a `dev` with databases.
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
    description:
      'run the operator on a control plane in this process, with this machine as a node and sample resources',
    addOptions: (dev) => {
      dev.option('--control-plane <which>', 'embedded, or real: built from Go modules, in a checkout only', 'embedded')
    },
    // Sound: commander returns the options above.
    loadPlay: async (options) =>
      (await import('./dev/flagship-play.ts')).flagshipPlay(options as unknown as FlagshipPlayOptions),
  },
  includesDataPods: true,
  examples: {
    run: [
      'run',
      'run --namespaces shop,games --controllers database,databaseuser',
      'run --metrics protected --metrics-port 8443 --log-level debug',
    ],
    install: [
      'install --namespaces shop --image registry.example.com/konverge:1.0.0',
      'install --namespaces shop --dry-run | kubectl apply --server-side -f -',
      "install --namespaces shop --allow-image 'registry.example.com/*'",
    ],
    apiserver: ['apiserver', 'apiserver --simulated-nodes 3 --persist ./cluster'],
    preview: ['preview -f kv-store.yaml', 'preview -f - < kv-store.yaml'],
    diff: ['diff -f database.yaml', 'diff -f database.yaml --namespaces shop --context staging'],
  },
}

function addApiserver(program: Command, signal: AbortSignal): void {
  const apiserver = program
    .command('apiserver')
    .description('serve a Kubernetes API from this process, without a cluster')
    .option('--port <port>', 'port of the API server; 0 takes any free port', port, 6443)
    .option('--host <address>', 'address of the API server; an address other than loopback needs --token', '127.0.0.1')
    .option('--token <text>', 'bearer token of the administrator (default: a random token)')
    .option('--kubeconfig <file>', 'path of the kubeconfig to write (default: a temporary file)')
  withControllers(
    apiserver,
    'run only these controllers, separated by commas; * for all, -name for all but one, or none',
  )
    .option('--simulated-nodes <nodes>', 'number of nodes with simulated pods (default: none)', positive)
    .option('--persist <folder>', 'keep the cluster in this folder across restarts (default: in memory)')
    .option('--repair', 'keep only the complete records of a corrupt folder')
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

/** Adds the commands of the operator's Jobs. */
function addWorker(program: Command, signal: AbortSignal): void {
  const worker = program.command('worker').description('run long work of the operator in a pod')
  addWork(worker, 'migrate', 'run the steps of a Migration').action(async (options) =>
    (await import('./worker-migrate.ts')).workerMigrate({ ...options, output: process.stdout }, signal),
  )
  worker
    .command('review')
    .description('review the steps of a Migration from standard input')
    .action(async () => (await import('./worker-review.ts')).workerReview())
  addWork(worker, 'prepare', 'prepare the target server of an upgrade')
    .option('--scratch <folder>', 'folder for temporary files', tmpdir())
    .action(async (options) =>
      (await import('./worker-prepare.ts')).workerPrepare(
        { ...options, environment: process.env, output: process.stdout },
        signal,
      ),
    )
  const works = {
    backup: 'back up a database or a server',
    verify: 'verify a backup',
    discard: 'remove the artifact of a backup',
    tidy: 'remove leftovers of a backup whose worker was killed',
    restore: 'restore a backup, or roll back a restore',
    release: 'remove leftovers of a restore from the server',
    clear: 'remove leftovers of a restore from the volume',
  } as const
  for (const work of ['backup', 'verify', 'discard', 'tidy', 'restore', 'release', 'clear'] as const) {
    addBackupWork(addWork(worker, work, works[work]), { works: [work] }, signal)
  }
  // Work that runs a copied server, and its code, has two steps: the second has no credentials.
  const stepped = ['verify', 'fill'] as const
  const fetching = addWork(worker, 'fetch', 'load the copy of a server from the store, without running it')
  addBackupWork(fetching, { works: stepped, step: 'fetch' }, signal)
  const proving = addSealedWork(worker, 'prove', 'start a server on the loaded copy, without credentials')
  addBackupWork(proving, { works: stepped, step: 'prove' }, signal)
}

interface BackupWork {
  readonly works: readonly Work[]
  readonly step?: WorkStep
}

function addBackupWork(command: Command, work: BackupWork, signal: AbortSignal): void {
  command
    .option('--store <folder>', 'mount point of the volume with the backups, if a volume has them')
    .option('--data <folder>', 'mount point of the data volume, if the order fills one')
    .option('--scratch <folder>', 'folder for temporary files', tmpdir())
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
    'folder with a subfolder for each database: host, port, username, password, ca.crt',
  )
}

function addSealedWork(worker: Command, name: string, description: string): Command {
  return worker
    .command(name)
    .description(description)
    .requiredOption('--order <file>', 'file with the order')
    .requiredOption('--digest <sha256>', 'digest of the order; an order with another digest is rejected')
    .option('--termination-log <file>', 'file for the result, as one line of JSON', '/dev/termination-log')
}
