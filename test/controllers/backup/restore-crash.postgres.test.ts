// Wherever a worker dies, its way to the server breaks, or the server itself dies: the next worker ends the restore, with the same end as if
// nothing had happened, and nobody is kept out of the database for good (I3). Every statement is such a place, those of pg_restore too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { expect, it } from 'vitest'
import { CodedError } from '../../../src/base/errors.ts'
import type { RestoreOrder } from '../../../src/controllers/backup/restore-order.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { cutAt, type Judge, SqlProxy } from '../../postgres/sql-proxy.ts'
import { never } from '../stores/contents.ts'
import type { MortalRestore } from './mortal-restore.ts'
import { makeLive, type RestoreStage, removeAll, restoreStage, rolesOf, sightOf } from './restore-stage.ts'

/** A tool that waits in the middle of a COPY for an answer that was cut off waits for ever: its Job has a deadline. */
const patience = () => AbortSignal.timeout(10_000)

/** In the gate; a story takes a few seconds. */
const stride = 61

/** What was committed is not lost with the server's processes. */
const durable = { settings: { synchronous_commit: 'on' } }

onEachPostgres(
  'a restore that is cut off',
  (server, version) => {
    it.each(['in place', 'where there is nothing', 'undone'] as const)(
      '%s is ended by the next worker',
      { timeout: 3_600_000 },
      async (kind) => {
        await onStage(server(), async (stage, proxy) => {
          const order = await begin(kind, stage)
          proxy.forget()
          await work(order, stage, never)
          const undisturbed = await sight(server())
          const count = proxy.statements.length
          expect(undisturbed).toMatchObject(ends[kind])
          const all = Array.from({ length: count * 3 }, (_, at) => ({ n: Math.floor(at / 3) + 1, how: hows[at % 3] }))
          const places = crashPlaces(all, version, kind === 'undone' ? 29 : stride)
          expect(places.length).toBeGreaterThan(1)
          for (const { n, how = 'dead' } of places) {
            const again = await begin(kind, stage)
            proxy.judge = judges[how](n)
            await work(again, stage, patience()).catch(() => undefined)
            proxy.judge = () => 'pass'
            await end(again, stage)
            expect({ n, how, sight: await sight(server()) }).toEqual({ n, how, sight: undisturbed })
          }
        })
      },
    )

    it('by -9 is ended by the next worker', { timeout: 600_000 }, async () => {
      await onStage(server(), async (stage, proxy) => {
        for (const place of crashPlaces(moments, version, moments.length)) {
          const order = await begin('in place', stage)
          await killedAt(place, order, stage, proxy)
          await end(order, stage)
          expect({ place, sight: await sight(server()) }).toMatchObject({ sight: ends['in place'] })
        }
      })
    })

    it('as its server dies is ended by the next worker', { timeout: 600_000 }, async () => {
      await onStage(server(), async (stage, proxy) => {
        for (const place of crashPlaces(moments, version + 1, moments.length)) {
          const order = await begin('in place', stage)
          let death: Promise<void> | undefined
          proxy.judge = ({ text }) => {
            if (place.test(text)) death ??= server().kill()
            return 'pass'
          }
          // Whoever waits for a server that dies hears of it.
          await work(order, stage, never).catch(() => undefined)
          proxy.judge = () => 'pass'
          expect(death, `the server dies at ${place}`).toBeDefined()
          await death
          await server().start()
          await end(order, stage)
          expect({ place, sight: await sight(server()) }).toMatchObject({ sight: ends['in place'] })
        }
      })
    })

    it('leaves its pg_restore behind, which does no harm', { timeout: 600_000 }, async () => {
      await onStage(server(), async (stage) => {
        const order = await begin('in place', stage)
        const tools = stage.verificationTools()
        const orphans: Promise<unknown>[] = []
        const logical: typeof tools.logical = {
          ...tools.logical,
          restore: async (call) => {
            orphans.push(tools.logical.restore({ ...call, signal: never }).catch(() => undefined))
            throw new Error('the worker is dead')
          },
        }
        await restoreDatabase(order, { ...tools, logical }, never).catch(() => undefined)
        await end(order, stage)
        await Promise.all(orphans)
        expect(await sight(server())).toMatchObject(ends['in place'])
      })
    })
  },
  durable,
)

