// Worker of a crash run, in the process of the test or in its own. It backs up a database or its whole server.
import { systemClock } from '../../../src/base/clock.ts'
import { type BackupOrder, makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { makePhysicalBackup, type PhysicalOrder } from '../../../src/controllers/backup/physical-backup-worker.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import { postgresPhysicalEngine } from '../../../src/controllers/engines/postgres/physical/physical-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'

export interface Saving {
  readonly order: BackupOrder | PhysicalOrder
  readonly access: ServerAccess
  readonly store: ArtifactStore
  readonly workFolder: string
  readonly attempt: string
}

const common = { clock: systemClock, places: { versions: '/usr/lib/postgresql', folders: [] } }

export async function saved({ order, workFolder, ...rest }: Saving, signal: AbortSignal): Promise<void> {
  const tools = { ...rest, clock: systemClock }
  if ('method' in order) {
    const engine = postgresPhysicalEngine({ ...common, workFolder, user: undefined })
    await makePhysicalBackup(order, { ...tools, engine }, signal)
  } else {
    const engine = postgresLogicalEngine({ ...common, workFolder })
    await makeBackup(order, { ...tools, engine }, signal)
  }
}
