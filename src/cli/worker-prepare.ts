// Worker that prepares the target server of an upgrade, the process of a Job. It reads the order and the credentials
// from files, and writes its result as the container's termination message. Exit code 0: done; 1: retry; 2: a user must
// change something.
import { writeFile } from 'node:fs/promises'
import { systemClock } from '../base/clock.ts'
import { silentInstruments } from '../base/instrument.ts'
import { systemRandom, systemSecrets } from '../base/random.ts'
import { type PrepareOrder, prepareOrderIn } from '../controllers/database/upgrade/prepare-order.ts'
import { postgresLogicalEngine } from '../controllers/engines/postgres/logical/logical-driver.ts'
import { postgresEngine } from '../controllers/engines/postgres/postgres-driver.ts'
import { exitCodeOf, type WorkerReport } from '../controllers/migration/worker-report.ts'
import { prepareSide } from '../controllers/upgrade/new-side-worker.ts'
import { reportOfError, reportText } from '../controllers/worker/termination-message.ts'
import { ToolBox } from '../external/tool-box.ts'
import { createLogger } from '../telemetry/logger.ts'
import { CommandError } from './command-error.ts'
import { toolPlaces } from './tool-places.ts'
import { loadAccess, loadText } from './worker-files-loader.ts'

export interface WorkerPrepareOptions {
  /** Path of the order. `credentials` has one folder for each of its servers. */
  readonly order: string
  readonly digest: string
  readonly credentials: string
  readonly scratch: string
  readonly terminationLog: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly output: { write(text: string): unknown }
}

/** Resolves when the target server is prepared; else rejects with a CommandError that gives the reason. */
export async function workerPrepare(options: WorkerPrepareOptions, signal: AbortSignal): Promise<void> {
  const order = await orderIn(options)
  const { namespace, name } = order.side.caller
  const log = createLogger({ clock: systemClock, destination: options.output }).with({
    database: `${namespace}/${name}`,
  })
  const tools = new ToolBox({ clock: systemClock, random: systemRandom, instruments: { ...silentInstruments, log } })
  try {
    const report = await prepare(order, options, { tools, signal })
    log.info({ ...report }, 'ended')
    await writeFile(options.terminationLog, reportText(report)).catch((error: unknown) =>
      log.warn({ err: error }, 'the termination message could not be written'),
    )
    const code = exitCodeOf(report)
    if (code !== 0) throw new CommandError(`${namespace}/${name}: ${report.message ?? report.outcome}`, code)
  } finally {
    for (const close of tools.closers) await close()
  }
}

async function prepare(
  { side, old, next }: PrepareOrder,
  { credentials, scratch: workFolder, environment }: WorkerPrepareOptions,
  { tools, signal }: { readonly tools: ToolBox; readonly signal: AbortSignal },
): Promise<WorkerReport> {
  const sides = { old: await loadAccess(old, credentials), new: await loadAccess(next, credentials) }
  const logical = postgresLogicalEngine({ clock: systemClock, places: toolPlaces(environment), workFolder })
  try {
    const work = {
      engine: postgresEngine(tools),
      logical,
      ...sides,
      secrets: systemSecrets,
      clock: systemClock,
      workFolder,
    }
    await prepareSide(side, work, signal)
    return { outcome: 'Completed' }
  } catch (error) {
    tools.log.warn({ err: error }, 'not made')
    return reportOfError(error)
  }
}

async function orderIn({ order: path, digest }: WorkerPrepareOptions): Promise<PrepareOrder> {
  const order = prepareOrderIn(await loadText(path), digest)
  if (order === undefined) {
    throw new CommandError(`the order ${path} is not the one with digest ${digest}, or of another version`, 2)
  }
  return order
}
