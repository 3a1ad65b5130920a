import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions, isComparable } from '../../src/cache/resource-version.ts'

describe('compareVersions', () => {
  it.each([
    ['1', '2', 'older'],
    ['9', '10', 'older'],
    ['100', '99', 'newer'],
    ['42', '42', 'equal'],
    ['18446744073709551615', '18446744073709551616', 'older'],
    // No leading zero, no sign, only ASCII digits, and never empty.
    ['01', '2', 'incomparable'],
    ['0', '1', 'incomparable'],
    ['', '1', 'incomparable'],
    ['1', '1a', 'incomparable'],
    ['-1', '1', 'incomparable'],
    ['1', '٢', 'incomparable'],
    ['1', '2\n', 'incomparable'],
    // The same opaque text is the same version.
    ['a.b', 'a.b', 'equal'],
  ] as const)('returns for %j and %j the order %s', (left, right, order) => {
    expect(compareVersions(left, right)).toBe(order)
  })

  it('orders as numbers, of any length', () => {
    const version = fc.bigInt({ min: 1n, max: 10n ** 30n })
    fc.assert(
      fc.property(version, version, (left, right) => {
        const order = left < right ? 'older' : left > right ? 'newer' : 'equal'
        expect(compareVersions(String(left), String(right))).toBe(order)
      }),
    )
  })

  it('compares only comparable versions', () => {
    expect(isComparable('7')).toBe(true)
    for (const text of ['', '0', '07', 'x7']) expect(isComparable(text)).toBe(false)
  })
})
