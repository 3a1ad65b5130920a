import { expect, it } from 'vitest'
import { assertFlags } from '../../src/cli/option-sets.ts'

const programWith = (flag: string) => ({
  name: 'zones',
  version: '1.0.0',
  controllers: [],
  flags: [{ flag, text: 'x' }],
})

it.each(['--no-labels', '-n, --no-labels', '--no-labels <names>'])('the flag %j is rejected', (flag) => {
  const sentence = 'the program defines the flag --no-labels, and --no- would negate it; call it --skip-labels, for one'
  expect(() => assertFlags(programWith(flag))).toThrow(sentence)
})

it.each(['--node <name>', '--read-only', '-n, --notes'])('the flag %j is accepted', (flag) => {
  expect(() => assertFlags(programWith(flag))).not.toThrow()
})
