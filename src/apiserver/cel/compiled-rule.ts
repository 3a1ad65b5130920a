// Compilation of a rule: parse it, check it against the schema's types, plan it and estimate its maximum cost.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go.
import type { Schema } from '../schema/schema.ts'
import { type CelType, optionalOf } from './cel-type.ts'
import { type Checked, checkExpression, type Environment } from './check.ts'
import { type DeclaredType, fieldsByType } from './declared-type.ts'
import { knownFunctions, typeNames } from './environment.ts'
import { estimateCost } from './estimate.ts'
import { literalFaults } from './literal-checks.ts'
import { parseExpression } from './parse.ts'
import { PlanFault, planExpression } from './plan.ts'
import { type Rule, rulesOf } from './rule.ts'
import { ruleFieldPath } from './rule-field-path.ts'
import type { Step } from './step.ts'
import { type Fault, locatedText, SyntaxFault } from './syntax.ts'
import { syntaxFaults } from './syntax-faults.ts'

/** One compiled expression, or its fault. */
export type Compiled =
  | { readonly fault: string; readonly plan?: undefined }
  | { readonly plan: Step; readonly maxCost: number; readonly usesOldSelf: boolean; readonly fault?: undefined }

export interface CompiledRule {
  readonly rule: Rule
  /** Undefined for an empty rule. */
  readonly condition: Compiled | undefined
  /** Undefined if absent, or if the rule itself has a fault. */
  readonly messageExpression: Compiled | undefined
  /** The rule's fieldPath, as errors show it; empty if absent. */
  readonly field: string
}

/** Compiles the rules of a schema node for values of the declared type. */
export function compileNodeRules(
  source: Schema['source'],
  schema: Schema,
  declared: DeclaredType,
): readonly CompiledRule[] {
  const rules = rulesOf(source)
  if (rules.length === 0) return []
  const fields = fieldsByType(declared)
  const environment = (oldSelf: CelType): Environment => ({
    functions: knownFunctions(),
    names: new Map([...typeNames, ['self', declared.type], ['oldSelf', oldSelf]]),
    fieldsOf: (typeName) => fields.get(typeName),
  })
  const plain = environment(declared.type)
  const optional = environment(optionalOf(declared.type))
  return rules.map((rule) => compileRule(rule, schema, declared, rule.optionalOldSelf === true ? optional : plain))
}

function compileRule(rule: Rule, schema: Schema, declared: DeclaredType, environment: Environment): CompiledRule {
  if (rule.rule.trim() === '') return { rule, condition: undefined, messageExpression: undefined, field: '' }
  const condition = compileExpression(rule.rule, 'bool', environment, declared)
  if (condition.fault !== undefined) return { rule, condition, messageExpression: undefined, field: '' }
  const messageExpression =
    rule.messageExpression === ''
      ? undefined
      : compileExpression(rule.messageExpression, 'string', environment, declared)
  const isReady = messageExpression?.fault === undefined
  const field = isReady && rule.fieldPath !== '' ? (ruleFieldPath(rule.fieldPath, schema) ?? '') : ''
  return { rule, condition, messageExpression, field }
}

const wording = {
  bool: {
    compilation: 'compilation failed',
    type: 'cel expression must evaluate to a bool',
    plan: 'program instantiation failed',
  },
  string: {
    compilation: 'messageExpression compilation failed',
    type: 'messageExpression must evaluate to a string',
    plan: 'messageExpression instantiation failed',
  },
}

function compileExpression(
  text: string,
  kind: 'bool' | 'string',
  environment: Environment,
  declared: DeclaredType,
): Compiled {
  const words = wording[kind]
  const checked = checkText(text, environment)
  if (typeof checked === 'string') return { fault: `${words.compilation}: ${checked}` }
  if (checked.types.get(checked.expression)?.kind !== kind) return { fault: words.type }
  const usesOldSelf = checked.references
    .values()
    .some((reference) => reference.kind === 'name' && reference.name === 'oldSelf')
  try {
    return { plan: planExpression(checked), maxCost: estimateCost(checked, declared), usesOldSelf }
  } catch (thrown) {
    if (thrown instanceof PlanFault) return { fault: `${words.plan}: ${thrown.message}` }
    throw thrown
  }
}

/** Returns the checked expression, or all its faults as text. */
function checkText(text: string, environment: Environment): Checked | string {
  try {
    const { checked, faults } = checkExpression(parseExpression(text), environment)
    const all = faults.length > 0 ? faults : literalFaults(checked)
    if (all.length === 0) return checked
    return located(text, all)
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault)) throw thrown
    const faults = syntaxFaults(text)
    return located(text, faults.length === 0 ? [thrown] : faults)
  }
}

const maxTold = 100

/** Formats the faults in text order, up to `maxTold`. */
function located(text: string, faults: readonly Fault[]): string {
  const told = faults.slice(0, maxTold).toSorted((left, right) => left.at - right.at)
  const lines = told.map(({ at, message }) => locatedText(text, at, message))
  const left = faults.length - told.length
  return [...lines, ...(left === 0 ? [] : [`${left} more errors were truncated`])].join('\n')
}
