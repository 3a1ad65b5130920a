import { expect, it } from 'vitest'
import { sizeText } from '../../../src/controllers/database/size-text.ts'

it.each([
  [0, '0B'],
  [1_023, '1023B'],
  [1_024, '1KB'],
  [7_800_000, '7.4MB'],
  [10 * 2 ** 20, '10MB'],
  [35_651_584, '34MB'],
  [2 ** 30 - 1, '1GB'],
  [1.26 * 2 ** 30, '1.3GB'],
  [2 ** 60, '1024PB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
