// Observation of a target server that is being filled and does not answer.
import { describe, expect, it } from 'vitest'
import { FillingByJob } from '../../../../src/controllers/database/upgrade/filling-client.ts'
import type { UpgradeCall } from '../../../../src/controllers/database/upgrade/upgrade-resource.ts'
import type { WorkerRun } from '../../../../src/controllers/migration/worker-run.ts'
import { noServer } from '../databases.ts'
import { movingDatabase, upgradeRecord } from './upgrade-records.ts'

async function seen(run: WorkerRun): Promise<string> {
  const { input } = upgradeRecord('Replicate')
  const facts = { move: { others: [], hasNextClaim: true, prepare: { run } } }
  // The code reads nothing else.
  const call = { object: movingDatabase(), input, token: 'a', facts } as unknown as UpgradeCall
  // The code does not get as far as to connect.
  const filling = new FillingByJob(() => noServer.server({} as never, {} as never))
  const sight = await filling.look(call)
  return sight.kind === 'broken' ? `${sight.reason}: ${sight.message}, ${sight.isTerminal}` : sight.kind
}

describe('a target server that does not answer', () => {
  it.each<[string, WorkerRun]>([
    ['before there is a worker', { kind: 'none' }],
    ['while a worker tries', { kind: 'active', last: undefined }],
    ['when a worker has done it all', { kind: 'ended', report: { outcome: 'Completed' }, endedAtMs: 0 }],
  ])('is observed again %s', async (_, run) => {
    await expect(seen(run)).rejects.toMatchObject({ code: 'ServerUnreachable' })
  })

  it("is abandoned when its worker has failed, with the worker's message", async () => {
    const report = { outcome: 'Interrupted', reason: 'StorageFull', message: 'no space left on device' } as const
    expect(await seen({ kind: 'ended', report, endedAtMs: 0 })).toBe('StorageFull: no space left on device, true')
  })
})
