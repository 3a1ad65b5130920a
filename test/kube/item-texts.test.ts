import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemTexts } from '../../src/kube/item-texts.ts'

/** The reassembled text, or the error. */
function parsed(text: string): unknown {
  const texts = itemTexts(text)
  const items: unknown[] = []
  try {
    for (;;) {
      const { done, value } = texts.next()
      if (done !== true) {
        items.push(JSON.parse(value))
        continue
      }
      const rest = JSON.parse(value)
      return items.length === 0 ? rest : { ...rest, items }
    }
  } catch {
    return 'no JSON'
  }
}

function plain(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return 'no JSON'
  }
}

describe('itemTexts', () => {
  it.each([
    ['{"kind":"List","metadata":{"items":[1]},"items":[{"a":[1,{"b":"]}"}]},{"c":"\\"\\\\"}]}', 2],
    [' { "items" : [ 1 , "two" , null ] , "after" : [ ] } ', 3],
    ['{"items":[]}', 0],
    ['{"items":null}', 0],
    ['{"kind":"Status"}', 0],
    ['[1]', 0],
    ['{}', 0],
    ['', 0],
  ])('cuts %j', (text, count) => {
    expect([...itemTexts(text)]).toHaveLength(count)
    expect(parsed(text)).toEqual(plain(text))
  })

  it.each([
    '{"items":[1,]}',
    '{"items":[,1]}',
    '{"items":[1',
    '{"items":[1}',
    '{"items":[{]}]}',
    '{"items":["a]}',
    '{"items":[1]',
  ])('rejects %j like a parser', (text) => {
    expect(parsed(text)).toBe('no JSON')
  })

  const list = fc
    .record({ before: fc.json(), items: fc.array(fc.json()), after: fc.json() })
    .map(({ before, items, after }) => `{"before": ${before},\n"items":[${items.join(' , ')}],"after":${after}}`)

  it('gives the result of a parser for the whole text, also for a broken one', () => {
    fc.assert(
      fc.property(list, fc.nat(), fc.nat(3), (text, position, length) => {
        expect(parsed(text)).toEqual(plain(text))
        const at = position % (text.length + 1)
        const broken = text.slice(0, at) + text.slice(at + length)
        // A broken name may leave two lists called items; only the first is cut.
        if (!/"items".*"items"/s.test(broken)) expect(parsed(broken)).toEqual(plain(broken))
      }),
      { numRuns: 500 },
    )
  })
})
