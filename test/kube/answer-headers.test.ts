import { describe, expect, it } from 'vitest'
import { retryAfterSecondsOf, warningsOf } from '../../src/kube/answer-headers.ts'

describe('retryAfterSecondsOf', () => {
  it.each<[string | string[] | undefined, number | undefined]>([
    ['7', 7],
    [' 0 ', 0],
    [['3', '4'], 3],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1e9', undefined],
    ['99999999999999', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ])('reads %j as %j', (header, seconds) => {
    expect(retryAfterSecondsOf(header)).toBe(seconds)
  })
})

describe('warningsOf', () => {
  it.each<[string | string[] | undefined, readonly string[]]>([
    [undefined, []],
    ['299 - "use apps/v1"', ['use apps/v1']],
    ['299 - "a, \\"b\\" \\\\ c", 299 - "d"', ['a, "b" \\ c', 'd']],
    [
      ['299 - "a"', '299 host:80 "b"'],
      ['a', 'b'],
    ],
    ['199 - "not ours"', []],
    ['nonsense', []],
  ])('reads %j as %j', (header, warnings) => {
    expect(warningsOf(header)).toEqual(warnings)
  })
})
