// How do a database and its restored copy change places? Step by step, from the names alone.
import { describe, expect, it } from 'vitest'
import {
  nextRestoreStep,
  restoreNames,
  swapChanges,
  undoChanges,
} from '../../../src/controllers/backup/restore-names.ts'

const names = restoreNames('shop', 'r1')

describe('a restore in place', () => {
  it('has names of its own, which a server does not cut off', () => {
    expect(names).toEqual({ live: 'shop', beside: 'shop_new_r1', former: 'shop_old_r1' })
    const { beside, former } = restoreNames('x'.repeat(63), 'r1')
    expect([beside, former].map((name) => name.length)).toEqual([63, 63])
    expect(beside).not.toBe(former)
  })

  it.each([
    [['shop'], false, 'restoreBeside'],
    [['shop', 'shop_new_r1'], false, 'restoreBeside'],
    [['shop', 'shop_new_r1'], true, 'swap'],
    [['shop', 'shop_old_r1'], false, 'done'],
    [['shop', 'shop_old_r0'], false, 'restoreBeside'],
    [['shop_new_r1', 'shop_old_r1'], true, 'lost'],
    [[], false, 'lost'],
  ] as const)('with %j, verified: %s, goes on with %s', (there, isVerified, step) => {
    expect(nextRestoreStep(names, { names: there, isVerified })).toBe(step)
  })

  it('is undone by the same names', () => {
    const renamed = (changes: ReturnType<typeof swapChanges>, there: ReadonlyMap<string, string>) => {
      const contents = new Map(there)
      for (const change of changes) {
        if (change.kind !== 'renameDatabase') throw new Error(change.kind)
        contents.set(change.to, contents.get(change.database) ?? '')
        contents.delete(change.database)
      }
      return contents
    }
    const before = new Map([
      ['shop', 'today'],
      ['shop_new_r1', 'yesterday'],
    ])
    const swapped = renamed(swapChanges(names), before)
    expect(Object.fromEntries(swapped)).toEqual({ shop_old_r1: 'today', shop: 'yesterday' })
    expect(Object.fromEntries(renamed(undoChanges(names), swapped))).toEqual(Object.fromEntries(before))
  })
})
