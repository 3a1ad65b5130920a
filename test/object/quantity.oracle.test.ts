import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalQuantity, quantityFault } from '../../src/object/quantity.ts'
import { ask } from '../oracles/oracle.ts'

const suffix = fc.constantFrom(
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
  'e-10',
  'e',
  'Kii',
  'm5',
  'x',
)
const digits = fc.stringMatching(/^[0-9]{0,12}$/)
const quantityText = fc
  .record({
    sign: fc.constantFrom('', '-', '+'),
    whole: digits,
    point: fc.constantFrom('', '.'),
    fraction: digits,
    suffix,
  })
  .map(({ sign, whole, point, fraction, suffix }) => `${sign}${whole}${point}${point === '' ? '' : fraction}${suffix}`)

it('writes each quantity as the control plane does', async () => {
  const texts = fc.sample(quantityText, { numRuns: 10_000, seed: 1 })
  const answers = await ask('quantity', texts)
  const ours = texts.map((text) => canonicalQuantity(text) ?? quantityFault(text))
  const theirs = answers.map(({ value, error }) => value ?? error)
  const differing = texts.flatMap((text, index) =>
    ours[index] === theirs[index] ? [] : [[text, ours[index], theirs[index]]],
  )
  expect(differing.slice(0, 10)).toEqual([])
})
