// Worker of an upgrade. Invariant: it is declared in each step that needs it, until its work is done.
import { describe, expect, it } from 'vitest'
import { loadMove } from '../../../../src/controllers/database/upgrade/move-loader.ts'
import type { LiveObject } from '../../../../src/index.ts'
import { access } from '../databases.ts'
import { movingDatabase, upgradeRecord } from './upgrade-records.ts'

type Context = Parameters<typeof loadMove>[0]
type Move = Parameters<typeof loadMove>[1]

function child(apiVersion: string, kind: string, name: string): LiveObject {
  return { apiVersion, kind, metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' } } as LiveObject // The API server returns this form.
}

const services = ['shop-db-pg15', 'shop-db-pg18'].map((name) => child('v1', 'Service', name))

async function worker(readyReplicas: number, children: readonly LiveObject[] = []): Promise<string | undefined> {
  const live = { find: async () => undefined, list: async () => [] }
  const context = { object: movingDatabase(), children: [...services, ...children], live, nowMs: 0, sagas: [] }
  const move = {
    ...{ record: upgradeRecord('Replicate'), connection: { kind: 'known', access } },
    beside: { volume: { pods: { readyReplicas } }, templateSize: undefined },
  }
  // The code reads nothing else.
  const { prepare } = await loadMove(context as unknown as Context, move as unknown as Move)
  return prepare && `${prepare.job.name}, ${prepare.run.kind}`
}

describe('the worker that fills a target server', () => {
  it('is created when that server is available, and not removed when it restarts', async () => {
    expect(await worker(0)).toBeUndefined()
    const made = await worker(1)
    expect(made).toMatch(/^shop-db-prepare-[0-9a-f]{8}, none$/)
    const name = made?.split(',', 1)[0] ?? ''
    expect(await worker(0, [child('batch/v1', 'Job', name)])).toBe(`${name}, active`)
  })
})
