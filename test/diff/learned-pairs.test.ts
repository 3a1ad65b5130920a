import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonObject } from '../../src/base/json.ts'
import { compareLearned } from '../../src/diff/compare-learned.ts'
import { fieldPath } from '../../src/diff/field-path.ts'
import { LearnedPairs, pairOf } from '../../src/diff/learned-pairs.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'
import { live as anyLive } from '../objects.ts'
import { desiredOf, edits, manager, simulateApply, specs } from './simulated-apply.ts'

const pair = { desiredHash: 'd', ownedHash: 'o' }
const paths = [fieldPath('spec', 'a')]

describe('pairOf', () => {
  it('hashes desired objects alike exactly if they are equal', () => {
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

  it('sees a drift of what we own, and nothing that others write', () => {
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

  it('sees a new order of list items, but not of a set', () => {
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
  it('knows the last pair of an object and no other', () => {
    const pairs = new LearnedPairs()
    expect(pairs.isKnown('u', pair)).toBe(false)
    pairs.learn({ uid: 'u', pair, paths, nowMs: 0 })
    expect(pairs.isKnown('u', pair)).toBe(true)
    expect(pairs.isKnown('v', pair)).toBe(false)
    expect(pairs.isKnown('u', { ...pair, desiredHash: 'e' })).toBe(false)
    expect(pairs.isKnown('u', { ...pair, ownedHash: 'p' })).toBe(false)
    pairs.learn({ uid: 'u', pair: { ...pair, ownedHash: 'p' }, paths, nowMs: 1 })
    expect(pairs.isKnown('u', pair)).toBe(false)
    pairs.forget('u')
    expect(pairs.size).toBe(0)
  })

  it('forgets the object that was longest out of use', () => {
    const pairs = new LearnedPairs({ capacity: 2 })
    for (const uid of ['a', 'b']) pairs.learn({ uid, pair, paths, nowMs: 0 })
    pairs.isKnown('a', pair)
    pairs.learn({ uid: 'c', pair, paths, nowMs: 0 })
    expect(['a', 'b', 'c'].map((uid) => pairs.isKnown(uid, pair))).toEqual([true, false, true])
    expect(pairs.size).toBe(2)
  })

  it('refuses to have room for nothing', () => {
    expect(() => new LearnedPairs({ capacity: 0 })).toThrow('invariant broken')
  })

  const learn = (pairs: LearnedPairs, nowMs: number, desiredHash = 'd', ownedHash = 'o', names = ['a']) =>
    pairs.learn({
      uid: 'u',
      pair: { desiredHash, ownedHash },
      paths: names.map((name) => fieldPath('spec', name)),
      nowMs,
    })

  it('gives up after three applies of the same object, and names the paths that differed each time', () => {
    const pairs = new LearnedPairs()
    expect(learn(pairs, 0, 'd', 'o', ['new', 'a', 'b'])).toEqual({ kind: 'settling', rounds: 1 })
    expect(learn(pairs, 1, 'd', 'o', ['a', 'b'])).toEqual({ kind: 'settling', rounds: 2 })
    expect(learn(pairs, 2, 'd', 'o', ['a', 'c'])).toEqual({ kind: 'not-converging', rounds: 3, paths: ['spec.a'] })
    expect(learn(pairs, 3, 'd', 'o', ['x'])).toEqual({ kind: 'not-converging', rounds: 4, paths: ['spec.x'] })
  })

  it('counts on when the server answers differently each time', () => {
    const pairs = new LearnedPairs()
    expect(['1', '2', '3'].map((ownedHash, nowMs) => learn(pairs, nowMs, 'd', ownedHash).kind)).toEqual([
      'settling',
      'settling',
      'not-converging',
    ])
  })

  it('counts on although the object looked settled in between', () => {
    const pairs = new LearnedPairs()
    learn(pairs, 0)
    pairs.isKnown('u', pair)
    learn(pairs, 1)
    pairs.isKnown('u', pair)
    expect(learn(pairs, 2).kind).toBe('not-converging')
  })

  it('starts again when something else is desired', () => {
    const pairs = new LearnedPairs()
    expect(['d', 'd', 'e', 'd', 'd'].map((desiredHash, nowMs) => learn(pairs, nowMs, desiredHash).rounds)).toEqual([
      1, 2, 1, 1, 2,
    ])
  })

  it('starts again after a quiet time', () => {
    const pairs = new LearnedPairs({ quietMs: 100 })
    expect([0, 99, 199, 298].map((nowMs) => learn(pairs, nowMs).rounds)).toEqual([1, 2, 1, 2])
  })
})

describe('compareLearned', () => {
  const fieldsV1 = { 'f:spec': { 'f:rules': {} } }
  const managedFields = [{ manager, operation: 'Apply', apiVersion: 'example.com/v1', fieldsV1 }] as const
  const odd = { apiVersion: 'example.com/v1', kind: 'Odd' }
  const live: LiveObject = anyLive({ ...odd, metadata: { managedFields }, spec: { rules: [{ host: 'x', weight: 1 }] } })
  const desired = (rule: JsonObject): KubeObject => ({ ...odd, metadata: { name: 'a' }, spec: { rules: [rule] } })
  const learned = (object: KubeObject): LearnedPairs => {
    const pairs = new LearnedPairs()
    const known = pairOf(object, live, manager)
    if (known !== undefined) pairs.learn({ uid: live.metadata.uid, pair: known, paths: [], nowMs: 0 })
    return pairs
  }
  const kindOf = (object: KubeObject, pairs: LearnedPairs): string =>
    compareLearned({ desired: object, live, manager, pairs }).kind

  it('accepts another spelling that an apply of the same object has led to', () => {
    const object = desired({ host: 'X', weight: 1 })
    expect(kindOf(object, new LearnedPairs())).toBe('different')
    expect(kindOf(object, learned(object))).toBe('equal')
  })

  it('sees a drift although the pair was known', () => {
    const object = desired({ host: 'X', weight: 1 })
    const drifted = { ...live, spec: { rules: [{ host: 'z', weight: 1 }] } }
    expect(compareLearned({ desired: object, live: drifted, manager, pairs: learned(object) }).kind).toBe('different')
  })

  it('takes gained fields for defaults as long as the declaration has not changed', () => {
    const object = desired({ host: 'x' })
    expect(kindOf(object, new LearnedPairs())).toBe('equal')
    expect(kindOf(object, learned(object))).toBe('equal')
  })

  it('takes gained fields for left over when the declaration has changed', () => {
    const pairs = learned(desired({ host: 'x', weight: 1 }))
    const comparison = compareLearned({ desired: desired({ host: 'x' }), live, manager, pairs })
    expect(comparison).toMatchObject({ kind: 'different', changes: [{ kind: 'remove' }] })
  })

  it('lets nothing known make up for never having applied', () => {
    const foreign = anyLive({ ...odd, spec: { rules: [] } })
    expect(compareLearned({ desired: desired({}), live: foreign, manager, pairs: learned(desired({})) }).kind).toBe(
      'unowned',
    )
  })
})
