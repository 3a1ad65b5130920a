import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationMs } from '../../src/base/duration.ts'

describe('a duration', () => {
  it.each([
    ['10s', 10_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['0s', 0],
  ])('%s is %d ms', (text, expected) => {
    expect(durationMs(text)).toBe(expected)
  })

  it.each(['', '10', 'm', '10 m', '-10m', '+10m', '10min', '1d', '10M', '.5h', '5.h', '1e3s', '9999999999s', '10m '])(
    'does not accept "%s"',
    (text) => {
      expect(durationMs(text)).toBeUndefined()
    },
  )

  it('property: is the sum of its parts', () => {
    const parts = fc.array(fc.tuple(fc.nat(10_000), fc.constantFrom('h', 'm', 's', 'ms')), { minLength: 1 })
    fc.assert(
      fc.property(parts, (given) => {
        const texts = given.map(([count, unit]) => `${count}${unit}`)
        expect(durationMs(texts.join(''))).toBe(texts.reduce((sum, text) => sum + (durationMs(text) ?? Number.NaN), 0))
      }),
    )
  })
})
