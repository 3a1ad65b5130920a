import { expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../../src/apiserver/built-in/built-in-data-loader.ts'
import { keptKinds } from '../../../../src/apiserver/built-in/catalogue.ts'
import { humanDuration } from '../../../../src/apiserver/built-in/tables/shown-time.ts'

const loader = new BuiltInDataLoader()

it.each(keptKinds)('has a cell for each column of $kind of $group/$version', (entry) => {
  const table = loader.table(entry)
  expect(table?.columns.length).toBeGreaterThan(0)
  expect(table?.cells({ metadata: { name: 'a' } }, 0).length).toBe(table?.columns.length)
})

it.each([
  [-2_000, '<invalid>'],
  [-1_000, '0s'],
  [119_999, '119s'],
  [120_000, '2m'],
  [599_000, '9m59s'],
  [3_600_000, '60m'],
  [10_800_000, '3h'],
  [28_740_000, '7h59m'],
  [90_061_000, '25h'],
  [190_800_000, '2d5h'],
  [2 * 365 * 86_400_000, '2y'],
  [(3 * 365 + 4) * 86_400_000, '3y4d'],
  [9.5 * 365 * 86_400_000, '9y'],
])('formats %d ms as %s', (durationMs, text) => {
  expect(humanDuration(durationMs)).toBe(text)
})
