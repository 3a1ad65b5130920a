import { describe, expect, it } from 'vitest'
import {
  orderDigest,
  orderText,
  type WorkerOrder,
  workerOrderIn,
} from '../../../src/controllers/migration/worker-order.ts'

const database = { name: 'shop/shop', database: 'shop', maintenanceDatabase: 'postgres', hasAuthority: false } as const
const order: WorkerOrder = {
  ...{ format: 1, migration: 'shop/v1', lock: 'database' },
  target: { ...database, folder: 'target', owner: 'shop_owner', tls: 'verify-full' },
  sources: [],
  order: {
    ...{ steps: [], onFailure: 'Stop', adoptsBaseline: false, retryToken: '', maxAttempts: 5 },
    approval: { kind: 'Auto' },
  },
  ...{ isRehearsed: false, requiresVerify: false },
}

describe('the job spec of a worker', () => {
  const text = orderText(order)

  it('is parsed as it was written', () => {
    expect(workerOrderIn(text, orderDigest(text))).toEqual(order)
  })

  it('is rejected when it differs from the one that the Job was created for', () => {
    const other = text.replace('shop_owner', 'postgres')
    expect(workerOrderIn(other, orderDigest(text))).toBeUndefined()
  })

  it('is rejected when another version wrote it', () => {
    const newer = text.replace('"format":1', '"format":2')
    expect(workerOrderIn(newer, orderDigest(newer))).toBeUndefined()
  })
})