const hows = ['before', 'after', 'dead'] as const

const judges: Readonly<Record<(typeof hows)[number], (n: number) => Judge>> = {
  before: (n) => cutAt(n, 'before'),
  after: (n) => cutAt(n, 'after'),
  // Whatever it would still do to put things right is not done either.
  dead: (n) => {
    let seen = 0
    return () => {
      seen += 1
      if (seen < n) return 'pass'
      return seen === n ? 'cutAfter' : 'cutBefore'
    }
  },
}

/** At which a process is killed. */
const moments = [/^CREATE DATABASE/, /^COPY public\.orders/, /^REASSIGN OWNED/, /ALLOW_CONNECTIONS false/, /RENAME TO/]

/** What counts of the end: the sentinel is in the one that was there, and nothing is left of the work. */
const ends = {
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

async function onStage(
  server: PostgresServer,
  story: (stage: RestoreStage, proxy: SqlProxy) => Promise<void>,
): Promise<void> {
  const proxy = await SqlProxy.start(server.access())
  try {
    await story(await restoreStage(server, proxy.access()), proxy)
  } finally {
    await proxy.stop()
  }
}

/** All is as before the first worker. */
async function begin(kind: Kind, stage: RestoreStage): Promise<RestoreOrder> {
  const { server } = stage
  if (kind === 'where there is nothing') {
    await removeAll(server)
    return { ...(await stage.inPlace()), replaces: undefined }
  }
  await makeLive(server)
  if (kind === 'in place') return stage.inPlace()
  // As a restore leaves it, made by hand.
  await server.byHand('ALTER DATABASE crm RENAME TO crm_old_r1')
  await server.byHand('CREATE DATABASE crm OWNER crm_owner TEMPLATE crm_old_r1')
  await server.byHand('ALTER DATABASE crm_old_r1 ALLOW_CONNECTIONS false')
  await server.byHand('INSERT INTO orders SELECT n FROM generate_series(8, 1000) n; DELETE FROM orders WHERE id = -1', {
    database: 'crm',
  })
  return stage.inPlace({ requestId: 'u1', source: { kind: 'former', replacedBy: 'r1' } })
}

/** One life of a worker, with sessions of its own. */
async function work(order: RestoreOrder, stage: RestoreStage, signal: AbortSignal): Promise<void> {
  const life = engineHere()
  try {
    await restoreDatabase(order, stage.verificationTools({ engine: life.engine }), signal)
  } finally {
    await life.stop()
  }
}

/** The next lives, as a Job has them: what a dead worker has begun on the server may still be under way. */
async function end(order: RestoreOrder, stage: RestoreStage): Promise<void> {
  await waitUntil({ what: 'a worker to end the restore', limitMs: 120_000, everyMs: 200 }, () =>
    work(order, stage, never).then(
      () => true,
      (error: unknown) => {
        if (error instanceof CodedError && error.remedy === 'retry') return false
        throw error
      },
    ),
  )
}

async function killedAt(place: RegExp, order: RestoreOrder, stage: RestoreStage, proxy: SqlProxy): Promise<void> {
  const { storeFolder, workFolder } = stage
  const story: MortalRestore = { order, access: proxy.access(), storeFolder, workFolder }
  const program = new URL('mortal-restore.ts', import.meta.url).pathname
  const worker = spawn(process.execPath, [program, JSON.stringify(story)], { stdio: 'inherit' })
  try {
    const ended = once(worker, 'exit')
    proxy.judge = ({ text }) => {
      if (place.test(text)) worker.kill('SIGKILL')
      return 'pass'
    }
    const [, killedBy] = await ended
    expect({ place, killedBy }).toEqual({ place, killedBy: 'SIGKILL' })
  } finally {
    proxy.judge = () => 'pass'
    worker.kill('SIGKILL')
  }
}

/** With what is in the one that was put away; oids differ from story to story. */
async function sight(server: PostgresServer): Promise<unknown> {
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

/** Nobody may connect to it. */
async function ordersIn(server: PostgresServer, name: string): Promise<unknown> {
  await server.byHand(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  const rows = await server.byHand('SELECT count(*)::int AS orders, bool_or(id = -1) AS sentinel FROM orders', {
    database: name,
  })
  return rows[0]
}
