// Names of the three databases of a restore, and the swap of two of them.
import { expect, it } from 'vitest'
import {
  formerName,
  restoreNames,
  type Swap,
  swapChanges,
  undoNames,
} from '../../../src/controllers/backup/restore-names.ts'
import { observedDatabase, token } from '../database/databases.ts'

const names = restoreNames('shop', 'r1')

it('a restore has names of its own, which a server does not truncate', () => {
  expect(names).toEqual({ live: 'shop', beside: 'shop_new_r1', former: 'shop_old_r1' })
  const { beside, former } = restoreNames('x'.repeat(63), 'r1')
  expect([beside, former].map((name) => name.length)).toEqual([63, 63])
  expect(beside).not.toBe(former)
})

it('an undo swaps the live database with the one that an earlier request has replaced', () => {
  expect(undoNames('shop', 'u1', 'r1')).toEqual({
    live: 'shop',
    beside: names.former,
    former: formerName('shop', 'u1'),
  })
})

const swap: Swap = {
  names,
  live: observedDatabase({ name: 'shop', oid: 1 }),
  beside: observedDatabase({ name: 'shop_new_r1', oid: 2 }),
  token,
  succession: { request: 'r1', replaced: 'pg://7/1' },
}

/** Returns name and openness of each database after the swap; undefined if the transaction fails. */
function carriedOut(changes: ReturnType<typeof swapChanges>, before: Readonly<Record<string, number>>) {
  const oids = new Map(Object.entries(before))
  const open = new Map<number, boolean>()
  const marks: number[] = []
  const plain: number[] = []
  for (const change of changes) {
    if (!('database' in change) || change.database === undefined) throw new Error(change.kind)
    const oid = oids.get(change.database)
    if (oid === undefined) return undefined
    if (change.kind === 'expectDatabase' && change.oid !== oid) return undefined
    if (change.kind === 'renameDatabase') {
      if (oids.has(change.to)) return undefined
      oids.set(change.to, oid)
      oids.delete(change.database)
    }
    if (change.kind === 'allowConnections') open.set(oid, change.allows)
    if (change.kind === 'markDatabase') marks.push(oid)
    if (change.kind === 'resetTemplate') plain.push(oid)
  }
  return { oids: Object.fromEntries(oids), open: Object.fromEntries(open), marks, plain }
}

it('a swap renames the copy, opens it, and closes the replaced database; neither is a template', () => {
  expect(carriedOut(swapChanges(swap), { shop: 1, shop_new_r1: 2 })).toEqual({
    oids: { shop: 2, shop_old_r1: 1 },
    open: { 1: false, 2: true },
    marks: [2],
    plain: [1, 2],
  })
})

it('a swap renames the copy when no database has the name', () => {
  expect(carriedOut(swapChanges({ ...swap, live: undefined }), { shop_new_r1: 2 })).toEqual({
    oids: { shop: 2 },
    open: { 2: true },
    marks: [2],
    plain: [2],
  })
})

it.each([
  ['another is called so since', { shop: 9, shop_new_r1: 2 }],
  ['the copy is another one', { shop: 1, shop_new_r1: 9 }],
  ['there is no copy', { shop: 1 }],
  ['it was done before', { shop: 2, shop_old_r1: 1 }],
])('a swap fails as a whole when %s', (_, before) => {
  expect(carriedOut(swapChanges(swap), before)).toBeUndefined()
})

it('a swap revokes what a role has lost since, before it opens the returning database', () => {
  const holder = (role: string, privileges: readonly string[] = ['CONNECT']) => ({
    ...{ role, token: undefined, grantors: [], privileges },
  })
  const live = observedDatabase({ name: 'shop', oid: 1, holders: [holder('web')] })
  const beside = observedDatabase({
    ...{ name: 'shop_new_r1', oid: 2 },
    holders: [holder('web'), holder('guest', ['CONNECT', 'TEMPORARY']), holder('member', [])],
  })
  const changes = swapChanges({ ...swap, live, beside })
  const revoke = { kind: 'revoke', role: 'guest', on: 'Database', names: ['shop'] }
  expect(changes.slice(-2)).toMatchObject([
    { ...revoke, privileges: ['CONNECT', 'TEMPORARY'] },
    { kind: 'allowConnections', database: 'shop', allows: true },
  ])
  expect(changes.filter(({ kind }) => kind === 'revoke')).toHaveLength(1)
  expect(swapChanges({ ...swap, live: undefined, beside }).filter(({ kind }) => kind === 'revoke')).toEqual([])
})
