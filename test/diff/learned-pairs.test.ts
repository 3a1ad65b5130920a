import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonObject } from '../../src/base/json.ts'
import { LearnedPairs, pairOf } from '../../src/diff/learned-pairs.ts'
import { live as anyLive } from '../objects.ts'
import { desiredOf, edits, manager, simulateApply, specs } from './simulated-apply.ts'

const pair = { desiredHash: 'd', ownedHash: 'o' }

describe('pairOf', () => {
  it('hashes desired objects equally exactly if they are equal', () => {
    fc.assert(
      fc.property(specs, specs, (left, right) => {
        const hashes = [left, right].map((spec) => pairOf(desiredOf(spec), simulateApply(left), manager)?.desiredHash)
        const isEqual =
          canonicalJson(desiredOf(left) as unknown as JsonObject) ===
          canonicalJson(desiredOf(right) as unknown as JsonObject)
        expect(hashes[0] === hashes[1]).toBe(isEqual)
      }),
    )
  })

  it('changes with drift of owned fields, and with nothing that others write', () => {
    fc.assert(
      fc.property(specs, fc.nat(), (spec, choice) => {
        const all = edits(spec)
        const edit = all[choice % Math.max(1, all.length)]
        fc.pre(edit !== undefined)
        const desired = desiredOf(spec)
        const live = simulateApply(spec)
        const before = pairOf(desired, live, manager)
        const touched = {
          ...live,
          status: { other: 1 },
          metadata: { ...live.metadata, labels: { theirs: 'y' }, resourceVersion: '2' },
        }
        expect(pairOf(desired, touched, manager)).toEqual(before)
        expect(pairOf(desired, simulateApply(spec, edit.node), manager)?.ownedHash).not.toBe(before?.ownedHash)
      }),
    )
  })

  it('is undefined before the first apply', () => {
    expect(pairOf(anyLive(), anyLive(), manager)).toBeUndefined()
  })

  it('changes with a new order of list items, but not of a set', () => {
    const owned = {
      'f:spec': {
        'f:items': { 'k:{"id":1}': { 'f:id': {} }, 'k:{"id":2}': { 'f:id': {} } },
        'f:set': { 'v:1': {}, 'v:2': {} },
      },
    }
    const managedFields = [{ manager, operation: 'Apply' as const, apiVersion: 'v1', fieldsV1: owned }]
    const hash = (items: readonly number[], set: readonly number[]) => {
      const live = anyLive({ metadata: { managedFields }, spec: { items: items.map((id) => ({ id })), set } })
      return pairOf(live, live, manager)?.ownedHash
    }
    expect(hash([1, 2], [2, 1])).toBe(hash([1, 2], [1, 2]))
    expect(hash([2, 1], [1, 2])).not.toBe(hash([1, 2], [1, 2]))
    expect(hash([1, 3, 2], [1, 3, 2])).toBe(hash([1, 2], [1, 2]))
  })
})

describe('LearnedPairs', () => {
  const lesson = { part: 'u', pair, isRewritten: true, nowMs: 0 }

  it('knows the last pair of a rewritten object and no other', () => {
    const pairs = new LearnedPairs()
    expect(pairs.isKnown('u', pair, 0)).toBe(false)
    pairs.learn(lesson)
    expect(pairs.isKnown('u', pair, 1)).toBe(true)
    expect(pairs.isKnown('v', pair, 1)).toBe(false)
    expect(pairs.isKnown('u', { ...pair, desiredHash: 'e' }, 1)).toBe(false)
    expect(pairs.isKnown('u', { ...pair, ownedHash: 'p' }, 1)).toBe(false)
    pairs.learn({ ...lesson, pair: { ...pair, ownedHash: 'p' }, nowMs: 1 })
    expect(pairs.isKnown('u', pair, 1)).toBe(false)
    pairs.learn({ ...lesson, isRewritten: false, nowMs: 2 })
    expect(pairs.isKnown('u', pair, 2)).toBe(false)
  })

  it('knows any number of objects, and forgets each after its time', () => {
    const pairs = new LearnedPairs({ knownMs: 1_000 })
    const parts = Array.from({ length: 20_000 }, (_, index) => `u${index}`)
    for (const part of parts) pairs.learn({ ...lesson, part })
    expect(parts.every((part) => pairs.isKnown(part, pair, 999))).toBe(true)
    expect(parts.some((part) => pairs.isKnown(part, pair, 1_000))).toBe(false)
    pairs.learn({ ...lesson, part: 'later', nowMs: 100 })
    expect(pairs.size).toBe(20_001)
    pairs.learn({ ...lesson, part: 'latest', nowMs: 1_000 })
    expect(pairs.size).toBe(2)
  })
})
