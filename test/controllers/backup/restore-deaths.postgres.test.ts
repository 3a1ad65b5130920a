// Restores whose worker process is killed, whose server dies, or whose pg_restore outlives the worker. Invariant: the
// next worker completes the restore.
// The crash runs cover a death at every statement.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { expect, it } from 'vitest'
import type { RestoreOrder } from '../../../src/controllers/backup/restore-order.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { never } from '../stores/contents.ts'
import type { MortalRestore } from './mortal-restore.ts'
import { begin, durable, end, ends, sight, work } from './restore-crash.ts'
import { type RestoreStage, restoreStage } from './restore-stage.ts'

onEachPostgres(
  'a restore',
  (server, version) => {
    it('is completed by the next worker when its worker is killed', { timeout: 600_000 }, async () => {
      await onStage(server(), async (stage, proxy) => {
        for (const place of crashPlaces(moments, version, moments.length)) {
          const order = await begin('in place', stage)
          await killedAt(place, order, stage, proxy)
          await end(order, stage)
          expect({ place, sight: await sight(server()) }).toMatchObject({ sight: ends['in place'] })
        }
      })
    })

    it('is completed by the next worker when its server dies', { timeout: 600_000 }, async () => {
      await onStage(server(), async (stage, proxy) => {
        for (const place of crashPlaces(moments, version + 1, moments.length)) {
          const order = await begin('in place', stage)
          let death: Promise<void> | undefined
          proxy.judge = ({ text }) => {
            if (place.test(text)) death ??= server().kill()
            return 'pass'
          }
          // A client of the dying server gets an error.
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

    it('is completed without damage when its pg_restore outlives its worker', { timeout: 600_000 }, async () => {
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

/** Statements at which a process is killed. */
const moments = [/^CREATE DATABASE/, /^COPY public\.orders/, /^REASSIGN OWNED/, /ALLOW_CONNECTIONS false/, /RENAME TO/]

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
