// CEL type checker: names must be declared, fields must exist, and every call must have a matching overload.
// Source: github.com/google/cel-go/checker/checker.go.
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  firstParameter,
  insideOptional,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  parameterType,
  secondParameter,
  stringType,
  typeText,
  uintType,
} from './cel-type.ts'
import { isReserved } from './escape.ts'
import type { FunctionTable, Overload } from './function-table.ts'
import type {
  CallExpression,
  Expression,
  FoldExpression,
  ListExpression,
  MapExpression,
  SelectExpression,
} from './syntax.ts'
import { type Bindings, mostGeneral, substitute, unify, unifyAll } from './unify.ts'
import { typeNameOf, type Value } from './value.ts'

/** Declarations that a rule may use. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionTable>
  /** Variables and type names. */
  readonly names: ReadonlyMap<string, CelType>
  /** Returns the fields of a schema object by its type name. */
  fieldsOf(typeName: string): ReadonlyMap<string, CelType> | undefined
}

/** Declaration that a name or a call refers to. */
export type Reference =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'function'; readonly table: FunctionTable; readonly overloads: readonly Overload[] }
  /** `a.?b` or `a[?b]`, which the planner handles. */
  | { readonly kind: 'operator' }

export interface Checked {
  readonly expression: Expression
  readonly types: ReadonlyMap<Expression, CelType>
  readonly references: ReadonlyMap<Expression, Reference>
}

export interface CheckFault {
  readonly at: number
  readonly message: string
}

/** Returns the types of all subexpressions, or the faults. */
export function checkExpression(
  expression: Expression,
  environment: Environment,
): { readonly checked: Checked; readonly faults: readonly CheckFault[] } {
  return new Checker(environment).run(expression)
}

class Checker {
  readonly #environment: Environment
  readonly #types = new Map<Expression, CelType>()
  readonly #references = new Map<Expression, Reference>()
  readonly #faults: CheckFault[] = []
  /** Variables of the enclosing loops, innermost last. */
  readonly #scopes: ReadonlyMap<string, CelType>[] = []
  #bindings: Bindings = new Map()
  #fresh = 0

  constructor(environment: Environment) {
    this.#environment = environment
  }

  run(expression: Expression) {
    this.#check(expression)
    const types = new Map([...this.#types].map(([part, type]) => [part, substitute(this.#bindings, type, 'dyn')]))
    return { checked: { expression, types, references: this.#references }, faults: this.#faults }
  }

  #check(expression: Expression): CelType {
    const type = this.#typeOf(expression)
    this.#types.set(expression, type)
    return type
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case 'literal':
        return literalType(expression.value)
      case 'name':
        return this.#name(expression, expression.name) ?? this.#undeclared(expression.at, expression.name)
      case 'select':
        return this.#select(expression)
      case 'call':
        return this.#call(expression)
      case 'list':
        return this.#list(expression)
      case 'map':
        return this.#map(expression)
      case 'fold':
        return this.#fold(expression)
    }
  }

  /** Returns the declared type of a name; undefined for an unknown name. */
  #name(expression: Expression, written: string): CelType | undefined {
    const name = written.replace(/^\./, '')
    const scope = this.#scopes.findLast((variables) => variables.has(name))
    const type = scope?.get(name) ?? this.#environment.names.get(name)
    if (type !== undefined) this.#references.set(expression, { kind: 'name', name })
    return type
  }

  #undeclared(at: number, name: string): CelType {
    return this.#fault(at, `undeclared reference to '${name}' (in container '')`)
  }

