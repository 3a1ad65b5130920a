// Planner of a checked expression: it resolves overloads, folds constants and compiles patterns once.
// Source: github.com/google/cel-go/interpreter/{planner,decorators}.go.
import { type RegularExpression, RegularExpressionError, regularExpression } from '../regular-expression.ts'
import { callCost } from './call-cost.ts'
import type { Checked, Reference } from './check.ts'
import { typeNames } from './environment.ts'
import { Fold } from './fold.ts'
import { callAny, callOverload, callShared, type FunctionTable, type Overload } from './function-table.ts'
import { PlainList } from './list-value.ts'
import { MakeList, MakeMap } from './literal-steps.ts'
import { Meter } from './meter.ts'
import { Comparison, Logic, membershipOf, OrElse } from './operator-steps.ts'
import { Attribute, Constant, type Frame, type Qualifier, Step } from './step.ts'
import type { CallExpression, Expression, ListExpression, MapExpression } from './syntax.ts'
import { CelError, noSuchOverload, TypeValue, type Value } from './value.ts'

/** Error for an expression with a constant part that fails. */
export class PlanFault extends Error {
  override readonly name = 'PlanFault'
}

/** Throws PlanFault. */
export function planExpression(checked: Checked): Step {
  return new Planner(checked).plan(checked.expression)
}

const emptyFrame: Frame = { find: () => undefined }
const conversions = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '))

class Planner {
  readonly #checked: Checked

  constructor(checked: Checked) {
    this.#checked = checked
  }

  plan(expression: Expression): Step {
    switch (expression.kind) {
      case 'literal':
        return new Constant(expression.value)
      case 'name':
        return this.#name(expression, expression.name)
      case 'select': {
        if (this.#reference(expression) !== undefined) return this.#name(expression, expression.field)
        const { field, isTest } = expression
        return attributeOf(this.plan(expression.operand)).qualified(constantQualifier(field, false, isTest))
      }
      case 'call':
        return this.#call(expression)
      case 'list':
        return this.#list(expression)
      case 'map':
        return this.#map(expression)
      case 'fold':
        return new Fold({
          ...expression,
          range: this.plan(expression.range),
          initial: this.plan(expression.initial),
          condition: this.plan(expression.condition),
          step: this.plan(expression.step),
          result: this.plan(expression.result),
        })
    }
  }

  #reference(expression: Expression): Reference | undefined {
    return this.#checked.references.get(expression)
  }

  /** Plans a variable or a type name. */
  #name(expression: Expression, written: string): Step {
    const reference = this.#reference(expression)
    const name = reference?.kind === 'name' ? reference.name : written
    if (this.#checked.types.get(expression)?.kind !== 'type') return new Attribute({ kind: 'variable', name })
    if (!typeNames.has(name)) throw new PlanFault(`reference to undefined type: ${name}`)
    return new Constant(new TypeValue(name))
  }

  #call(call: CallExpression): Step {
    const reference = this.#reference(call)
    const table = reference?.kind === 'function' ? reference.table : undefined
    const overloads = reference?.kind === 'function' ? reference.overloads : []
    // A namespaced name such as `strings.quote` has no receiver.
    const isMember = call.target !== undefined && overloads[0]?.isMember === true
    const parts = isMember && call.target !== undefined ? [call.target, ...call.args] : call.args
    const args = parts.map((part) => this.plan(part))
    const [first = new Constant(null), second = new Constant(null), third = new Constant(null)] = args
    switch (table?.name ?? call.name) {
      case '_&&_':
        return new Logic(first, second, false)
      case '_||_':
        return new Logic(first, second, true)
      case '_?_:_':
        return new Attribute({
          kind: 'choice',
          condition: first,
          whenTrue: attributeOf(second),
          whenFalse: attributeOf(third),
        })
      case '_==_':
        return new Comparison(first, second, 'equals')
      case '_!=_':
        return new Comparison(first, second, 'not_equals')
      case '_[_]':
        return attributeOf(first).qualified(qualifierOf(second, false))
      case '_?._':
      case '_[?_]':
        return attributeOf(first).qualified(qualifierOf(second, true))
    }
    if (table === undefined) throw new PlanFault(`no such overload: ${call.name}`)
    return functionStep(table, overloads, args)
  }

  #list({ elements }: ListExpression): Step {
    const steps = elements.map(({ value, isOptional }) => ({ step: this.plan(value), isOptional }))
    const list = new MakeList(steps)
    return steps.every(({ step }) => step instanceof Constant) ? constantOf(list) : list
  }

  #map({ entries }: MapExpression): Step {
    const steps = entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      isOptional: entry.isOptional,
    }))
    const map = new MakeMap(steps)
    const isConstant = steps.every(({ key, value }) => key instanceof Constant && value instanceof Constant)
    return isConstant ? constantOf(map) : map
  }
}

