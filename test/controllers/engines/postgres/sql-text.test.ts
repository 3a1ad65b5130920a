import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  identifier,
  integer,
  keyword,
  literal,
  qualified,
  signature,
  sql,
} from '../../../../src/controllers/engines/postgres/sql-text.ts'
import { hostileName, hostileText } from './hostile-text.ts'
import { readIdentifier, readLiteral } from './sql-reader.ts'

describe('quoting', () => {
  it('keeps every name whole, and ends at the end of the name', () => {
    fc.assert(
      fc.property(hostileName, hostileText, (name, after) => {
        expect(readIdentifier(`${identifier(name)} ${after}`)).toEqual({ text: name, rest: ` ${after}` })
      }),
      { numRuns: 10_000 },
    )
  })

  it('keeps every value whole, and ends at the end of the value', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (value, after) => {
        expect(readLiteral(`${literal(value)} ${after}`)).toEqual({ text: value, rest: ` ${after}` })
      }),
      { numRuns: 10_000 },
    )
  })

  it.each([
    ['', 'empty'],
    ['a\0b', 'NUL'],
    ['\ud800', 'Unicode'],
    ['x'.repeat(64), '64 bytes'],
    ['ü'.repeat(32), '64 bytes'],
  ])('rejects the name %j', (name, why) => {
    expect(() => identifier(name)).toThrow(why)
    expect(() => qualified('app', name)).toThrow(why)
    expect(() => identifier(name)).toThrow(expect.objectContaining({ code: 'StatementFailed', remedy: 'stop' }))
  })

  it('accepts 63 bytes', () => {
    expect(identifier('x'.repeat(63))).toBe(`"${'x'.repeat(63)}"`)
    expect(identifier('ü'.repeat(31))).toBe(`"${'ü'.repeat(31)}"`)
  })

  it('accepts values that can be sent', () => {
    expect(() => literal('a\0b')).toThrow('NUL')
    expect(() => literal('\udfff')).toThrow('Unicode')
    expect(literal('')).toBe("''")
    expect(literal(`it's \\ here`)).toBe(`E'it''s \\\\ here'`)
  })

  it('accepts whole numbers and known words only', () => {
    expect(sql`LIMIT ${integer(-1)}`).toBe('LIMIT -1')
    for (const value of [1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => integer(value)).toThrow('whole number')
    expect(keyword('SELECT', ['SELECT'])).toBe('SELECT')
    for (const word of ['select', 'ALL', 'SELECT, INSERT', ''])
      expect(() => keyword(word, ['SELECT'])).toThrow('none of')
  })

  it.each([
    'area(integer)',
    'other(text, integer[])',
    'none()',
    '"odd (name"(public."odd) type", timestamp with time zone)',
    'größe(double precision)',
  ])('accepts the signature %s', (text) => {
    expect(signature('app', text)).toBe(`"app".${text}`)
  })

  it.each([
    'area',
    'area(integer) TO evil',
    'area(integer); DROP TABLE x; --',
    "area('x')",
    'area(integer)/*',
    'area((integer))',
    '"open(integer)',
    'a b(integer)',
    'area(integer) CASCADE, other(integer)',
    'pg_catalog.area(integer)',
    '',
  ])('rejects as a signature %j', (text) => {
    expect(() => signature('app', text)).toThrow('no signature')
  })
})
