// Worker of a backup, the process of a Job: makes, verifies, restores or discards one backup, fills a volume, or
// removes leftovers. It reads the order and the credentials from files, and writes its result as the container's
// termination message. Exit code 0: done; 1: retry; 2: a user must change something.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { silentInstruments } from '../base/instrument.ts'
import { systemRandom, systemSecrets } from '../base/random.ts'
import {
  databaseFolder,
  passwordKey,
  storeFolder,
  storeKeys,
  type Work,
  type WorkOrder,
  workOrderIn,
} from '../controllers/backup/work-order.ts'
import { exitCodeOf, type WorkReport } from '../controllers/backup/work-report.ts'
import { carryOut, type WorkStep, type WorkTools } from '../controllers/backup/work-runner.ts'
import { postgresLogicalEngine } from '../controllers/engines/postgres/logical/logical-driver.ts'
import { postgresPhysicalEngine } from '../controllers/engines/postgres/physical/physical-driver.ts'
import { postgresEngine } from '../controllers/engines/postgres/postgres-driver.ts'
import { reportText } from '../controllers/worker/termination-message.ts'
import { ToolBox } from '../external/tool-box.ts'
import { createLogger } from '../telemetry/logger.ts'
import { CommandError } from './command-error.ts'
import { machinePostgres } from './dev/machine-postgres.ts'
import { toolPlaces } from './tool-places.ts'
import { loadAccess, loadText, loadValue } from './worker-files-loader.ts'

export interface WorkerBackupOptions {
  /** Kinds of work that the command accepts. */
  readonly works: readonly Work[]
  /** Step of this process, for work in two steps. */
  readonly step?: WorkStep
  /** Path of the order. `credentials` has one folder each for the database and the store. */
  readonly order: string
  readonly digest: string
  /** Absent in a second step. */
  readonly credentials?: string
  readonly terminationLog: string
  readonly store?: string
  readonly data?: string
  readonly scratch: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly output: { write(text: string): unknown }
}

/** Resolves when the work is done; else rejects with a CommandError that gives the reason. */
export async function workerBackup(options: WorkerBackupOptions, signal: AbortSignal): Promise<void> {
  const order = await orderIn(options)
  const log = createLogger({ clock: systemClock, destination: options.output }).with({ of: order.name })
  const tools = new ToolBox({ clock: systemClock, random: systemRandom, instruments: { ...silentInstruments, log } })
  try {
    const report = await carryOut(order, await toolsFor(order, options, tools), signal, options.step)
    await leave(report, options, log)
    const code = exitCodeOf(report)
    if (code !== 0) throw new CommandError(`${order.name}: ${report.message ?? report.outcome}`, code)
  } finally {
    for (const close of tools.closers) await close()
  }
}

/** The success of a first step is not reported, because the work is not done yet. */
async function leave(
  report: WorkReport,
  { terminationLog, step }: WorkerBackupOptions,
  log: ToolBox['log'],
): Promise<void> {
  log.info({ ...report }, 'ended')
  if (step === 'fetch' && report.outcome === 'Completed') return
  await writeFile(terminationLog, reportText(report)).catch((error: unknown) =>
    log.warn({ err: error }, 'the termination message could not be written'),
  )
}

async function orderIn({ order: path, digest, works }: WorkerBackupOptions): Promise<WorkOrder> {
  const order = workOrderIn(await loadText(path), digest, works)
  if (order === undefined) {
    throw new CommandError(`the order ${path} is not the one with digest ${digest}, or of other work or version`, 2)
  }
  return order
}

async function toolsFor(
  order: WorkOrder,
  { credentials, store, data, scratch, environment, step }: WorkerBackupOptions,
  tools: ToolBox,
): Promise<WorkTools> {
  const places = toolPlaces(environment)
  const { isRoot, user: other } = machinePostgres()
  const user = isRoot ? other : undefined
  const database = databaseOf(order)
  return {
    access: database === undefined ? undefined : await loadAccess(database, given(credentials)),
    keys: step === 'prove' ? undefined : await keysFor(order, join(given(credentials), storeFolder)),
    storeFolder: store,
    dataVolume: data,
    password:
      order.work === 'fill' && step === 'fetch'
        ? await loadValue(join(given(credentials), databaseFolder, passwordKey))
        : undefined,
    workFolder: scratch,
    engine: postgresEngine(tools),
    logical: postgresLogicalEngine({ clock: systemClock, places, workFolder: scratch }),
    physical: postgresPhysicalEngine({ clock: systemClock, places, workFolder: scratch, user }),
    serverUser: user,
    clock: systemClock,
    secrets: systemSecrets,
    log: tools.log,
    attempt: Buffer.from(systemSecrets.bytes(8)).toString('hex'),
  }
}

function given(credentials: string | undefined): string {
  if (credentials === undefined) throw new CommandError('--credentials is missing: this work needs them', 2)
  return credentials
}

function databaseOf(order: WorkOrder) {
  if (order.work === 'verify' || order.work === 'tidy') return order.restoresOn
  return 'database' in order ? order.database : undefined
}

async function keysFor(order: WorkOrder, folder: string): Promise<WorkTools['keys']> {
  const store = 'store' in order ? order.store : undefined
  if (store?.kind !== 's3' || !store.hasKeys) return undefined
  const [accessKeyId, secretAccessKey, sessionToken] = storeKeys.map((key) => join(folder, key))
  return {
    accessKeyId: await loadValue(accessKeyId ?? ''),
    secretAccessKey: await loadValue(secretAccessKey ?? ''),
    ...(sessionToken !== undefined && existsSync(sessionToken) ? { sessionToken: await loadValue(sessionToken) } : {}),
  }
}
