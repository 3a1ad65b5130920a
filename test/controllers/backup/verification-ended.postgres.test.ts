// Verifications whose worker is stopped, for example because its Backup is deleted or suspended. Invariant: no later
// worker may run, so the worker itself removes its objects from the server.
import { expect, it, onTestFinished } from 'vitest'
import { makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { onPostgresOf } from '../../postgres/on-each-postgres.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { never } from '../stores/contents.ts'
import { backupStage, order, verification } from './backup-stage.ts'
import { makeSmallDatabase } from './restore-stage.ts'

onPostgresOf(
  (major) => major <= 15,
  'a proof whose worker is told to end',
  (server) => {
    it('leaves no objects on the server at any point', { timeout: 600_000 }, async () => {
      await makeSmallDatabase(server())
      const proxy = await SqlProxy.start(server().access())
      onTestFinished(() => proxy.stop())
      const stage = await backupStage(proxy.access())
      await makeBackup(order, stage.backupTools(), never)
      proxy.forget()
      await verifyBackup(verification, stage.verificationTools(), never)
      const count = proxy.statements.length
      for (const place of crashPlaces([...Array(count).keys()], 15)) {
        const text = proxy.statements[place]?.text
        const stopping = new AbortController()
        let seen = 0
        proxy.judge = () => {
          if (seen === place) stopping.abort(new Error('the worker is told to end'))
          seen += 1
          return 'pass'
        }
        await verifyBackup(verification, stage.verificationTools(), stopping.signal).catch(() => undefined)
        expect({ place, text, left: await left() }).toEqual({ place, text, left: [] })
      }
    })

    async function left(): Promise<unknown> {
      return await server().byHand(`SELECT datname AS name FROM pg_database WHERE datname LIKE '\\_verify%'
        UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE '\\_verify%'`)
    }
  },
)
