// Checks of literals before any object exists: invalid durations, timestamps, patterns and format templates.
// Sources: github.com/google/cel-go/cel/validator.go, ext/formatting.go.
import { RegularExpressionError, regularExpression } from '../regular-expression.ts'
import { type CelType, firstParameter, typeText } from './cel-type.ts'
import type { Checked, CheckFault } from './check.ts'
import { toDuration, toTimestamp } from './conversion.ts'
import { clauseFaultText, formatFault } from './format-text.ts'
import { type CallExpression, type Expression, expressionsOf, type ListExpression } from './syntax.ts'
import { CelError } from './value.ts'

export function literalFaults(checked: Checked): readonly CheckFault[] {
  const faults: CheckFault[] = []
  const exempt = new Set<Expression>()
  for (const expression of expressionsOf(checked.expression)) {
    if (expression.kind !== 'call') continue
    faults.push(...argumentFaults(expression))
    if (expression.name !== 'format') continue
    for (const inner of expressionsOf(expression)) exempt.add(inner)
    faults.push(...templateFaults(checked, expression))
  }
  for (const expression of expressionsOf(checked.expression))
    if (!exempt.has(expression)) faults.push(...mixtureFaults(checked, expression))
  return faults
}

function argumentFaults({ name, args }: CallExpression): readonly CheckFault[] {
  const [first] = args
  if (first?.kind !== 'literal' || !isFaulty(name, first.value)) return []
  return [{ at: first.at, message: `invalid ${name} argument` }]
}

function isFaulty(name: string, value: Parameters<typeof toDuration>[0]): boolean {
  // The checker accepts null for both; the conversion rejects it.
  if (name === 'duration') return value === null || toDuration(value) instanceof CelError
  if (name === 'timestamp') return value === null || toTimestamp(value) instanceof CelError
  return name === 'matches' && typeof value === 'string' && !isPattern(value)
}

function isPattern(text: string): boolean {
  try {
    regularExpression(text)
    return true
  } catch (thrown) {
    if (thrown instanceof RegularExpressionError) return false
    throw thrown
  }
}

/** Elements of list and map literals must have one type. */
function mixtureFaults({ types }: Checked, expression: Expression): readonly CheckFault[] {
  const typeOf = (part: Expression, isOptional: boolean): CelType => {
    const type = types.get(part) ?? { kind: 'error', name: 'error', parameters: [] }
    return isOptional ? firstParameter(type) : type
  }
  if (expression.kind === 'list')
    return mixture(expression.elements.map(({ value, isOptional }) => [value, typeOf(value, isOptional)] as const))
  if (expression.kind !== 'map') return []
  return [
    ...mixture(expression.entries.map(({ key }) => [key, typeOf(key, false)] as const)),
    ...mixture(expression.entries.map(({ value, isOptional }) => [value, typeOf(value, isOptional)] as const)),
  ]
}

function mixture(parts: readonly (readonly [Expression, CelType])[]): readonly CheckFault[] {
  const [first] = parts
  if (first === undefined) return []
  const expected = typeText(first[1])
  const other = parts.find(([, type]) => typeText(type) !== expected)
  if (other === undefined) return []
  return [{ at: other[0].at, message: `expected type '${expected}' but found '${typeText(other[1])}'` }]
}

const formattable: Readonly<Record<string, readonly string[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
}

/** Checks a template against its arguments if both are literals. */
function templateFaults(checked: Checked, { at, target, args }: CallExpression): readonly CheckFault[] {
  const [list] = args
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return []
  const message = formatFault(target.value, list.elements.length, (index, verb) => {
    const misfit = misfitOf(checked, list.elements[index]?.value, verb)
    return misfit && clauseFaultText(verb, misfit.name)
  })
  return message === undefined ? [] : [{ at, message }]
}

/** Returns the type that a clause cannot format; in a list literal, also an element's type. */
function misfitOf(checked: Checked, part: Expression | undefined, verb: string): CelType | undefined {
  const type = part && checked.types.get(part)
  if (part === undefined || type === undefined) return undefined
  if (type.kind !== 'dyn' && !(formattable[verb.toLowerCase()] ?? []).includes(type.kind)) return type
  if (verb !== 's') return undefined
  for (const inner of elementsOf(part)) {
    const misfit = misfitOf(checked, inner, verb)
    if (misfit !== undefined) return misfit
  }
  return undefined
}

function elementsOf(part: Expression): readonly Expression[] {
  if (part.kind === 'list') return (part satisfies ListExpression).elements.map(({ value }) => value)
  return part.kind === 'map' ? part.entries.flatMap(({ key, value }) => [key, value]) : []
}
