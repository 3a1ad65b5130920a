// Carries one migration out, as the process of a Job: reads the order and the credentials from files, and leaves its result as the
// container's termination message. Exit code 0: done; 1: another try is worth it; 2: somebody has to change something.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { systemSecrets } from '../base/random.ts'
import type { ServerAccess } from '../controllers/engines/server-access.ts'
import { workOnMigration } from '../controllers/migration/migration-worker.ts'
import {
  authorityKey,
  type OrderedDatabase,
  type WorkerOrder,
  workerOrderIn,
} from '../controllers/migration/worker-order.ts'
import { exitCodeOf, reportText } from '../controllers/migration/worker-report.ts'
import { createLogger } from '../telemetry/logger.ts'
import { CommandError } from './command-error.ts'

export interface WorkerMigrateOptions {
  /** Files: the order, and a folder for each of its databases. */
  readonly order: string
  readonly digest: string
  readonly credentials: string
  readonly terminationLog: string
  readonly output: { write(text: string): unknown }
}

/** Resolves when every step is applied; else rejects with a CommandError that says why. */
export async function workerMigrate(options: WorkerMigrateOptions, signal: AbortSignal): Promise<void> {
  const order = await orderIn(options)
  const log = createLogger({ clock: systemClock, destination: options.output }).with({ migration: order.migration })
  const accesses = await accessesOf(order, options.credentials)
  const report = await workOnMigration({ order, accesses, clock: systemClock, secrets: systemSecrets, log }, signal)
  log.info({ ...report }, 'ended')
  await writeFile(options.terminationLog, reportText(report)).catch((error: unknown) =>
    log.warn({ err: error }, 'the termination message could not be written'),
  )
  const code = exitCodeOf(report)
  if (code !== 0) throw new CommandError(`${order.migration}: ${report.message ?? report.outcome}`, code)
}

async function orderIn({ order: path, digest }: WorkerMigrateOptions): Promise<WorkerOrder> {
  const order = workerOrderIn(await textOf(path), digest)
  if (order === undefined) {
    throw new CommandError(`the order ${path} is not the one with digest ${digest}, or of another version`, 2)
  }
  return order
}

async function accessesOf({ target, sources }: WorkerOrder, folder: string) {
  const known = [target, ...sources].map(async (database) => {
    return [database.folder, await accessOf(database, join(folder, database.folder))] as const
  })
  return new Map(await Promise.all(known))
}

async function accessOf(database: OrderedDatabase, folder: string): Promise<ServerAccess> {
  const { tls, maintenanceDatabase, hasAuthority, dial } = database
  // Editors and `echo` leave line breaks at the end, as the operator knows too.
  const value = async (key: string) => (await textOf(join(folder, key))).replace(/[\r\n]+$/, '')
  return {
    ...{ host: await value('host'), port: Number(await value('port')) },
    ...{ username: await value('username'), password: await value('password') },
    ...{ maintenanceDatabase, tls },
    ...(dial === undefined ? {} : { dial }),
    ...(hasAuthority ? { ca: await textOf(join(folder, authorityKey)) } : {}),
  }
}

/** The error names the file and says nothing of what is in it. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${messageOf(error)}`, 1)
  }
}
