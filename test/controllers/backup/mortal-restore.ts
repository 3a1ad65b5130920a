// A worker as a process for tests that kill it: restores the database of its one argument.
import process from 'node:process'
import { systemClock } from '../../../src/base/clock.ts'
import { silentInstruments } from '../../../src/base/instrument.ts'
import { systemRandom, systemSecrets } from '../../../src/base/random.ts'
import type { RestoreOrder } from '../../../src/controllers/backup/restore-order.ts'
import { restoreDatabase } from '../../../src/controllers/backup/restore-worker.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import { postgresEngine } from '../../../src/controllers/engines/postgres/postgres-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'

export interface MortalRestore {
  readonly order: RestoreOrder
  readonly access: ServerAccess
  readonly storeFolder: string
  readonly workFolder: string
}

// Sound: the test that starts this process writes it.
const { order, access, storeFolder, workFolder } = JSON.parse(process.argv[2] ?? '') as MortalRestore
const { log, tracer } = silentInstruments
const engine = postgresEngine({
  ...{ clock: systemClock, random: systemRandom, log, tracer },
  endpoint: (name) => ({ name, isOpen: false, call: (_, run, signal) => run(signal) }),
  atStop: () => undefined,
})
const places = { versions: '/usr/lib/postgresql', folders: [] }
const logical = postgresLogicalEngine({ clock: systemClock, places, workFolder })
const store = new FolderStore({ folder: storeFolder, attempt: 'mortal' })
await restoreDatabase(
  order,
  { store, engine, logical, access, secrets: systemSecrets, workFolder, clock: systemClock },
  new AbortController().signal,
)
process.exit(0)
