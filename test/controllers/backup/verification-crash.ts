// Crash run of a verification: its worker dies, its connection breaks, or the server dies.
// Invariant: the next worker verifies the backup, or only tidies up if its Backup is deleted; nothing of the scratch
// database is left.
import { makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { tidyBackup } from '../../../src/controllers/backup/tidy-worker.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces } from '../../crash-runs/places.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { type Judge, SqlProxy } from '../../postgres/sql-proxy.ts'
import { never } from '../stores/contents.ts'
import { type BackupStage, backupStage, order, verification } from './backup-stage.ts'
import { makeSmallDatabase } from './restore-stage.ts'

/** `dead`: a clean-up after the fault does not run either. */
export const workerFates = ['cutBefore', 'cutAfter', 'dead', 'serverDies'] as const
export type WorkerFate = (typeof workerFates)[number]
type Blow = StatementBlow<WorkerFate>

/**
 * Deadline after the fault: a tool that waits for a lost answer during a COPY waits indefinitely, so its Job has a
 * deadline.
 */
const patienceMs = 2_000

export const verificationCrash: CrashWorkflow<Blow> = {
  name: 'verification',
  weight: 4,
  // No tool of this machine can back up newer versions.
  isToldOn: (major) => major <= 15,
  whole: { left: [], verified: { artifact: { format: 'pg_dump/custom' } } },
  start: (server) => startStory(server, { isGivenUp: false }),
}

/** The Backup is deleted. */
export const verificationGivenUpCrash: CrashWorkflow<Blow> = {
  ...verificationCrash,
  name: 'verification-given-up',
  weight: 2,
  whole: { left: [] },
  start: (server) => startStory(server, { isGivenUp: true }),
}

async function startStory(server: PostgresServer, { isGivenUp }: { readonly isGivenUp: boolean }) {
  await makeSmallDatabase(server)
  const proxy = await SqlProxy.start(server.access())
  const stage = await backupStage(proxy.access())
  await makeBackup(order, stage.backupTools(), never)
  return { tell: (blows: readonly Blow[]) => tell({ server, proxy, stage, isGivenUp }, blows) }
}

interface Ground {
  readonly server: PostgresServer
  readonly proxy: SqlProxy
  readonly stage: BackupStage
  readonly isGivenUp: boolean
}

/** Each process gets one fault, and the last one none. */
async function tell({ server, proxy, stage, isGivenUp }: Ground, blows: readonly Blow[]): Promise<Told<Blow>> {
  let struck = 0
  const work = async (signal: AbortSignal) => {
    const life = engineHere()
    try {
      return await verifyBackup(verification, stage.verificationTools({ engine: life.engine }), signal)
    } finally {
      await life.stop()
    }
  }
  for (const blow of blows) {
    struck += await struckLife({ server, proxy }, blow, work)
  }
  proxy.forget()
  const verified = isGivenUp && blows.length > 0 ? undefined : await work(never)
  const texts = proxy.statements.map(({ text }) => text)
  if (isGivenUp) await tidy(stage)
  const left = await server.byHand(`SELECT datname AS name FROM pg_database WHERE datname LIKE '\\_verify%'
    UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE '\\_verify%'`)
  const end = isGivenUp ? { left } : { left, verified }
  return { end, struck, places: statementPlaces(texts, workerFates) }
}

async function tidy(stage: BackupStage): Promise<void> {
  const { engine, access, store } = stage.verificationTools()
  const server = engine.server(access, { caller: { kind: 'Backup', ...order.backup }, signal: never })
  await tidyBackup({ backup: order.backup }, { store, server }, never)
}

/** Returns the number of faults. After its end the server is up. */
export async function struckLife(
  { server, proxy }: Pick<Ground, 'server' | 'proxy'>,
  blow: Blow,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<number> {
  let struck = 0
  const deadline = new AbortController()
  proxy.judge = judgeOf(server, blow, () => {
    struck += 1
    setTimeout(() => deadline.abort(new Error('the deadline of its Job')), patienceMs).unref()
  })
  await work(deadline.signal).catch(() => undefined)
  proxy.judge = () => 'pass'
  await server.byHand('SELECT 1')
  return struck
}

/** Injects the fault at the nth statement of a process. */
function judgeOf(server: PostgresServer, { index, fate }: Blow, onStruck: () => void): Judge {
  let seen = 0
  return () => {
    seen += 1
    if (seen > index && fate === 'dead') return 'cutBefore'
    if (seen !== index) return 'pass'
    onStruck()
    if (fate === 'serverDies') server.crash().catch(() => undefined)
    return fate === 'cutAfter' || fate === 'dead' ? 'cutAfter' : 'cutBefore'
  }
}
