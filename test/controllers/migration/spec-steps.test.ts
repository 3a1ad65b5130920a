import { describe, expect, it } from 'vitest'
import type { MigrationSpecSteps } from '../../../imports/wire/migration.ts'
import { specSteps } from '../../../src/controllers/migration/spec-steps.ts'

const limits = { transaction: true, timeout: '5m', lockTimeout: '5s' } as const
const known = { timeoutMs: 300_000, lockTimeoutMs: 5_000 }
const sha256 = 'e004ebd5b5532a4b85984a62f8ad48a81aa3460c1ca07701f386135d72cdecf5'
const configMapKeyRef = { name: 'texts', key: 'a.sql', sha256 }

function made(step: Partial<MigrationSpecSteps>, texts: Readonly<Record<string, string>> = {}) {
  const steps = [{ name: 'a', type: 'SQL', ...limits, ...step } as const]
  return specSteps({ steps, texts: new Map(Object.entries(texts)), home: 'shop' })
}

describe('the steps of a spec', () => {
  it.each([
    [{ sql: 'SELECT 1' }, { kind: 'SQL', name: 'a', sql: 'SELECT 1', isTransactional: true, ...known }],
    [
      { sql: 'SELECT 1', transaction: false, timeout: '1h30m', lockTimeout: '10ms', down: 'SELECT 2' },
      {
        ...{ kind: 'SQL', name: 'a', sql: 'SELECT 1', isTransactional: false, down: 'SELECT 2' },
        ...{ timeoutMs: 5_400_000, lockTimeoutMs: 10 },
      },
    ],
    [
      { type: 'Assert' as const, verify: { sql: 'SELECT 1', expect: '1' } },
      { kind: 'Assert', name: 'a', verify: { sql: 'SELECT 1', expect: '1' }, ...known },
    ],
    [
      {
        type: 'Copy' as const,
        copy: { from: { name: 'old' }, mode: 'Logical' as const, tables: ['orders', 'crm.people'], batchRows: 5 },
      },
      {
        ...{ kind: 'Copy', mode: 'Logical', name: 'a', source: 'shop/old', batchRows: 5, ...known },
        tables: [
          { schema: 'public', name: 'orders' },
          { schema: 'crm', name: 'people' },
        ],
      },
    ],
  ])('%j', (step, expected) => {
    expect(made(step)).toEqual([expected])
  })

  it('have the text of a ConfigMap, if its checksum matches', () => {
    expect(made({ configMapKeyRef }, { 'texts/a.sql': 'SELECT 1' })).toMatchObject([{ sql: 'SELECT 1' }])
    expect(made({ configMapKeyRef })).toMatchObject({ kind: 'waiting', reason: 'SourceMissing' })
    expect(made({ configMapKeyRef }, { 'texts/a.sql': 'SELECT 2' })).toMatchObject({ reason: 'SourceChanged' })
  })
})
