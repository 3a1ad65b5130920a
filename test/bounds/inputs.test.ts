// Every text that the operator parses has a bound: the parser rejects or reads its worst value. bench/hostile-input.ts
// measures the rows.
import { expect, it } from 'vitest'
import { atOnce } from '../controllers/engines/at-once.ts'
import { inputs, isSliced } from './inputs.ts'

it.each(inputs)('$input of a $from has the bound: $bound', ({ worst, comesTo }) => {
  const outcome = worst()()
  expect(isSliced(outcome) ? atOnce(outcome) : outcome).toEqual(comesTo)
})
