// Worker of a Migration, the process of a Job. It reads the order and the credentials from files, and writes its result
// as the container's termination message. Exit code 0: done; 1: retry; 2: a user must change something.
import { writeFile } from 'node:fs/promises'
import { systemClock } from '../base/clock.ts'
import { systemSecrets } from '../base/random.ts'
import { workOnMigration } from '../controllers/migration/migration-worker.ts'
import { type WorkerOrder, workerOrderIn } from '../controllers/migration/worker-order.ts'
import { exitCodeOf } from '../controllers/migration/worker-report.ts'
import { reportText } from '../controllers/worker/termination-message.ts'
import { createLogger } from '../telemetry/logger.ts'
import { CommandError } from './command-error.ts'
import { ownReviewer } from './own-program.ts'
import { loadAccess, loadText } from './worker-files-loader.ts'

export interface WorkerMigrateOptions {
  /** Path of the order. `credentials` has one folder for each of its databases. */
  readonly order: string
  readonly digest: string
  readonly credentials: string
  readonly terminationLog: string
  readonly output: { write(text: string): unknown }
}

/** Resolves when every step is applied; else rejects with a CommandError that gives the reason. */
export async function workerMigrate(options: WorkerMigrateOptions, signal: AbortSignal): Promise<void> {
  const order = await orderIn(options)
  const log = createLogger({ clock: systemClock, destination: options.output }).with({ migration: order.migration })
  const accesses = await accessesOf(order, options.credentials)
  const work = { order, accesses, clock: systemClock, secrets: systemSecrets, log, review: ownReviewer() }
  const report = await workOnMigration(work, signal)
  log.info({ ...report }, 'ended')
  await writeFile(options.terminationLog, reportText(report)).catch((error: unknown) =>
    log.warn({ err: error }, 'the termination message could not be written'),
  )
  const code = exitCodeOf(report)
  if (code !== 0) throw new CommandError(`${order.migration}: ${report.message ?? report.outcome}`, code)
}

async function orderIn({ order: path, digest }: WorkerMigrateOptions): Promise<WorkerOrder> {
  const order = workerOrderIn(await loadText(path), digest)
  if (order === undefined) {
    throw new CommandError(`the order ${path} is not the one with digest ${digest}, or of another version`, 2)
  }
  return order
}

async function accessesOf({ target, sources }: WorkerOrder, folder: string) {
  const known = [target, ...sources].map(async (database) => {
    return [database.folder, await loadAccess(database, folder)] as const
  })
  return new Map(await Promise.all(known))
}
