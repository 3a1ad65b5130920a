// Every text that the operator parses comes to its end at its worst value: it is rejected, or read. bench/hostile-input.ts measures the same.
import { expect, it } from 'vitest'
import { atOnce } from '../controllers/engines/at-once.ts'
import { inputs, isSliced } from './inputs.ts'

it.each(inputs)('$input of a $from has the bound: $bound', ({ worst, comesTo }) => {
  const outcome = worst()()
  expect(isSliced(outcome) ? atOnce(outcome) : outcome).toEqual(comesTo)
})
