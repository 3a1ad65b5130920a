// Wherever a worker that proves a backup dies, its way to the server breaks or the server dies: the next one proves it, or only tidies up
// where its Backup is deleted, and nothing of the scratch is left.
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

/** `dead`: whatever it would still do to put things right is not done either. */
export const workerFates = ['cutBefore', 'cutAfter', 'dead', 'serverDies'] as const
export type WorkerFate = (typeof workerFates)[number]
type Blow = StatementBlow<WorkerFate>

/** A tool that waits in the middle of a COPY for an answer that was cut off waits for ever: its Job has a deadline. After the blow. */
const patienceMs = 2_000

export const verificationCrash: CrashWorkflow<Blow> = {
  name: 'verification',
  weight: 4,
  // No tool of this machine can save newer ones.
  isToldOn: (major) => major <= 15,
  whole: { left: [], verified: { artifact: { format: 'pg_dump/custom' } } },
  start: (server) => startStory(server, { isGivenUp: false }),
}

/** Its Backup is deleted. */
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

/** Each life is struck by a blow of its own, and the last by none. */
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

/** Says how often it was struck. When it ends, there is a server. */
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

/** Strikes a life at the nth of its statements. */
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
