import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import {
  applyJsonPatch,
  applyMergePatch,
  JsonPatchError,
  type JsonPatchOperation,
  mergePatchBetween,
} from '../../src/base/json-patch.ts'

const document: Json = { a: { b: [1, 2, 3] }, 'x/y': 1, 'm~n': 2, nothing: null }

describe('applyJsonPatch', () => {
  it.each<{ does: string; operation: JsonPatchOperation; gives: Json }>([
    { does: 'adds a field', operation: { op: 'add', path: '/c', value: 1 }, gives: { ...document, c: 1 } },
    { does: 'replaces a field by add', operation: { op: 'add', path: '/a', value: 1 }, gives: { ...document, a: 1 } },
    {
      does: 'inserts an item',
      operation: { op: 'add', path: '/a/b/1', value: 9 },
      gives: { ...document, a: { b: [1, 9, 2, 3] } },
    },
    {
      does: 'appends an item',
      operation: { op: 'add', path: '/a/b/-', value: 9 },
      gives: { ...document, a: { b: [1, 2, 3, 9] } },
    },
    {
      does: 'appends at the length',
      operation: { op: 'add', path: '/a/b/3', value: 9 },
      gives: { ...document, a: { b: [1, 2, 3, 9] } },
    },
    {
      does: 'replaces an item',
      operation: { op: 'replace', path: '/a/b/0', value: 9 },
      gives: { ...document, a: { b: [9, 2, 3] } },
    },
    {
      does: 'replaces a null',
      operation: { op: 'replace', path: '/nothing', value: 9 },
      gives: { ...document, nothing: 9 },
    },
    { does: 'replaces all', operation: { op: 'replace', path: '', value: 9 }, gives: 9 },
    { does: 'removes an item', operation: { op: 'remove', path: '/a/b/0' }, gives: { ...document, a: { b: [2, 3] } } },
    { does: 'removes a field', operation: { op: 'remove', path: '/a/b' }, gives: { ...document, a: {} } },
    { does: 'reads ~1 as /', operation: { op: 'replace', path: '/x~1y', value: 9 }, gives: { ...document, 'x/y': 9 } },
    { does: 'reads ~0 as ~', operation: { op: 'replace', path: '/m~0n', value: 9 }, gives: { ...document, 'm~n': 9 } },
    { does: 'copies', operation: { op: 'copy', from: '/a/b/0', path: '/c' }, gives: { ...document, c: 1 } },
    {
      does: 'moves',
      operation: { op: 'move', from: '/a/b/0', path: '/a/b/2' },
      gives: { ...document, a: { b: [2, 3, 1] } },
    },
    { does: 'passes a test', operation: { op: 'test', path: '/a/b', value: [1, 2, 3] }, gives: document },
  ])('$does', ({ operation, gives }) => {
    expect(applyJsonPatch(document, [operation])).toEqual(gives)
  })

  it.each<{ refused: string; operation: JsonPatchOperation; code: string }>([
    { refused: 'a replace of nothing', operation: { op: 'replace', path: '/c', value: 1 }, code: 'PathNotFound' },
    { refused: 'a remove of nothing', operation: { op: 'remove', path: '/c' }, code: 'PathNotFound' },
    { refused: 'a remove of all', operation: { op: 'remove', path: '' }, code: 'PathNotFound' },
    { refused: 'an add below nothing', operation: { op: 'add', path: '/c/d', value: 1 }, code: 'PathNotFound' },
    { refused: 'an add below a number', operation: { op: 'add', path: '/x~1y/d', value: 1 }, code: 'PathNotFound' },
    { refused: 'an add past the end', operation: { op: 'add', path: '/a/b/4', value: 1 }, code: 'PathNotFound' },
    {
      refused: 'an index with a leading zero',
      operation: { op: 'replace', path: '/a/b/01', value: 1 },
      code: 'PathNotFound',
    },
    { refused: 'an edit below the end', operation: { op: 'add', path: '/a/b/-/c', value: 1 }, code: 'PathNotFound' },
    { refused: 'an inherited field', operation: { op: 'test', path: '/toString', value: 1 }, code: 'PathNotFound' },
    { refused: 'a move into itself', operation: { op: 'move', from: '/a', path: '/a/b' }, code: 'PathNotFound' },
    {
      refused: 'a test of another value',
      operation: { op: 'test', path: '/a/b/0', value: 'secret' },
      code: 'TestFailed',
    },
    { refused: 'a pointer without /', operation: { op: 'remove', path: 'a' }, code: 'InvalidPointer' },
    { refused: 'a bad escape', operation: { op: 'remove', path: '/a~2' }, code: 'InvalidPointer' },
  ])('rejects $refused and quotes no value', ({ operation, code }) => {
    try {
      applyJsonPatch(document, [operation])
      expect.unreachable('nothing was refused')
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(JsonPatchError)
      expect(thrown).toMatchObject({ code, message: expect.not.stringContaining('secret') })
    }
  })

  it('leaves the document unchanged and shares the untouched parts', () => {
    const before = structuredClone(document)
    const patched = applyJsonPatch(document, [{ op: 'add', path: '/c', value: 1 }])
    expect(document).toEqual(before)
    expect((patched as { a: unknown }).a).toBe((document as { a: unknown }).a)
  })

  it('removes what it added', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (json, key, value) => {
        fc.pre(!Object.hasOwn(json, key))
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const added = applyJsonPatch(json as Json, [{ op: 'add', path, value: value as Json }])
        expect(Object.hasOwn(added as object, key)).toBe(true)
        expect(applyJsonPatch(added, [{ op: 'remove', path }])).toEqual({ ...json })
      }),
    )
  })
})

describe('applyMergePatch', () => {
  // The table of RFC 7396, appendix A.
  it.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (document, patch, gives) => {
    expect(applyMergePatch(document, patch)).toEqual(gives)
  })
})

describe('the merge patch between two values', () => {
  it('property: the merge patch turns one value into the other, and is undefined exactly if they are equal', () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean()),
      list: fc.array(tie('leaf'), { maxLength: 3 }),
      object: fc.dictionary(
        fc.constantFrom('a', 'b', 'c', 'd'),
        fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
        { maxKeys: 4 },
      ),
    })).object
    fc.assert(
      fc.property(value, value, (before, after) => {
        const patch = mergePatchBetween(before as JsonObject, after as JsonObject)
        expect(applyMergePatch(before as JsonObject, patch ?? {})).toEqual(after)
        expect(patch === undefined).toBe(JSON.stringify(sorted(before)) === JSON.stringify(sorted(after)))
      }),
    )
  })

  it.each([
    { before: {}, after: { a: null }, patch: undefined },
    { before: { a: null }, after: {}, patch: undefined },
    { before: { a: null }, after: { a: null, b: 1 }, patch: { b: 1 } },
    { before: { a: 1 }, after: { a: null }, patch: { a: null } },
    { before: { a: {} }, after: { a: { b: null } }, patch: undefined },
    { before: { a: { b: 1, c: 2 } }, after: { a: { b: null, c: 2 } }, patch: { a: { b: null } } },
  ])('treats null as absent: from $before to $after it is $patch', ({ before, after, patch }) => {
    expect(mergePatchBetween(before, after)).toEqual(patch)
  })
})

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
