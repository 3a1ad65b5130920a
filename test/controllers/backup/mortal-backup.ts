// A worker as a process of its own, for crash runs that kill it: makes the backup that its one argument says, and ends.
import { flushCompileCache } from 'node:module'
import process from 'node:process'
import { systemClock } from '../../../src/base/clock.ts'
import { type BackupOrder, makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { type MortalStoreOptions, mortalStore } from './mortal-store.ts'

export interface MortalBackup {
  readonly order: BackupOrder
  readonly access: ServerAccess
  readonly store: MortalStoreOptions
  readonly workFolder: string
  readonly attempt: string
  readonly patienceMs: number
}

// Whoever is killed writes nothing down any more.
flushCompileCache()
// Sound: the run that starts this process writes it.
const { order, access, store, workFolder, attempt, patienceMs } = JSON.parse(process.argv[2] ?? '') as MortalBackup
const engine = postgresLogicalEngine({
  ...{ clock: systemClock, places: { versions: '/usr/lib/postgresql', folders: [] }, workFolder },
})
await makeBackup(
  order,
  {
    store: mortalStore(store, attempt, () => process.kill(process.pid, 'SIGKILL')),
    engine,
    access,
    clock: systemClock,
    attempt,
  },
  AbortSignal.timeout(patienceMs),
)
process.exit(0)
