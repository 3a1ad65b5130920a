// Comparison of CEL rules with the control plane: types, fields, texts and order of all errors, warnings and cost.
// Compiler messages are compared only by presence, because their wording is not the API server's.

import { compileRules } from '../../../src/apiserver/cel/rules.ts'
import { errorBody, type FieldError } from '../../../src/apiserver/field-error.ts'
import { compileSchema } from '../../../src/apiserver/schema/schema.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { ask } from '../../oracles/oracle.ts'

export interface CelQuestion {
  readonly schema: JsonObject
  readonly pairs: readonly (readonly [Json] | readonly [Json, Json])[]
}

export interface Difference {
  readonly where: string
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
}

const path = 'spec.validation.openAPIV3Schema'

interface Fault {
  readonly type: string
  readonly field: string
  readonly text: string
}

interface Verdict {
  readonly errors: readonly Fault[]
  readonly warnings: readonly string[]
  readonly cost: number
  readonly panic?: string
}

/** Returns the differences between our and the oracle's answers, by question. */
export async function differences(questions: readonly CelQuestion[]): Promise<Difference[]> {
  const answers = await ask(
    'cel',
    questions.map(({ schema, pairs }) => ({ schema, pairs })),
  )
  return questions.flatMap((question, index) => {
    const { value, error } = answers[index] ?? {}
    if (error !== undefined) return [{ where: `question ${index}`, ours: [], theirs: [error] }]
    const theirs = value as unknown as { schema: readonly Fault[]; verdicts: readonly Verdict[] } // The oracle's own form.
    return compare(question, theirs.schema, theirs.verdicts)
  })
}

function compare({ schema, pairs }: CelQuestion, faults: readonly Fault[], verdicts: readonly Verdict[]): Difference[] {
  const { errors, program } = compileRules(compileSchema(schema), { path })
  const found = [difference('the schema', errors.map(ownLine), faults.map(line))]
  for (const [index, [object, old]] of pairs.entries()) {
    const verdict = verdicts[index]
    if (verdict === undefined || verdict.panic !== undefined) continue
    const judged = program?.judge({ object, old, field: '' }) ?? { errors: [], warnings: [], cost: 0 }
    const ours = [
      ...judged.errors.map(ownLine),
      ...judged.warnings.map((text) => `warning ${text}`),
      `cost ${judged.cost}`,
    ]
    const theirs = [
      ...verdict.errors.map(line),
      ...verdict.warnings.map((text) => `warning ${text}`),
      `cost ${verdict.cost}`,
    ]
    found.push(difference(`pair ${index}`, ours, theirs))
  }
  return found.filter((difference) => difference !== undefined)
}

function ownLine(error: FieldError): string {
  return line({ type: error.type, field: error.field, text: errorBody(error) })
}

function line({ type, field, text }: Fault): string {
  return `${type} ${field} ${text.replace(/((?:c|messageExpression c)ompilation failed: ).*/s, '$1…')}`
}

/**
 * Sorts lines by field: the API server visits properties in random order, but keeps the order within a field.
 * It names at most four rules that together cost too much.
 * Its choice among several hopeless rules depends on digits beyond the precision of a double.
 */
function inOrder(lines: readonly string[]): readonly string[] {
  const fieldOf = (text: string) =>
    (/^(?:Field\S+|warning) (\S+?):? /.exec(text)?.[1] ?? '~').replace(/(validations)\[.*/, '$1')
  const isContribution = (text: string) => text.includes(' contributed to estimated rule cost ')
  const plain = lines.filter((text) => !isContribution(text))
  const contributions = lines.filter(isContribution)
  return [
    ...plain.toSorted((left, right) => fieldOf(left).localeCompare(fieldOf(right))),
    ...(contributions.length < 4 ? contributions.toSorted() : contributions.map(() => 'four rules contributed')),
  ]
}

/** Returns the lines that only one side has. */
function difference(where: string, our: readonly string[], their: readonly string[]): Difference | undefined {
  const [ours, theirs] = [inOrder(our), inOrder(their)]
  if (ours.length === theirs.length && ours.every((text, index) => text === theirs[index])) return undefined
  const [onlyOurs, onlyTheirs] = [
    ours.filter((text) => !theirs.includes(text)),
    theirs.filter((text) => !ours.includes(text)),
  ]
  return onlyOurs.length + onlyTheirs.length === 0
    ? { where: `${where} (order)`, ours, theirs }
    : { where, ours: onlyOurs, theirs: onlyTheirs }
}
