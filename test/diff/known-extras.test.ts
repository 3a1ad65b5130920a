import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import type { Change, Extras } from '../../src/diff/compare.ts'
import { fieldElement } from '../../src/diff/field-path.ts'
import { KnownExtras } from '../../src/diff/known-extras.ts'

const child = { uid: '1', manager: 'shop/sites' }
const changes = (fields: Readonly<Record<string, Json>>): readonly Change[] =>
  Object.entries(fields).map(([name, live]) => ({ kind: 'remove', path: [fieldElement(name)], live }))
const extras = (defaults: Readonly<Record<string, Json>>, contents: Readonly<Record<string, Json>> = {}): Extras => ({
  defaults: changes(defaults),
  contents: changes(contents),
})

describe('known extras', () => {
  it('accept the first state, and doubt differences from it until a response contains them', () => {
    const known = new KnownExtras()
    expect(known.doubtAbout(child, extras({ a: 1 }))).toBeUndefined()
    expect(known.doubtAbout(child, extras({ a: 1 }))).toBeUndefined()
    expect(known.doubtAbout(child, extras({ a: 2 }))).toEqual({ changes: changes({ a: 2 }) })
    expect(known.learn(child, extras({ a: 2 }), undefined)).toBe(false)
    expect(known.doubtAbout(child, extras({ a: 2 }))).toBeUndefined()
  })

  it('know a child without extras, and doubt the first one', () => {
    const known = new KnownExtras()
    expect(known.doubtAbout(child, extras({}))).toBeUndefined()
    expect(known.doubtAbout(child, extras({ a: 1 }))).toEqual({ changes: changes({ a: 1 }) })
  })

  it('do not doubt removed extras, nor the same ones in another order', () => {
    const known = new KnownExtras()
    known.learn(child, extras({ a: 1, b: 2 }), undefined)
    expect(known.doubtAbout(child, extras({ b: 2, a: 1 }))).toBeUndefined()
    expect(known.doubtAbout(child, extras({}))).toBeUndefined()
  })

  it('request one apply on demand, and report whether it changed anything', () => {
    const known = new KnownExtras()
    known.learn(child, extras({ a: 1 }), undefined)
    known.doubt(child)
    const doubt = known.doubtAbout(child, extras({ a: 1 }))
    expect(doubt).toMatchObject({ changes: changes({ a: 1 }) })
    expect(known.doubtAbout(child, extras({ a: 1 }))).toEqual(doubt)
    expect(known.learn(child, extras({ a: 1 }), doubt?.doubted)).toBe(true)
    expect(known.doubtAbout(child, extras({ a: 1 }))).toBeUndefined()
    known.doubt(child)
    expect(known.learn(child, extras({}), known.doubtAbout(child, extras({ a: 1 }))?.doubted)).toBe(false)
  })

  it('verify the contents of a map that is declared empty on demand only', () => {
    const known = new KnownExtras()
    expect(known.doubtAbout(child, extras({}, { of: 'others' }))).toBeUndefined()
    expect(known.doubtAbout(child, extras({}, { of: 'another' }))).toBeUndefined()
    known.doubt(child)
    expect(known.doubtAbout(child, extras({}, { of: 'another' }))).toMatchObject({
      changes: changes({ of: 'another' }),
    })
  })

  it('need no apply on demand if there are none', () => {
    const known = new KnownExtras()
    known.doubt(child)
    expect(known.doubtAbout(child, extras({}))).toBeUndefined()
    expect(known.doubtAbout(child, extras({ a: 1 }))).toEqual({ changes: changes({ a: 1 }) })
  })

  it('distinguish the parts of several owners, and forget a child with all of them', () => {
    const known = new KnownExtras()
    const other = { ...child, manager: 'shop/sites+owner-2' }
    known.learn(child, extras({ a: 1 }), undefined)
    known.learn(other, extras({ b: 1 }), undefined)
    known.doubt(other)
    expect(known.doubtAbout(child, extras({ a: 1 }))).toBeUndefined()
    expect(known.doubtAbout(other, extras({ b: 1 }))).toBeDefined()
    known.forget(child.uid)
    expect(known.size).toBe(0)
    expect(known.doubtAbout(other, extras({ b: 1 }))).toBeUndefined()
  })
})
