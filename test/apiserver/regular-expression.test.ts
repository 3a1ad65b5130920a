// Tests: patterns have Go's semantics and bounded time.
import { describe, expect, it } from 'vitest'
import { RegularExpressionError, regularExpression } from '../../src/apiserver/regular-expression.ts'

describe('a regular expression', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'aBc', false],
    ['(?i)^abc$', 'ABC', true],
    ['b', 'abc', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['\\Aa\\z', 'a\n', false],
    ['^.$', '😀', true],
  ])('%s on %j', (pattern, text, matches) => {
    expect(regularExpression(pattern).test(text)).toBe(matches)
  })

  it('matches in time linear in the text', () => {
    expect(regularExpression('^(a+)+$').test(`${'a'.repeat(5_000)}!`)).toBe(false)
  })

  it('finds the leftmost match, and all non-overlapping ones', () => {
    const numbers = regularExpression('[0-9]+')
    expect(numbers.find('a12b3')).toBe('12')
    expect(numbers.find('ab')).toBeUndefined()
    expect(numbers.findAll('a12b3c4', -1)).toEqual(['12', '3', '4'])
    expect(numbers.findAll('a12b3c4', 2)).toEqual(['12', '3'])
    expect(regularExpression('a*').findAll('baaac', -1)).toEqual(['', 'aaa', ''])
  })

  it.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['[z-a]', 'error parsing regexp: invalid character class range: `z-a`'],
  ])('rejects %s like Go', (pattern, message) => {
    expect(() => regularExpression(pattern)).toThrow(new RegularExpressionError(message))
  })
})
