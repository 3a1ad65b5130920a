// Every text that the operator parses comes to its end at its worst value: it is rejected, or read. bench/hostile-input.ts measures the same.
import { expect, it } from 'vitest'
import { inputs } from './inputs.ts'

it.each(inputs)('$input of a $from has the bound: $bound', ({ worst, comesTo }) => {
  expect(worst()()).toEqual(comesTo)
})
