import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../src/base/json.ts'
import { wireJson } from '../../src/synth/wire-json.ts'
import { refusalOf } from './fixture.ts'

const owner = { name: 'construct a', constructPath: 'a' }

describe('wireJson', () => {
  it('gives JSON that reads the same, with sorted keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(wireJson(value, owner))
        expect(text).toBe(JSON.stringify(JSON.parse(canonicalJson(value as Json))))
      }),
    )
  })

  it('keeps a key that a plain assignment would lose', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":"x"}')
    expect(canonicalJson(wireJson(value, owner))).toBe('{"__proto__":{"a":1},"constructor":"x"}')
  })

  it('omits undefined fields and makes undefined items null, like JSON.stringify', () => {
    const value = { b: undefined, a: [undefined, 1] }
    expect(JSON.stringify(wireJson(value, owner))).toBe(JSON.stringify(value))
  })

  class Thing {}
  const loop: unknown[] = []
  loop.push(loop)
  it.each([
    { what: 'a NaN', value: Number.NaN, says: 'is NaN' },
    { what: 'an infinity', value: Number.NEGATIVE_INFINITY, says: 'is -Infinity' },
    { what: 'a bigint beyond int64', value: 2n ** 63n, says: 'is a bigint' },
    { what: 'a symbol', value: Symbol('x'), says: 'is a symbol' },
    { what: 'a function', value: () => 1, says: 'is a function' },
    { what: 'a date', value: new Date(0), says: 'is an instance of Date' },
    { what: 'a map', value: new Map(), says: 'is an instance of Map' },
    { what: 'an instance of a class', value: new Thing(), says: 'is an instance of Thing' },
    { what: 'a list in itself', value: loop, says: 'contains itself' },
  ])('rejects $what and names its path', ({ value, says }) => {
    const refusal = refusalOf(() => wireJson({ spec: [0, { field: value }] }, owner))
    expect(refusal).toMatchObject({ code: 'NotJson', constructPath: 'a' })
    expect(refusal.message).toMatch(/^construct a: \/spec\/1\/field/)
    expect(refusal.message).toContain(says)
  })
})
