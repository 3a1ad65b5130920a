import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../src/object/object.ts'
import type { DesiredSet } from '../../src/synth/desired.ts'
import { SynthMemo } from '../../src/synth/memo.ts'
import { parent, refusalOf } from './fixture.ts'

let made = 0
const make = (): DesiredSet => ({ objects: [], hash: String(made++) })

function isRemade(memo: SynthMemo, input: { parent: LiveObject; facts: unknown }): boolean {
  const before = made
  memo.get(input, make)
  return made > before
}

const withMetadata = (metadata: Partial<LiveObject['metadata']>): LiveObject => ({
  ...parent,
  metadata: { ...parent.metadata, ...metadata },
})

describe('SynthMemo', () => {
  it.each([
    { change: 'nothing', input: { parent, facts: { a: 1, b: 2 } }, remade: false },
    { change: 'the order of keys', input: { parent, facts: { b: 2, a: 1 } }, remade: false },
    {
      change: 'the resourceVersion',
      input: { parent: withMetadata({ resourceVersion: '8' }), facts: { a: 1, b: 2 } },
      remade: false,
    },
    {
      change: 'the status',
      input: { parent: { ...parent, status: { ready: 1 } }, facts: { a: 1, b: 2 } },
      remade: false,
    },
    {
      change: 'the generation',
      input: { parent: withMetadata({ generation: 4 }), facts: { a: 1, b: 2 } },
      remade: true,
    },
    {
      change: 'a label',
      input: { parent: withMetadata({ labels: { tier: 'iron' } }), facts: { a: 1, b: 2 } },
      remade: true,
    },
    {
      change: 'an annotation',
      input: { parent: withMetadata({ annotations: { a: '' } }), facts: { a: 1, b: 2 } },
      remade: true,
    },
    { change: 'a fact', input: { parent, facts: { a: 1, b: 3 } }, remade: true },
    { change: 'a namesake', input: { parent: withMetadata({ uid: 'uid-9' }), facts: { a: 1, b: 2 } }, remade: true },
  ])('after a change of $change synthesizes again: $remade', ({ input, remade }) => {
    const memo = new SynthMemo({ capacity: 10 })
    memo.get({ parent, facts: { a: 1, b: 2 } }, make)
    expect(isRemade(memo, input)).toBe(remade)
  })

  it('counts the spec if there is no generation', () => {
    const { generation: _, ...metadata } = parent.metadata
    const memo = new SynthMemo({ capacity: 10 })
    memo.get({ parent: { ...parent, metadata }, facts: {} }, make)
    expect(isRemade(memo, { parent: { ...parent, metadata, spec: { replicas: 4 } }, facts: {} })).toBe(true)
  })

  it('returns the same set again', () => {
    const memo = new SynthMemo({ capacity: 10 })
    expect(memo.get({ parent, facts: {} }, make)).toBe(memo.get({ parent, facts: {} }, make))
  })

  it('forgets the least recently used resource, and keeps one set per resource', () => {
    const memo = new SynthMemo({ capacity: 2 })
    const [a, b, c] = ['a', 'b', 'c'].map((uid) => ({ parent: withMetadata({ uid }), facts: null }))
    if (a === undefined || b === undefined || c === undefined) throw new Error('three resources')
    for (const input of [a, b, a, c]) memo.get(input, make)
    expect([a, c].map((input) => isRemade(memo, input))).toEqual([false, false])
    for (const facts of [1, 2, 3]) memo.get({ ...a, facts }, make)
    expect(memo.size).toBe(2)
    expect(isRemade(memo, c)).toBe(false)
    expect(isRemade(memo, b)).toBe(true)
  })

  it('forgets a deleted resource', () => {
    const memo = new SynthMemo({ capacity: 2 })
    memo.get({ parent, facts: null }, make)
    memo.forget(parent.metadata.uid)
    expect(memo.size).toBe(0)
  })

  it('does not remember a failure', () => {
    const memo = new SynthMemo({ capacity: 2 })
    const fail = () => {
      throw new Error('no')
    }
    expect(() => memo.get({ parent, facts: null }, fail)).toThrow('no')
    expect(isRemade(memo, { parent, facts: null })).toBe(true)
  })

  it('rejects facts that would hash the same after a change', () => {
    const memo = new SynthMemo({ capacity: 2 })
    const refusal = refusalOf(() => memo.get({ parent, facts: { since: new Map([['a', 1]]) } }, make))
    expect(refusal).toMatchObject({
      code: 'NotJson',
      message: expect.stringContaining('/facts/since is an instance of Map'),
    })
  })

  it('has room for at least one', () => {
    expect(() => new SynthMemo({ capacity: 0 })).toThrow('at least one')
  })
})
