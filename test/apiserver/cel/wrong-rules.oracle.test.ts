// Test: invalid rules get the compiler's messages.
// Valid rules are broken by common mistakes, and whole texts are compared. The test checks the share of equal texts.
import { describe, expect, it } from 'vitest'
import { compileRules } from '../../../src/apiserver/cel/rules.ts'
import { errorBody } from '../../../src/apiserver/field-error.ts'
import { compileSchema } from '../../../src/apiserver/schema/schema.ts'
import { ask } from '../../oracles/oracle.ts'
import { seededNumbers } from '../built-in/random-object.ts'
import { conditions } from './expressions.ts'
import { sampleSchema } from './sample-schema.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const perQuestion = 20

type Breaks = (rule: string, below: (limit: number) => number) => string

const pieces = /[A-Za-z_]\w*|\d+(?:\.\d+)?|"[^"]*"|'[^']*'|[<>=!]=|&&|\|\||\s+|./g
const piecesOf = (rule: string) => rule.match(pieces) ?? []
const at = (parts: readonly string[], index: number, put: readonly string[], taken = 1) =>
  parts.toSpliced(index, taken, ...put).join('')
const someOf = (rule: string, below: (limit: number) => number, is: RegExp) => {
  const parts = piecesOf(rule)
  const found = parts.flatMap((part, index) => (is.test(part) ? [index] : []))
  return { parts, index: found[below(found.length)] ?? 0 }
}
const replacing =
  (is: RegExp, puts: readonly string[]): Breaks =>
  (rule, below) => {
    const { parts, index } = someOf(rule, below, is)
    return at(parts, index, [puts[below(puts.length)] ?? ''])
  }

const typeMistakes: Readonly<Record<string, Breaks>> = {
  'another name': replacing(/^[A-Za-z_]\w*$/, ['nope', 'self', 'a', 'size', 'items']),
  'another literal': replacing(/^(\d|["'])/, ['1', "'x'", 'true', '1.5', 'null', '[1]']),
  'another operator': replacing(/^([<>=!]=|&&|\|\||[-+*/%<>])$/, ['+', '&&', '==', '<', '-', ' in ', '%']),
}
const syntaxMistakes: Readonly<Record<string, Breaks>> = {
  'a piece is missing': (rule, below) => at(piecesOf(rule), below(piecesOf(rule).length), []),
  'a piece stands twice': (rule, below) => {
    const { parts, index } = someOf(rule, below, /\S/)
    return at(parts, index, [parts[index] ?? '', parts[index] ?? ''])
  },
  'a sign too many': (rule, below) =>
    at(piecesOf(rule), below(piecesOf(rule).length), ['()[]{},.:?=&|;#$@"\'!'.charAt(below(18))], 0),
  'it ends early': (rule, below) =>
    piecesOf(rule)
      .slice(0, below(piecesOf(rule).length))
      .join(''),
  'an operator of another language': replacing(/^([<>=!]=|&&|\|\||[-+<>])$/, ['=', '===', 'and', '&', '|', '<>', '=>']),
}

/** Returns the error text by rule; none for a rule that compiles or fails later. */
function compileTexts(faults: readonly { field: string; text: string }[]): ReadonlyMap<number, string> {
  return new Map(
    faults.flatMap(({ field, text }) => {
      const index = /validations\[(\d+)\]\.rule$/.exec(field)?.[1]
      const found = /: (compilation failed: .*)$/s.exec(text)?.[1]
      return index === undefined || found === undefined
        ? []
        : [[Number(index), found.replaceAll(/selfType\d+/g, 'selfType')] as const]
    }),
  )
}

async function share(mistakes: Readonly<Record<string, Breaks>>, seed: number) {
  const next = seededNumbers(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const rules = Object.values(mistakes).flatMap((breaks) =>
    Array.from({ length: 400 * runs }, () => breaks(conditions[below(conditions.length)] ?? '', below)),
  )
  const schemas = Array.from({ length: Math.ceil(rules.length / perQuestion) }, (_, index) =>
    sampleSchema(rules.slice(index * perQuestion, (index + 1) * perQuestion).map((rule) => ({ rule }))),
  )
  const answers = await ask(
    'cel',
    schemas.map((schema) => ({ schema, pairs: [] })),
  )
  const found = {
    wrong: 0,
    same: 0,
    different: [] as { rule: string; ours: string | undefined; theirs: string | undefined }[],
  }
  for (const [index, { value }] of answers.entries()) {
    const schema = schemas[index] ?? {}
    const { errors } = compileRules(compileSchema(schema), { path: 'x' })
    const ours = compileTexts(errors.map((error) => ({ field: error.field, text: errorBody(error) })))
    // The oracle's own form.
    const theirs = compileTexts((value as unknown as { schema: readonly { field: string; text: string }[] }).schema)
    for (let each = 0; each < perQuestion; each++) {
      const rule = rules[index * perQuestion + each] ?? ''
      const [our, their] = [ours.get(each), theirs.get(each)]
      if (their === undefined && our === undefined) continue
      found.wrong++
      if (our === their) found.same++
      else found.different.push({ rule, ours: our, theirs: their })
    }
  }
  return found
}

describe('the error of an invalid rule', () => {
  it('has the same text for type errors', async () => {
    const { wrong, same, different } = await share(typeMistakes, 1)
    expect(wrong).toBeGreaterThan(900 * runs)
    expect(same / wrong, JSON.stringify(different, null, 1)).toBeGreaterThan(0.99)
  }, 60_000)

  it('has the same text for syntax errors, unless the rule has another error too', async () => {
    const { wrong, same, different } = await share(syntaxMistakes, 2)
    expect(wrong).toBeGreaterThan(1_400 * runs)
    expect(same / wrong, JSON.stringify(different.slice(0, 30), null, 1)).toBeGreaterThan(0.97)
  }, 60_000)
})
