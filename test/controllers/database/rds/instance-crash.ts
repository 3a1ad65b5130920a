// Faults at an Amazon RDS instance: the operator dies at a request or while its journal entry is stored. Invariant: the
// same end state, and each effect happens once.
import { onTestFinished } from 'vitest'
import type { CrashWorkflow } from '../../../crash-runs/crash-workflow.ts'
import { MotoServer } from '../../../rds/moto-server.ts'
import type { RdsBlow } from './external-world.ts'
import { wholeLife } from './instance-world.ts'
import { tellOfRds } from './rds-crash.ts'

export const instanceCrash: CrashWorkflow<RdsBlow> = {
  name: 'rds-instance',
  weight: 16,
  server: 'none',
  whole: { create: 1, modify: 1, delete: 1 },
  start: async () => {
    const moto = await MotoServer.start()
    onTestFinished(() => moto.stop())
    return { tell: (blows) => tellOfRds(moto.url, blows, wholeLife) }
  },
}