/** Evaluates a constant once. A constant that is an error fails at evaluation. */
function constantOf(step: Step): Constant {
  return new Constant(step.evaluate(emptyFrame, new Meter(Number.POSITIVE_INFINITY)))
}

function attributeOf(step: Step): Attribute {
  return step instanceof Attribute ? step : new Attribute({ kind: 'step', step })
}

function constantQualifier(value: Value, isOptional: boolean, isTest: boolean): Qualifier {
  return { isOptional, isTest, key: () => value }
}

/** An index that is itself an attribute resolves without cost. */
function qualifierOf(step: Step, isOptional: boolean): Qualifier {
  if (step instanceof Constant) return constantQualifier(step.value, isOptional, false)
  const attribute = attributeOf(step)
  return { isOptional, isTest: false, key: (frame, meter) => attribute.resolve(frame, meter) }
}

function functionStep(table: FunctionTable, overloads: readonly Overload[], args: readonly Step[]): Step {
  const [first, second] = args
  const only = overloads.length === 1 ? overloads[0] : undefined
  if (table.name === 'or' || table.name === 'orValue') {
    if (first !== undefined && second !== undefined) return new OrElse(first, second, table.name)
  }
  if (only?.id === 'in_list' && second instanceof Constant && first !== undefined) {
    const membership = membershipOf(first, second.value)
    if (membership !== undefined) return membership
  }
  const pattern = second instanceof Constant && typeof second.value === 'string' ? second.value : undefined
  const evaluate =
    pattern !== undefined && /^(matches|find|findAll)$/.test(table.name) ? withPattern(table.name, pattern) : undefined
  const call = new Call(table, only, args, evaluate)
  if (!conversions.has(table.name) || args.length !== 1 || !(first instanceof Constant)) return call
  const { value } = constantOf(call)
  if (value instanceof CelError) throw new PlanFault(value.message)
  return new Constant(value)
}

type EvaluateArgs = (args: readonly Value[]) => Value

/** Compiles the pattern once. */
function withPattern(name: string, pattern: string): EvaluateArgs {
  const compiled = compiledPattern(pattern)
  return ([text = null, , limit]) => {
    if (typeof text !== 'string') return noSuchOverload(text)
    if (name === 'matches') return compiled.test(text)
    if (name === 'find') return compiled.find(text) ?? ''
    const count = typeof limit === 'bigint' && limit >= 0n && limit <= BigInt(text.length) ? Number(limit) : -1
    return new PlainList(compiled.findAll(text, count))
  }
}

function compiledPattern(pattern: string): RegularExpression {
  try {
    return regularExpression(pattern)
  } catch (thrown) {
    if (thrown instanceof RegularExpressionError) throw new PlanFault(thrown.message)
    throw thrown
  }
}

class Call extends Step {
  readonly #table: FunctionTable
  /** Undefined if several overloads match; the arguments then decide at run time. */
  readonly #overload: Overload | undefined
  readonly #args: readonly Step[]
  readonly #evaluate: EvaluateArgs | undefined

  constructor(
    table: FunctionTable,
    overload: Overload | undefined,
    args: readonly Step[],
    evaluate: EvaluateArgs | undefined,
  ) {
    super()
    this.#table = table
    this.#overload = overload
    this.#args = args
    this.#evaluate = evaluate
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const args: Value[] = []
    const isStrict = this.#table.name !== '@not_strictly_false'
    let fault: CelError | undefined
    for (const step of this.#args) {
      const value = step.evaluate(frame, meter)
      args.push(value)
      if (!isStrict || !(value instanceof CelError)) continue
      fault ??= value
      // With three or more arguments, an error ends the evaluation of the rest, and the call costs nothing.
      if (this.#args.length > 2 || this.#evaluate !== undefined) break
    }
    return this.#charged(meter, args, fault ?? this.#call(meter, args))
  }

  #charged(meter: Meter, args: readonly Value[], result: Value): Value {
    if (args.length === this.#args.length)
      meter.charge(callCost(this.#table.name, this.#overload?.id ?? '', args, result))
    return result
  }

  #call(meter: Meter, args: readonly Value[]): Value {
    if (this.#evaluate !== undefined) return this.#evaluate(args)
    if (this.#table.shared !== undefined) return callShared(this.#table, meter, args)
    return this.#overload === undefined
      ? callAny(this.#table, meter, args)
      : callOverload(this.#table, this.#overload, meter, args)
  }
}
