// Test: plain YAML scalars are parsed like by sigs.k8s.io/yaml, which kubectl and the API server use.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseYaml, yamlText } from '../../src/apiserver/yaml-text.ts'
import { deepEqual, type Json } from '../../src/base/json.ts'
import { WireJsonError } from '../../src/base/wire-json.ts'
import { ask } from '../oracles/oracle.ts'

const words = [
  ...[
    'y',
    'Y',
    'yes',
    'Yes',
    'YES',
    'yEs',
    'n',
    'N',
    'no',
    'on',
    'On',
    'oN',
    'off',
    'Off',
    'OFF',
    'true',
    'tRUE',
    'False',
  ],
  ...[
    '~',
    'null',
    'Null',
    'nULL',
    '=',
    '<<',
    '1e3',
    '1E3',
    '+1',
    '-1',
    '1_000',
    '1_',
    '_1',
    '0777',
    '08',
    '0_7',
    '0o17',
  ],
  ...['0O17', '0o', '0x1F', '0X1f', '0x', '0x_1', '0b11', '-0b11', '+0b1', '0b2', '12:30:45', '12:30', '190:20:30.15'],
  ...[
    '2001-12-14',
    '2001-12-14T21:59:43Z',
    '.5',
    '5.',
    '.',
    '.e3',
    '1.e3',
    '.1e3',
    '1e400',
    '0.0',
    '1_0.5',
    '.5_0',
    '+.5',
  ],
  ...[
    '1.5.1',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '18446744073709551615',
    '10m',
    '1Gi',
  ],
  ...[
    '-',
    '+',
    '0',
    '-0',
    '00',
    '0e0',
    '1e',
    '1e+',
    '1e+2',
    '!!str on',
    '!!int "3"',
    '!!binary aGk=',
    '!!bool "yes"',
    '.nan',
  ],
  ...['.NaN', '.inf', '-.Inf', '+.INF', '.iNF'],
]

/** Texts of one to six characters of which numbers and words consist. */
const scalar = fc.string({ unit: fc.constantFrom(...'0123456789abefoxyONnEX_+-.:~'), minLength: 1, maxLength: 6 })

it('are parsed like in the real server', async () => {
  const texts = [...words, ...fc.sample(scalar, { numRuns: 20_000, seed: 18 })].map((word) => `value: ${word}\n`)
  const answers = await ask('yaml', texts)
  const differences = texts.flatMap((text, index) => {
    const [ours, theirs] = [readOf(text), answers[index]?.error === undefined ? answers[index]?.value : 'no YAML']
    return deepEqual(ours, theirs ?? null) ? [] : [{ text, ours, theirs }]
  })
  expect(differences).toEqual([])
})

it('are written so that the real server parses the same strings', async () => {
  const values = [...words, ...fc.sample(scalar, { numRuns: 20_000, seed: 19 })]
  const answers = await ask(
    'yaml',
    values.map((value) => yamlText({ value })),
  )
  expect(answers.map(({ value }) => value)).toEqual(values.map((value) => ({ value })))
})

function readOf(text: string): Json {
  try {
    return parseYaml(text).value
  } catch (thrown) {
    if (thrown instanceof WireJsonError) return 'no YAML'
    throw thrown
  }
}
