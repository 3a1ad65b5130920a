import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactly, parseWireJson, wireJson } from '../../src/base/wire-json.ts'

describe('parseWireJson', () => {
  it('parses what JSON.parse parses', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(parseWireJson(text)).toEqual({ value: JSON.parse(text), duplicates: [] })
      }),
    )
  })

  it.each([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 2 ** 63],
    ['1.0', 1],
    ['-0', -0],
    ['1e3', 1000],
  ])('parses the number %s as the API server does', (text, value) => {
    expect(parseWireJson(text).value).toBe(value)
  })

  it('rejects a number that no float can hold, and replaces half of a surrogate pair', () => {
    expect(() => parseWireJson('[1e400]')).toThrow('json: cannot unmarshal number 1e400 into Go value of type float64')
    expect(parseWireJson('"\\ud800\\ud83d\\ude00"').value).toBe('\ufffd😀')
  })

  it('accepts __proto__ as a key', () => {
    const { value } = parseWireJson('{"__proto__":{"polluted":true}}')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(wireJson(value)).toBe('{"__proto__":{"polluted":true}}')
  })

  it('names duplicate keys, and keeps the last one', () => {
    expect(parseWireJson('{"a":{"b":[1,{"c":1,"c":2}]},"a":3}')).toEqual({
      value: { a: 3 },
      duplicates: ['a.b[1].c', 'a'],
    })
  })

  // As Go's encoding/json reports it.
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{a}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['tru', 'unexpected end of JSON input'],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
    ['[]x', "invalid character 'x' after top-level value"],
  ])('rejects %j', (text, message) => {
    expect(() => parseWireJson(text)).toThrow(message)
  })

  it('rejects more levels than any object has', () => {
    expect(() => parseWireJson('['.repeat(100_000))).toThrow('exceeded max depth')
  })
})

describe('wireJson', () => {
  it('writes what it parsed, including integers beyond 2^53', () => {
    const text = '{"b":[9007199254740993,null,"x"],"a":{"c":-9223372036854775808}}'
    expect(wireJson(parseWireJson(text).value)).toBe(text)
  })
})

describe('parseExactly', () => {
  it.each([
    ['{"a":9007199254740993,"b":-9223372036854775808}', { a: 9_007_199_254_740_993n, b: -9_223_372_036_854_775_808n }],
    ['[9007199254740991,1234567890123456789]', [9_007_199_254_740_991, 1_234_567_890_123_456_789n]],
    [
      '{"a":1e300,"b":0.12345678901234567890,"c":1234567890123456.5}',
      { a: 1e300, b: 0.123_456_789_012_345_68, c: 1_234_567_890_123_456.5 },
    ],
    ['{"a":"9007199254740993","b":": 9007199254740993 }"}', { a: '9007199254740993', b: ': 9007199254740993 }' }],
    ['{ "a" : 9007199254740993\n}', { a: 9_007_199_254_740_993n }],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('parses %s', (text, value) => {
    expect(parseExactly(text)).toEqual(value)
  })

  it('treats `__proto__` like any other key', () => {
    expect(Object.keys(parseExactly('{"__proto__":9007199254740993}') as object)).toEqual(['__proto__'])
  })
})
