// Crash run of a restore: a worker dies, its connection breaks, or the server dies, at each statement, including those
// of pg_restore.
// Invariant: the next worker completes the restore with the same result, and clients are not locked out permanently
// (I3).
import { CodedError } from '../../../src/base/errors.ts'
import type { RestoreOrder } from '../../../src/controllers/backup/restore-order.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces } from '../../crash-runs/places.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { never } from '../stores/contents.ts'
import { makeLive, type RestoreStage, removeAll, restoreStage, rolesOf, sightOf } from './restore-stage.ts'
import { struckLife, type WorkerFate, workerFates } from './verification-crash.ts'

type Blow = StatementBlow<WorkerFate>

/** Relevant end state: the sentinel is in the former database, and nothing of the work is left. */
export const ends = {
  'in place': {
    databases: [
      { datname: 'crm', owner: 'crm_owner', open: true },
      { datname: 'crm_old_r1', owner: 'crm_owner', open: false },
    ],
    roles: ['crm_owner'],
    live: { orders: 1000, sentinel: false, strange: 0 },
    former: { orders: 8, sentinel: true },
  },
  'where there is nothing': {
    databases: [{ datname: 'crm', owner: 'crm_owner', open: true }],
    roles: ['crm_owner'],
    live: { orders: 1000, sentinel: false, strange: 0 },
  },
  undone: {
    databases: [
      { datname: 'crm', owner: 'crm_owner', open: true },
      { datname: 'crm_old_u1', owner: 'crm_owner', open: false },
    ],
    roles: ['crm_owner'],
    live: { orders: 8, sentinel: true },
    former: { orders: 1000, sentinel: false },
  },
} as const

type Kind = keyof typeof ends

/** Committed data survives the crash of the server's processes. */
export const durable = { settings: { synchronous_commit: 'on' } }

export const restoreInPlaceCrash = workflowOf('restore-in-place', 'in place')
export const restoreAnewCrash = workflowOf('restore-anew', 'where there is nothing')
export const restoreUndoneCrash = workflowOf('restore-undone', 'undone')

function workflowOf(name: string, kind: Kind): CrashWorkflow<Blow> {
  return {
    ...{ name, weight: 2, whole: ends[kind], server: durable },
    start: async (server) => {
      const proxy = await SqlProxy.start(server.access())
      const stage = await restoreStage(server, proxy.access())
      return { tell: (blows) => tell(kind, { stage, proxy }, blows) }
    },
  }
}

interface Ground {
  readonly stage: RestoreStage
  readonly proxy: SqlProxy
}

/** Each process gets one fault, and the last one none. */
async function tell(kind: Kind, { stage, proxy }: Ground, blows: readonly Blow[]): Promise<Told<Blow>> {
  const { server } = stage
  const order = await begin(kind, stage)
  let struck = 0
  for (const blow of blows) {
    struck += await struckLife({ server, proxy }, blow, (signal) => work(order, stage, signal))
  }
  proxy.forget()
  await end(order, stage)
  const texts = proxy.statements.map(({ text }) => text)
  return { end: await sight(server), struck, places: statementPlaces(texts, workerFates) }
}

/** Restores the state before the first worker. */
export async function begin(kind: Kind, stage: RestoreStage): Promise<RestoreOrder> {
  const { server } = stage
  if (kind === 'where there is nothing') {
    await removeAll(server)
    return { ...(await stage.inPlace()), replaces: undefined }
  }
  await makeLive(server)
  if (kind === 'in place') return stage.inPlace()
  // Made by hand as a restore leaves it.
  await server.byHand('ALTER DATABASE crm RENAME TO crm_old_r1')
  await server.byHand('CREATE DATABASE crm OWNER crm_owner TEMPLATE crm_old_r1')
  await server.byHand('ALTER DATABASE crm_old_r1 ALLOW_CONNECTIONS false')
  await server.byHand('INSERT INTO orders SELECT n FROM generate_series(8, 1000) n; DELETE FROM orders WHERE id = -1', {
    database: 'crm',
  })
  return stage.inPlace({ requestId: 'u1', source: { kind: 'former', replacedBy: 'r1' } })
}

/** One process of a worker, with its own sessions. */
export async function work(order: RestoreOrder, stage: RestoreStage, signal: AbortSignal): Promise<void> {
  const life = engineHere()
  try {
    await restoreDatabase(order, stage.verificationTools({ engine: life.engine }), signal)
  } finally {
    await life.stop()
  }
}

/** The next processes, as in a Job: actions of a dead worker may still run on the server. */
export async function end(order: RestoreOrder, stage: RestoreStage): Promise<void> {
  await waitUntil({ what: 'a worker to end the restore', everyMs: 50 }, () =>
    work(order, stage, never).then(
      () => true,
      (error: unknown) => {
        if (error instanceof CodedError && error.remedy === 'retry') return false
        throw error
      },
    ),
  )
}

/** Including data of the former database; oids differ between runs. */
export async function sight(server: PostgresServer): Promise<object> {
  const seen = await sightOf(server)
  const { databases } = seen
  const names = databases.map(({ datname }) => String(datname))
  const formers = names.filter((name) => name.startsWith('crm_old_'))
  const former = await Promise.all(formers.map((name) => ordersIn(server, name)))
  return {
    ...seen,
    databases: databases.map((row) => ({
      ...row,
      comment: String(row['comment']).replace(/pg:\/\/\d+\/\d+/, 'pg://'),
    })),
    former: former[0],
    roles: await rolesOf(server),
  }
}

/** It accepts no connection. */
async function ordersIn(server: PostgresServer, name: string): Promise<unknown> {
  await server.byHand(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  const rows = await server.byHand('SELECT count(*)::int AS orders, bool_or(id = -1) AS sentinel FROM orders', {
    database: name,
  })
  return rows[0]
}
