import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { kubernetesTags, kubernetesYaml, numberOf } from '../../src/base/kubernetes-yaml.ts'

const read = (text: string) => parse(text, { ...kubernetesYaml, logLevel: 'error' })

describe('a plain scalar', () => {
  it.each<[string, unknown]>([
    ...['y', 'Y', 'yes', 'On', 'ON', 'true'].map((word): [string, unknown] => [word, true]),
    ...['n', 'No', 'off', 'OFF', 'False'].map((word): [string, unknown] => [word, false]),
    ...['~', 'null', 'NULL', ''].map((word): [string, unknown] => [word, null]),
    ...['yEs', 'oN', 'tRUE', 'nULL', '0x', '_1', '.e3', '1e400', '1.5.1'].map((word): [string, unknown] => [
      word,
      word,
    ]),
    ...['12:30:45', '2001-12-14', '2001-12-14T21:59:43Z', '10m', '1Gi', '-'.repeat(4)].map(
      (word): [string, unknown] => [word, word],
    ),
    ['0777', 511],
    ['08', 8],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0b11', -3],
    ['1_000', 1000],
    ['1e3', 1000],
    ['+.5', 0.5],
    ['5.', 5],
    ['9007199254740993', 9007199254740992],
  ])('%j is read as %j', (text, value) => {
    expect(read(`value: ${text}`)).toEqual({ value })
  })

  it.each(['on', '0o17', '1e3', '12:30:45'])('%j is a string in quotes', (text) => {
    expect(read(`value: "${text}"`)).toEqual({ value: text })
    expect(read(`value: !!str ${text}`)).toEqual({ value: text })
    expect(read(`value: |-\n  ${text}`)).toEqual({ value: text })
  })

  it.each(['.nan', '-.Inf'])('%s is rejected: JSON has no such number', (text) => {
    expect(() => read(`value: ${text}`)).toThrow('json: unsupported value')
  })

  it('keeps an integer beyond 2^53 exact on request', () => {
    expect(numberOf('9007199254740993')).toBe(9007199254740993n)
    expect(numberOf('-9223372036854775808')).toBe(-(2n ** 63n))
    expect(numberOf('9223372036854775808')).toBe(2 ** 63)
  })
})

it('a key is parsed like any scalar, and becomes a string', () => {
  expect(read('on: 1\n0777: 2\n1e3: 3')).toEqual({ true: 1, 511: 2, 1000: 3 })
})

it('a written string is parsed as the same string', () => {
  const words = ['on', 'y', '0777', '0o17', '1_000', '.5', '~', '', '12:30:45', '2001-12-14', '<<', '=', '1e400', 'a b']
  const text = stringify(words, { version: '1.1', compat: kubernetesTags })
  expect(read(text)).toEqual(words)
  expect(parse(text, { version: '1.1' })).toEqual(words)
})
