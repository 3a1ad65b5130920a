import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalQuantity,
  compareQuantities,
  isQuantity,
  parseQuantity,
  type Quantity,
  quantityFault,
} from '../../src/object/quantity.ts'

/** Texts, and their form in resource.Quantity of apimachinery v0.36.3 after a read from JSON. */
const written: readonly (readonly [string, string])[] = [
  // Measured ones.
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  // Zero has one form for all spellings.
  ['0', '0'],
  ['0.000', '0'],
  ['-0', '0'],
  ['0Gi', '0'],
  ['0m', '0'],
  // Decimal suffixes.
  ['1.1', '1100m'],
  ['1000k', '1M'],
  ['1500m', '1500m'],
  ['100000000000000000000', '100E'],
  ['1234567890123456789012', '1234567890123456789012'],
  ['1E', '1E'],
  // Rounded up to a billionth, away from zero.
  ['0.1n', '1n'],
  ['-0.1n', '-1n'],
  ['1.23456789012', '1234567891n'],
  // Exponents stay exponents, in multiples of three.
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['1e-3', '1e-3'],
  ['12e2', '1200'],
  ['1.5e3', '1500'],
  ['15e-1', '1500e-3'],
  ['10000e18', '10e21'],
  ['1e400', '10e399'],
  // Binary suffixes stay binary while the value is whole and at least 1024.
  ['1024', '1024'],
  ['1024Ki', '1Mi'],
  ['1000Ti', '1000Ti'],
  ['0.5Ki', '512'],
  ['0.1Mi', '104857600m'],
  ['0.1Gi', '107374182400m'],
  ['1.0001Ki', '1024102400u'],
  ['-1.5Gi', '-1536Mi'],
  ['0.001234567890123456789Gi', '1325607178192993n'],
  // Capped.
  ['9Ei', '9223372036854775807'],
  ['-9Ei', '-9223372036854775807'],
  // Returned unchanged.
  ['1.234', '1.234'],
  ['1.500', '1.500'],
  ['+1', '+1'],
  ['01', '01'],
  ['5.', '5.'],
  ['09Ki', '09Ki'],
  // Returned in canonical form.
  ['08Ki', '8Ki'],
  ['.5', '500m'],
  ['1.000', '1'],
  [' 1 ', '1'],
  // There is no suffix above E, and the server loses it.
  ['1000E', '1'],
]

const refused = [
  '',
  ' ',
  'Ei',
  'e-10',
  '1i',
  '1ki',
  '1gi',
  '1K',
  '1 Gi',
  '1e',
  '1e3.5',
  '1.1.1',
  '--1',
  '1_000',
  '0x10',
  '١',
  '1e99999999999',
  'NaN',
]

const suffixes = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-2',
  'e+18',
)
const texts = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.stringMatching(/^\d{1,12}$/), fc.stringMatching(/^(\.\d{0,6})?$/), suffixes)
  .map((parts) => parts.join(''))

function parsed(text: string): Quantity {
  const quantity = parseQuantity(text)
  if (quantity === undefined) throw new Error(`no quantity: ${text}`)
  return quantity
}

/** Returns the quantity in units of 10^-30. */
function scaled({ coefficient, exponent }: Quantity): bigint {
  return coefficient * 10n ** BigInt(exponent + 30)
}

describe('canonicalQuantity', () => {
  it.each(written)('writes %j as %j, as the API server does', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical)
  })

  it.each(refused)('refuses %j', (text) => {
    expect([canonicalQuantity(text), isQuantity(text), parseQuantity(text)]).toEqual([undefined, false, undefined])
  })

  it.each(['-', '.', '+P', 'Ki', '.Ti', 'e3'])('reads %j, which has no digits, as zero', (text) => {
    expect([canonicalQuantity(text), quantityFault(text)]).toEqual(['0', undefined])
  })

  it.each([
    ['', /must match the regular expression/],
    ['1 Gi', /must match the regular expression/],
    ['1gi', /must match the regular expression/],
    ['1K', /parse quantity's suffix/],
    ['Ei', /parse numeric part/],
  ])('reports for %j what the server reports', (text, fault) => {
    expect(quantityFault(text)).toMatch(fault)
  })

  it('accepts numbers', () => {
    expect([1, 0.5, 1e21, 1024].map(canonicalQuantity)).toEqual(['1', '500m', '1e+21', '1024'])
  })

  it('rejects a number without a finite value, and a text beyond the length limit', () => {
    expect([Number.NaN, Number.POSITIVE_INFINITY].map(canonicalQuantity)).toEqual([undefined, undefined])
    expect(isQuantity('1'.repeat(129))).toBe(false)
  })

  it('changes neither a canonical text nor the amount', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const canonical = canonicalQuantity(text) ?? ''
        const again = canonicalQuantity(canonical) ?? ''
        // A text that lost its binary suffix reads as decimal: 929.6875Ki is 952000, and that is 952k.
        const hasLostSuffix = text.includes('i') && !canonical.includes('i')
        if (!hasLostSuffix) expect(again).toBe(canonical)
        expect(canonicalQuantity(again)).toBe(again)
        // Multiples of 10^21 lose their suffix, see the table.
        fc.pre(scaled(parsed(text)) % 10n ** 51n !== 0n)
        expect(compareQuantities(parsed(canonical), parsed(text))).toBe(0)
      }),
      { examples: [['929.6875Ki']] },
    )
  })
})

describe('compareQuantities', () => {
  it.each([
    ['1Gi', '1024Mi', 0],
    ['1', '1000m', 0],
    ['1G', '1Gi', -1],
    ['-1', '0', -1],
    ['-2', '-1', -1],
    ['0.1', '0.09', 1],
    ['1e2000000000', '1', 1],
    ['-1e2000000000', '-1', -1],
    ['1e-2000000000', '1n', 0],
  ])('compares %s with %s', (left, right, order) => {
    expect(Math.sign(compareQuantities(parsed(left), parsed(right)))).toBe(order)
    expect(Math.sign(compareQuantities(parsed(right), parsed(left)))).toBe(order === 0 ? 0 : -order)
  })

  it('agrees with the exact amounts', () => {
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const difference = scaled(parsed(left)) - scaled(parsed(right))
        const order = difference === 0n ? 0 : difference < 0n ? -1 : 1
        expect(Math.sign(compareQuantities(parsed(left), parsed(right)))).toBe(order)
      }),
    )
  })
})

describe('parseQuantity', () => {
  it.each([
    ['1.5Gi', { coefficient: 1610612736n, exponent: 0, format: 'BinarySI' }],
    ['1000m', { coefficient: 1n, exponent: 0, format: 'DecimalSI' }],
    ['12e2', { coefficient: 12n, exponent: 2, format: 'DecimalExponent' }],
    ['0e7', { coefficient: 0n, exponent: 0, format: 'DecimalExponent' }],
  ] as const)('reads %s exactly', (text, quantity) => {
    expect(parseQuantity(text)).toEqual(quantity)
  })

  it('is quick on what looks almost like a quantity', () => {
    for (const text of ['1'.repeat(127), `${'1'.repeat(60)}.${'0'.repeat(60)}`, `${'1'.repeat(120)}x`, 'e'.repeat(128)])
      parseQuantity(text)
  })
})
