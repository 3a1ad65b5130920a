// JSON in pieces. Invariant: values and rejected texts equal those of JSON.parse.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseInSlices } from '../../../src/controllers/engines/postgres/sliced-json.ts'
import { atOnce } from './at-once.ts'

function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch (error) {
    return error instanceof SyntaxError ? 'rejected' : error
  }
}

function expectSame(text: string, piece: number): void {
  expect(outcomeOf(() => atOnce(parseInSlices(text, piece)))).toEqual(outcomeOf(() => JSON.parse(text)))
}

it('sliced JSON has the value of JSON.parse', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 5 }),
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(0, 1, 3),
      (text, piece, spaces) => {
        expectSame(JSON.stringify(JSON.parse(text), undefined, spaces), piece)
      },
    ),
  )
})

it('sliced JSON rejects what JSON.parse rejects', () => {
  const cut = fc.tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', ' ', '1', '\\'),
  )
  fc.assert(
    fc.property(cut, fc.integer({ min: 0, max: 12 }), fc.boolean(), ([text, where, put], piece, removes) => {
      const at = where % (text.length + 1)
      expectSame(text.slice(0, at) + put + text.slice(removes ? at + 1 : at), piece)
    }),
    { numRuns: 2_000 },
  )
})

it.each([
  '[1,2,3,]',
  '[,1,2,3]',
  '[1,,2,3]',
  '[1,2,3}',
  '{"a":1,"b":2]',
  '{"a":[1,2,3],}',
  '{"a":[1,2,3]}x',
  '{a:[1,2,3,4]}',
  '{"a" [1,2,3,4]}',
  '["a\\',
  '[[1,2],[3,4]',
  '[ ]',
  '{ }',
  ' [ 1 , [ 2 , 3 ] ] ',
  '{"__proto__":{"a":[1,2,3,4,5,6]},"b":{"__proto__":1}}',
  '{"a":1,"a":[2,3,4,5,6,7,8]}',
])('sliced JSON equals JSON.parse: %s', (text) => {
  for (const piece of [0, 1, 2, 4, 8, 100]) expectSame(text, piece)
})

it('sliced JSON ends a slice after each piece', () => {
  const text = JSON.stringify({ names: Array.from({ length: 50_000 }, (_, at) => `name_${at}`) })
  const work = parseInSlices(text)
  let slices = 0
  while (work.next().done !== true) slices += 1
  expect(slices).toBeGreaterThan(text.length / 70_000)
})
