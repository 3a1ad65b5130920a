// Faults at an instance's snapshot: the operator dies at a request or while its journal entry is stored. Invariant: the
// same end state, and each effect happens once.
import { onTestFinished } from 'vitest'
import type { CrashWorkflow } from '../../../crash-runs/crash-workflow.ts'
import { MotoServer } from '../../../rds/moto-server.ts'
import type { RdsBlow } from './external-world.ts'
import { tellOfRds } from './rds-crash.ts'
import { wholeSnapshotLife } from './snapshots.ts'

export const snapshotCrash: CrashWorkflow<RdsBlow> = {
  name: 'rds-snapshot',
  server: 'none',
  weight: 8,
  whole: { create: 1, delete: 1 },
  start: async () => {
    const moto = await MotoServer.start()
    onTestFinished(() => moto.stop())
    return { tell: (blows) => tellOfRds(moto.url, blows, wholeSnapshotLife) }
  },
}
