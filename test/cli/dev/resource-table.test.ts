import { describe, expect, it } from 'vitest'
import { type OwnResource, shownKinds } from '../../../src/cli/dev/own-kinds.ts'
import type { ResourceRow } from '../../../src/cli/dev/resource-table.ts'
import { changedRows, rowOf, tableHead, tableLine } from '../../../src/cli/dev/resource-table.ts'

const rowOfA = (shortName: string, listed: OwnResource): ResourceRow => {
  const kind = shownKinds.find((shown) => shown.shortName === shortName)
  if (kind === undefined) throw new Error(`${shortName} is not shown`)
  return rowOf(kind, listed)
}
const created: OwnResource = {
  metadata: { namespace: 'shop', name: 'cart', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { replicas: 3 },
}
const withReady = (status: string, observedGeneration: number): OwnResource => ({
  ...created,
  status: { observedGeneration, readyReplicas: 2, conditions: [{ type: 'Ready', status, reason: 'Because' }] },
})
const row = rowOfA('kv', withReady('True', 2))
const secondMs = 1_000
const minuteMs = 60 * secondMs

describe('the row of a resource', () => {
  it('is not ready, with a dash as its status, before the first status', () => {
    expect(rowOfA('kv', created)).toEqual({
      kind: 'kv',
      resource: 'kv shop/cart',
      detail: '0 of 3 replicas',
      status: '-',
      isReady: false,
      createdMs: Date.UTC(2026, 0, 1),
    })
  })

  it.each([
    ['ready when Ready is true of the newest spec', 'True', 2, true],
    ['not ready when Ready is true of an older spec', 'True', 1, false],
    ['not ready when Ready is false', 'False', 2, false],
    ['not ready when Ready is unknown', 'Unknown', 2, false],
  ])('is %s', (_, status, observedGeneration, isReady) => {
    const listed = withReady(status, observedGeneration)
    expect(rowOfA('kv', listed)).toMatchObject({ detail: '2 of 3 replicas', status: 'Because', isReady })
  })

  it.each([
    ['db', {}, undefined, ''],
    ['db', {}, { serverVersion: '18.4' }, 'PostgreSQL 18.4'],
    ['dbu', { databases: [{ name: 'orders' }, { name: 'crm' }] }, undefined, 'orders, crm'],
    ['dbu', { databases: [{ name: 'orders' }] }, { access: 'ReadWrite' }, 'ReadWrite on orders'],
    ['mig', {}, undefined, ''],
    ['mig', {}, { progress: '2/3' }, '2/3 steps'],
    ['bak', { schedule: '30 2 * * *' }, undefined, '30 2 * * *'],
    ['bak', {}, undefined, ''],
    ['bak', {}, { artifact: { bytes: 5120 } }, '5120 bytes'],
  ])('has the summary of a %s', (shortName, spec, status, detail) => {
    const listed = { metadata: created.metadata, spec, ...(status === undefined ? {} : { status }) }
    expect(rowOfA(shortName, listed)).toMatchObject({ resource: `${shortName} shop/cart`, detail })
  })
})

describe('the line of a row', () => {
  it('aligns with the head, also with short or long words', () => {
    const lines = [row, { ...row, resource: 'kv a/b', detail: '', status: 'WaitingForReplicas' }].map((one) =>
      tableLine(one, row.createdMs),
    )
    const ages = [tableHead, ...lines].map((line) => line.length - (line.split(' ').at(-1) ?? '').length)
    expect(new Set(ages).size).toBe(1)
    expect(lines[0]).toMatch(/^kv shop\/cart +2 of 3 replicas +True +Because +0s$/)
  })

  it.each([
    [-5 * secondMs, '0s'],
    [119.9 * secondMs, '119s'],
    [2 * minuteMs, '2m'],
    [2 * minuteMs + 5 * secondMs, '2m5s'],
    [10 * minuteMs + 5 * secondMs, '10m'],
    [179 * minuteMs, '179m'],
    [180 * minuteMs, '3h'],
  ])('shows an age of %d ms as %s', (ageMs, text) => {
    expect(
      tableLine(row, row.createdMs + ageMs)
        .split(/ +/)
        .at(-1),
    ).toBe(text)
  })
})

describe('the rows that changed', () => {
  const other = { ...row, resource: 'kv shop/other' }

  it('are none if only time has passed', () => {
    expect(changedRows([row, other], [{ ...row }, { ...other }])).toEqual([])
  })

  it.each([
    ['the detail', { detail: '2 of 5 replicas' }],
    ['the readiness', { isReady: false }],
    ['the status', { status: 'RollingOut' }],
    ['the life, by a deletion and a creation in between,', { createdMs: 1 }],
  ])('are those whose %s changed', (_, change) => {
    expect(changedRows([row, other], [row, { ...other, ...change }])).toEqual([{ ...other, ...change }])
  })

  it('are new and removed rows', () => {
    const gone = { ...row, detail: '', status: 'Deleted', isReady: false }
    expect(changedRows([row], [other])).toEqual([other, gone])
  })
})
