import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { fieldPath, type PathElement, renderPath } from '../../src/diff/field-path.ts'
import { FieldSet, fieldSetOf } from '../../src/diff/field-set.ts'

const steps = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"', 'i:0')
const { node } = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constant({}),
    fc
      .tuple(fc.boolean(), fc.dictionary(steps, tie('node'), { maxKeys: 4, minKeys: 1, noNullPrototype: true }))
      .map(([isMember, below]) => (isMember ? { '.': {}, ...below } : below)),
  ),
}))
const sets = fc.dictionary(steps, node, { maxKeys: 3, noNullPrototype: true }).map(fieldSetOf)

function pathsOf(set: FieldSet): Set<string> {
  return new Set(set.paths().map(renderPath))
}

describe('FieldSet', () => {
  it('keeps fieldsV1 unchanged', () => {
    const fieldsV1 = {
      'f:metadata': { 'f:labels': { '.': {}, 'f:a.b/c': {} } },
      'f:spec': { 'f:list': { 'k:{"name":"a","port":1}': { '.': {}, 'f:name': {} } }, 'f:set': { 'v:"x"': {} } },
    }
    expect(fieldSetOf(fieldsV1).toFieldsV1()).toEqual(fieldsV1)
  })

  it('is read back from the fieldsV1 that it writes', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(fieldSetOf(set.toFieldsV1()).equals(set)).toBe(true)
      }),
    )
  })

  it('has exactly its paths', () => {
    fc.assert(
      fc.property(sets, sets, (set, other) => {
        for (const path of set.paths()) expect(set.has(path)).toBe(true)
        const paths = pathsOf(set)
        for (const path of other.paths()) expect(set.has(path)).toBe(paths.has(renderPath(path)))
      }),
    )
  })

  it('combines like sets of paths', () => {
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        const [ofLeft, ofRight] = [pathsOf(left), pathsOf(right)]
        const inBoth = [...ofLeft].filter((path) => ofRight.has(path))
        const onlyLeft = [...ofLeft].filter((path) => !ofRight.has(path))
        expect(pathsOf(left.union(right))).toEqual(new Set([...ofLeft, ...ofRight]))
        expect(pathsOf(left.intersection(right))).toEqual(new Set(inBoth))
        expect(pathsOf(left.difference(right))).toEqual(new Set(onlyLeft))
        expect(left.difference(left).isEmpty).toBe(true)
        expect(left.equals(right)).toBe(onlyLeft.length === 0 && ofRight.size === inBoth.length)
      }),
    )
  })

  it('is equal in any order of its construction', () => {
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        expect(left.union(right).equals(right.union(left))).toBe(true)
      }),
    )
  })

  it('distinguishes owned structs from paths that only lead to fields', () => {
    const set = fieldSetOf({ 'f:a': { 'f:b': {} }, 'f:c': { '.': {}, 'f:d': {} } })
    expect([set.has(fieldPath('a')), set.has(fieldPath('a', 'b')), set.has(fieldPath('c')), set.has([])]).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect(set.has(fieldPath('a', 'b', 'c'))).toBe(false)
  })

  it('owns nothing when fieldsV1 is empty', () => {
    expect(fieldSetOf({})).toBe(FieldSet.empty)
    expect(fieldSetOf({}).paths()).toEqual([])
  })

  it('is parsed once for each object', () => {
    const fieldsV1 = { 'f:a': {} }
    expect(fieldSetOf(fieldsV1)).toBe(fieldSetOf(fieldsV1))
  })

  it('skips unknown steps', () => {
    expect(pathsOf(fieldSetOf({ 'x:future': {}, 'k:broken': {}, 'f:a': {}, 'f:b': [] }))).toEqual(new Set(['a']))
  })

  it('knows the ownership of a list', () => {
    const key: PathElement = { kind: 'key', key: { protocol: 'TCP', port: 1 } }
    const set = fieldSetOf({ 'f:ports': { 'k:{"protocol":"TCP","port":1}': {} } })
    expect(set.field('ports')).toMatchObject({ grain: 'items', keyNames: ['port', 'protocol'], isMember: false })
    expect(set.field('ports')?.child(key)).toMatchObject({ grain: 'whole', isMember: true })
  })
})