  #fault(at: number, message: string): CelType {
    this.#faults.push({ at, message })
    return errorType
  }

  #select(expression: SelectExpression): CelType {
    const qualified = qualifiedName(expression)
    const named = qualified === undefined ? undefined : this.#name(expression, qualified)
    if (named !== undefined) return named
    const type = this.#field(expression, expression.operand, expression.field, 'plain')
    return expression.isTest ? boolType : substitute(this.#bindings, type, 'kept')
  }

  #field(expression: Expression, operand: Expression, field: string, style: 'plain' | 'optional'): CelType {
    const whole = substitute(this.#bindings, this.#check(operand), 'kept')
    const inside = insideOptional(whole)
    const type = this.#fieldType(expression, inside ?? whole, field)
    return inside !== undefined || style === 'optional' ? optionalOf(type) : type
  }

  #fieldType(expression: Expression, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return secondParameter(target)
      case 'struct':
        return this.#declaredField(target.name, field) ?? this.#fault(expression.at, `undefined field '${field}'`)
      case 'parameter':
        this.#fits(dynType, target)
        return dynType
      default:
        if (target.kind !== 'dyn' && target.kind !== 'error')
          this.#fault(expression.at, `type '${typeText(target)}' does not support field selection`)
        return dynType
    }
  }

  /** A reserved word may be written unescaped. */
  #declaredField(typeName: string, field: string): CelType | undefined {
    const fields = this.#environment.fieldsOf(typeName)
    return fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined)
  }

  #call(call: CallExpression): CelType {
    if (call.name === '_?._') return this.#optionalSelect(call)
    for (const arg of call.args) this.#check(arg)
    if (call.target === undefined) {
      const table = this.#environment.functions.get(call.name.replace(/^\./, ''))
      return table === undefined ? this.#undeclared(call.at, call.name) : this.#resolve(call, table, undefined)
    }
    // `strings.quote(x)` calls a namespaced function; `x.size()` calls a member function of x.
    const prefix = qualifiedName(call.target)
    const spaced =
      prefix === undefined ? undefined : this.#environment.functions.get(`${prefix.replace(/^\./, '')}.${call.name}`)
    if (spaced !== undefined) return this.#resolve(call, spaced, undefined)
    this.#check(call.target)
    const table = this.#environment.functions.get(call.name)
    return table === undefined ? this.#undeclared(call.at, call.name) : this.#resolve(call, table, call.target)
  }

  #optionalSelect(call: CallExpression): CelType {
    const [operand, field] = call.args
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string')
      return this.#fault(call.at, 'unsupported optional field selection')
    this.#references.set(call, { kind: 'operator' })
    return substitute(this.#bindings, this.#field(call, operand, field.value, 'optional'), 'kept')
  }

  #resolve(call: CallExpression, table: FunctionTable, target: Expression | undefined): CelType {
    if (table.name === '_&&_' || table.name === '_||_') return this.#logic(call, table)
    const given = [...(target === undefined ? [] : [target]), ...call.args].map((part) => this.#known(part))
    const found: Overload[] = []
    let result: CelType | undefined
    for (const overload of table.overloads) {
      if (overload.isMember !== (target !== undefined)) continue
      const [own, ...parameters] = this.#instantiated(overload)
      const bindings = unifyAll(this.#bindings, given, parameters)
      if (bindings === undefined) continue
      this.#bindings = bindings
      found.push(overload)
      const type = substitute(bindings, own ?? dynType, 'kept')
      if (result === undefined) result = type
      else if (result.kind !== 'dyn' && typeText(result) !== typeText(type)) result = dynType
    }
    if (result === undefined) return this.#noOverload(call, table, given, target)
    this.#references.set(call, { kind: 'function', table, overloads: found })
    return result
  }

  /** Each operand that is no bool is a separate fault. */
  #logic(call: CallExpression, table: FunctionTable): CelType {
    const misfits = call.args.filter((part) => !this.#fits(this.#known(part), boolType))
    for (const part of misfits) this.#mismatch(part, boolType, this.#known(part))
    this.#references.set(call, { kind: 'function', table, overloads: table.overloads })
    return misfits.length === 0 ? boolType : errorType
  }

  #noOverload(
    call: CallExpression,
    { name }: FunctionTable,
    given: readonly CelType[],
    target: Expression | undefined,
  ) {
    const texts = given.map((type) => typeText(substitute(this.#bindings, type, 'dyn')))
    const signature =
      target === undefined ? `(${texts.join(', ')})` : `${texts[0] ?? ''}.(${texts.slice(1).join(', ')})`
    return this.#fault(call.at, `found no matching overload for '${name}' applied to '${signature}'`)
  }

  /** Returns result and parameters of an overload, with fresh type parameters for this call. */
  #instantiated({ result, parameters }: Overload): CelType[] {
    const fresh = new Map<string, CelType>()
    for (const name of [result, ...parameters].flatMap(parameterNames))
      if (!fresh.has(name)) fresh.set(name, this.#freshParameter())
    return [result, ...parameters].map((type) => (fresh.size === 0 ? type : substitute(fresh, type, 'kept')))
  }

  #list(list: ListExpression): CelType {
    let joined: CelType | undefined
    for (const { value, isOptional } of list.elements) joined = this.#join(joined, this.#element(value, isOptional))
    return listOf(joined ?? this.#freshParameter())
  }

  #map(map: MapExpression): CelType {
    let key: CelType | undefined
    let value: CelType | undefined
    for (const entry of map.entries) {
      key = this.#join(key, this.#check(entry.key))
      value = this.#join(value, this.#element(entry.value, entry.isOptional))
    }
    return mapOf(key ?? this.#freshParameter(), value ?? this.#freshParameter())
  }

  #element(value: Expression, isOptional: boolean): CelType {
    const type = this.#check(value)
    if (!isOptional) return type
    const inside = insideOptional(type)
    if (inside === undefined && type.kind !== 'dyn') this.#mismatch(value, optionalOf(type), type)
    return inside ?? type
  }

  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type
    if (this.#fits(before, type)) return mostGeneral(before, type)
    return dynType
  }

  #fold(fold: FoldExpression): CelType {
    const range = substitute(this.#bindings, this.#check(fold.range), 'kept')
    const collected = this.#check(fold.initial)
    const [first, second] = this.#loopTypes(fold, range)
    this.#scopes.push(new Map([[fold.collector, collected]]))
    const variables = new Map([[fold.variable, first]])
    if (fold.secondVariable !== undefined) variables.set(fold.secondVariable, second)
    this.#scopes.push(variables)
    this.#check(fold.condition)
    this.#expect(fold.condition, boolType)
    this.#check(fold.step)
    this.#expect(fold.step, collected)
    this.#scopes.pop()
    const result = this.#check(fold.result)
    this.#scopes.pop()
    return substitute(this.#bindings, result, 'kept')
  }

  /** Returns the types of a loop's variables. One variable takes elements or keys; two take index or key, and value. */
  #loopTypes(fold: FoldExpression, range: CelType): readonly [CelType, CelType] {
    switch (range.kind) {
      case 'list':
        return fold.secondVariable === undefined ? [firstParameter(range), errorType] : [intType, firstParameter(range)]
      case 'map':
        return [firstParameter(range), secondParameter(range)]
      case 'dyn':
      case 'error':
      case 'parameter':
        this.#fits(dynType, range)
        return [dynType, dynType]
      default:
        this.#fault(
          fold.range.at,
          `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        return [errorType, errorType]
    }
  }

  #expect(part: Expression, type: CelType): void {
    if (!this.#fits(type, this.#known(part))) this.#mismatch(part, type, this.#known(part))
  }

  #mismatch(part: Expression, expected: CelType, actual: CelType): void {
    this.#fault(part.at, `expected type '${typeText(expected)}' but found '${typeText(actual)}'`)
  }

  #fits(left: CelType, right: CelType): boolean {
    const bindings = unify(this.#bindings, left, right)
    if (bindings !== undefined) this.#bindings = bindings
    return bindings !== undefined
  }

  #known(part: Expression): CelType {
    return this.#types.get(part) ?? errorType
  }

  #freshParameter(): CelType {
    return parameterType(`_var${this.#fresh++}`)
  }
}

function parameterNames(type: CelType): string[] {
  return type.kind === 'parameter' ? [type.name] : type.parameters.flatMap(parameterNames)
}

/** Returns `a.b.c` if the expression consists of names only. */
function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name
  if (expression.kind !== 'select' || expression.isTest) return undefined
  const operand = qualifiedName(expression.operand)
  return operand === undefined ? undefined : `${operand}.${expression.field}`
}

const literalTypes: ReadonlyMap<string, CelType> = new Map(
  [boolType, bytesType, doubleType, intType, nullType, stringType, uintType].map((type) => [type.name, type]),
)

function literalType(value: Value): CelType {
  return literalTypes.get(typeNameOf(value)) ?? errorType
}
