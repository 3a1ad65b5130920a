// Wherever a worker dies, or its way to the server or the store breaks: the next one ends the work, what it made restores, and nothing is
// left behind (I3). Every statement is such a place, the tools' own too, before and after, and so is every operation of the store.
import { expect, it } from 'vitest'
import { makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { onPostgresOf } from '../../postgres/on-each-postgres.ts'
import { cutAt, SqlProxy } from '../../postgres/sql-proxy.ts'
import { never } from '../stores/contents.ts'
import { backupStage, makeDatabase, order, verification } from './backup-stage.ts'

/** No tool of this machine can save newer ones. */
const newestTool = 15
/** Each telling takes a second, and where a tool is cut off, as long as one waits for it. */
const stride = 31

/** Before and after each of so many statements. */
function cutsOf(count: number, version: number) {
  const cuts = Array.from(
    { length: count * 2 },
    (_, at) => ({ n: (at >> 1) + 1, when: at % 2 === 0 ? 'before' : 'after' }) as const,
  )
  return crashPlaces(cuts, version, stride)
}

onPostgresOf(
  (major) => major <= newestTool,
  'a worker that dies or is cut off',
  (server, version) => {
    it('leaves a backup that the next one ends', { timeout: 1_200_000 }, async () => {
      await makeDatabase(server())
      const proxy = await SqlProxy.start(server().access())
      try {
        const undisturbed = await backupStage(proxy.access())
        await makeBackup(order, undisturbed.backupTools(), never)
        const count = proxy.statements.length
        const places = cutsOf(count, version)
        expect(places.length).toBeGreaterThan(2)
        for (const { n, when } of places) {
          const stage = await backupStage(proxy.access())
          proxy.judge = cutAt(n, when)
          await makeBackup(order, stage.backupTools(), patience()).catch(() => undefined)
          proxy.judge = () => 'pass'
          const store = new FolderStore({ folder: stage.storeFolder, attempt: 'next' })
          const { manifest } = await makeBackup(order, stage.backupTools({ store, attempt: 'next' }), never)
          expect({ n, when, left: await stage.left() }).toEqual({
            n,
            when,
            left: [manifest.artifact.file, 'manifest.json'],
          })
        }
      } finally {
        await proxy.stop()
      }
    })

    it('leaves no scratch that the next one does not remove', { timeout: 1_200_000 }, async () => {
      await makeDatabase(server())
      const proxy = await SqlProxy.start(server().access())
      try {
        const stage = await backupStage(proxy.access())
        await makeBackup(order, stage.backupTools(), never)
        proxy.forget()
        await verifyBackup(verification, stage.verificationTools(), never)
        const count = proxy.statements.length
        const places = cutsOf(count, version)
        expect(places.length).toBeGreaterThan(2)
        for (const { n, when } of places) {
          proxy.judge = cutAt(n, when)
          await verifyBackup(verification, stage.verificationTools(), patience()).catch(() => undefined)
          proxy.judge = () => 'pass'
          await verifyBackup(verification, stage.verificationTools(), never)
          const left = await server().byHand(`SELECT datname AS name FROM pg_database WHERE datname LIKE '\\_verify%'
          UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE '\\_verify%'`)
          expect({ n, when, left }).toEqual({ n, when, left: [] })
        }
      } finally {
        await proxy.stop()
      }
    })

    it('at any operation of the store leaves a backup that the next one ends', async () => {
      await makeDatabase(server())
      let deaths = 0
      for (let n = 1; ; n += 1) {
        const stage = await backupStage(server().access())
        const store = dyingStore(stage.store, n)
        const hasDied = await makeBackup(order, stage.backupTools({ store }), never).then(
          () => false,
          () => true,
        )
        const next = new FolderStore({ folder: stage.storeFolder, attempt: 'next' })
        const { manifest } = await makeBackup(order, stage.backupTools({ store: next, attempt: 'next' }), never)
        expect({ n, left: await stage.left() }).toEqual({ n, left: [manifest.artifact.file, 'manifest.json'] })
        if (!hasDied) break
        deaths += 1
      }
      expect(deaths).toBeGreaterThan(6)
    })
  },
)

/** A tool that waits in the middle of a COPY for an answer that was cut off waits for ever: its Job has a deadline. */
const patience = () => AbortSignal.timeout(5_000)

/** From its nth operation on nothing is done any more; each counts twice, before it and after it. */
function dyingStore(store: ArtifactStore, n: number): ArtifactStore {
  let seen = 0
  const step = () => {
    seen += 1
    if (seen >= n) throw new Error('the worker is dead')
  }
  const around = async <T>(operation: () => Promise<T>): Promise<T> => {
    step()
    const result = await operation()
    step()
    return result
  }
  return {
    place: store.place,
    put: (...args) => around(() => store.put(...args)),
    find: (...args) => around(() => store.find(...args)),
    delete: (...args) => around(() => store.delete(...args)),
    sweep: (...args) => around(() => store.sweep(...args)),
    read: async function* (...args) {
      step()
      yield* store.read(...args)
    },
    list: async function* (...args) {
      step()
      yield* store.list(...args)
    },
  }
}
