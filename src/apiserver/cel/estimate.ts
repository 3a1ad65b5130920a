// Estimated maximum cost of an expression, from the sizes that the schema allows, before any object exists.
// Source: github.com/google/cel-go/checker/cost.go.
import type { CelType } from './cel-type.ts'
import { insideOptional } from './cel-type.ts'
import type { Checked } from './check.ts'
import type { DeclaredType } from './declared-type.ts'
import { type CallEstimate, estimateCall, type SizedNode } from './estimate-call.ts'
import { atRate, exactly, plus, type SizeRange, sumOf, times, unionOf, unknownSize } from './size-range.ts'
import type { CallExpression, Expression, FoldExpression, ListExpression, MapExpression } from './syntax.ts'
import { Bytes, lengthOf } from './value.ts'

/** Returns the upper bound for a checked expression over a value of the declared type. */
export function estimateCost(checked: Checked, root: DeclaredType): number {
  return new Estimator(checked, root).cost(checked.expression)
}

/** Sizes of the entries of a list or map. */
interface EntrySizes {
  readonly kind: 'list' | 'map'
  readonly key: SizeRange
  readonly value: SizeRange
}

/** Origin of a value in the declared types: a variable, then fields, `@items`, `@keys`, `@values`. */
type Path = readonly string[]

interface Variable {
  readonly path: Path
  readonly size: SizeRange | undefined
  readonly entries: EntrySizes | undefined
}

class Estimator {
  readonly #checked: Checked
  readonly #root: DeclaredType
  readonly #paths = new Map<Expression, Path>()
  readonly #sizes = new Map<Expression, SizeRange>()
  readonly #entries = new Map<Expression, EntrySizes>()
  readonly #variables = new Map<string, Variable[]>()

  constructor(checked: Checked, root: DeclaredType) {
    this.#checked = checked
    this.#root = root
  }

  cost(expression: Expression): number {
    switch (expression.kind) {
      case 'literal':
        return 0
      case 'name':
        this.#paths.set(expression, this.#variable(expression.name)?.path ?? [expression.name.replace(/^\./, '')])
        return 1
      case 'select': {
        if (expression.isTest) return this.cost(expression.operand)
        if (this.#checked.references.has(expression)) {
          this.#paths.set(expression, [expression.field])
          return 1
        }
        const operand = this.cost(expression.operand)
        const { kind } = this.#type(expression.operand)
        this.#paths.set(expression, [...this.#path(expression.operand), expression.field])
        return plus(operand, kind === 'map' || kind === 'struct' ? 1 : 0)
      }
      case 'call':
        return this.#call(expression)
      case 'list':
        return this.#list(expression)
      case 'map':
        return this.#map(expression)
      case 'fold':
        return isBinding(expression) ? this.#binding(expression) : this.#fold(expression)
    }
  }

  #call(call: CallExpression): number {
    const [only] = call.args
    const reference = this.#checked.references.get(call)
    if (call.name === 'dyn' && call.target === undefined && only !== undefined) {
      const cost = plus(1, this.cost(only))
      this.#copySizes(call, only)
      return cost
    }
    const argCosts = call.args.map((arg) => this.cost(arg))
    const args = call.args.map((arg) => this.#node(arg))
    const argCost = argCosts.reduce(plus, 0)
    if (reference?.kind !== 'function') {
      this.#setSize(call, this.#size(call))
      return plus(1, argCost)
    }
    const isMember = call.target !== undefined && reference.overloads[0]?.isMember === true
    const targetCost = isMember && call.target !== undefined ? this.cost(call.target) : 0
    const target = isMember && call.target !== undefined ? this.#node(call.target) : undefined
    let [most, size]: [number, SizeRange | undefined] = [0, undefined]
    for (const { id } of reference.overloads) {
      const estimate = this.#overload(call, reference.table.name, id, target, args, argCosts)
      most = Math.max(most, estimate.cost)
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : unionOf(size, estimate.size)
      size = this.#indexed(call, id, size) ?? this.#size(call)
    }
    this.#setSize(call, size)
    return plus(targetCost, most)
  }

  /** An index refers to the elements of its container. */
  #indexed(call: CallExpression, overload: string, size: SizeRange | undefined): SizeRange | undefined {
    const [container] = call.args
    if (container === undefined || (overload !== 'index_list' && overload !== 'index_map')) return size
    this.#paths.set(call, [...this.#path(container), overload === 'index_list' ? '@items' : '@values'])
    return this.#entrySizes(container)?.value
  }

  #overload(
    call: CallExpression,
    name: string,
    id: string,
    target: SizedNode | undefined,
    args: readonly SizedNode[],
    argCosts: readonly number[],
  ): CallEstimate {
    const all = argCosts.reduce(plus, 0)
    const [first, second, third] = args
    const own = estimateCall(name, id, target, args)
    if (own !== undefined) return { cost: plus(own.cost, all), size: own.size }
    switch (id) {
      case 'logical_or':
      case 'logical_and':
        return { cost: all }
      case 'conditional': {
        const [condition = 0, whenTrue = 0, whenFalse = 0] = argCosts
        const entries = unionOfEntries(this.#entriesOf(call.args[1]), this.#entriesOf(call.args[2]))
        if (entries !== undefined) this.#entries.set(call, entries)
        const size = unionOf(second?.size ?? unknownSize, third?.size ?? unknownSize)
        return { cost: plus(condition, Math.max(whenTrue, whenFalse)), size }
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const size = sumOf(first?.size ?? unknownSize, second?.size ?? unknownSize)
        const entries = unionOfEntries(this.#entriesOf(call.args[0]), this.#entriesOf(call.args[1]))
        if (entries !== undefined) this.#entries.set(call, entries)
        return { cost: plus(id === 'add_list' ? 1 : atRate(size.max, 0.1), all), size }
      }
      default:
        return { cost: plus(1, all) }
    }
  }

  #list(list: ListExpression): number {
    const { length } = list.elements
    let value: SizeRange = { min: length === 0 ? 0 : unknownSize.max, max: 0 }
    let cost = 10
    for (const element of list.elements) {
      cost = plus(cost, this.cost(element.value))
      value = unionOf(value, this.#sizeOrUnknown(element.value))
    }
    this.#entries.set(list, { kind: 'list', key: exactly(1), value })
    return cost
  }

  #map(map: MapExpression): number {
    const none: SizeRange = { min: map.entries.length === 0 ? 0 : unknownSize.max, max: 0 }
    let [key, value, cost] = [none, none, 30]
    for (const entry of map.entries) {
      cost = plus(plus(cost, this.cost(entry.key)), this.cost(entry.value))
      key = unionOf(key, this.#sizeOrUnknown(entry.key))
      value = unionOf(value, this.#sizeOrUnknown(entry.value))
    }
    this.#entries.set(map, { kind: 'map', key, value })
    return cost
  }

  #fold(fold: FoldExpression): number {
    const outside = plus(this.cost(fold.range), this.cost(fold.initial))
    this.#push(fold.collector, {
      path: this.#path(fold.initial),
      size: this.#size(fold.initial),
      entries: this.#entrySizes(fold.initial),
    })
    const entries = this.#entrySizes(fold.range)
    const kind = entries?.kind ?? this.#type(fold.range).kind
    const of = (part: string, size: SizeRange | undefined): Variable => ({
      path: [...this.#path(fold.range), part],
      size,
      entries: undefined,
    })
    const [index, element] =
      kind === 'list'
        ? [of('@indices', entries?.key), of('@items', entries?.value)]
        : [of('@keys', entries?.key), of('@values', entries?.value)]
    const isPair = fold.secondVariable !== undefined
    this.#push(fold.variable, isPair || kind !== 'list' ? index : element)
    if (fold.secondVariable !== undefined) this.#push(fold.secondVariable, element)
    const turn = plus(this.cost(fold.condition), this.cost(fold.step))
    this.#pop(fold.variable)
    if (fold.secondVariable !== undefined) this.#pop(fold.secondVariable)
    const result = this.cost(fold.result)
    this.#pop(fold.collector)
    const turns = this.#sizeOrUnknown(fold.range)
    if (fold.initial.kind === 'literal') this.#setSize(fold, this.#size(fold.initial))
    else if (fold.initial.kind === 'list' || fold.initial.kind === 'map') {
      this.#setSize(fold, turns)
      const made = this.#entrySizes(fold.step)
      if (made !== undefined) this.#entries.set(fold, made)
    }
    return plus(plus(outside, result), times(turns.max, turn))
  }

  #binding(fold: FoldExpression): number {
    const outside = plus(this.cost(fold.range), this.cost(fold.initial))
    this.#push(fold.collector, {
      path: this.#path(fold.initial),
      size: this.#size(fold.initial),
      entries: this.#entrySizes(fold.initial),
    })
    const result = this.cost(fold.result)
    this.#pop(fold.collector)
    this.#copySizes(fold, fold.result)
    return plus(outside, result)
  }

  #push(name: string, variable: Variable): void {
    const known = this.#variables.get(name)
    if (known === undefined) this.#variables.set(name, [variable])
    else known.push(variable)
  }

  #pop(name: string): void {
    this.#variables.get(name)?.pop()
  }

  #variable(name: string): Variable | undefined {
    return this.#variables.get(name)?.at(-1)
  }

  #path(expression: Expression): Path {
    const variable = expression.kind === 'name' ? this.#variable(expression.name) : undefined
    return variable?.path ?? this.#paths.get(expression) ?? []
  }

  #type(expression: Expression): CelType {
    return this.#checked.types.get(expression) ?? { kind: 'error', name: '', parameters: [] }
  }

  #node(expression: Expression): SizedNode {
    const path = this.#path(expression)
    const fromPath = path[0] === '@result' ? [] : path
    const type = this.#type(expression)
    return {
      type,
      expression,
      size: this.#size(expression) ?? unknownSize,
      elementType: type.parameters[0],
      elementSize: this.#declaredSize(fromPath.length === 0 ? [] : [...fromPath, '@items']) ?? unknownSize,
    }
  }

  #size(expression: Expression): SizeRange | undefined {
    const known = this.#sizes.get(expression) ?? literalSize(expression)
    if (known !== undefined) return known
    const declared = this.#declaredSize(this.#path(expression))
    if (declared !== undefined) {
      this.#sizes.set(expression, declared)
      return declared
    }
    if (isScalar(this.#type(expression))) return exactly(1)
    return expression.kind === 'name' ? this.#variable(expression.name)?.size : undefined
  }

  #sizeOrUnknown(expression: Expression): SizeRange {
    return this.#size(expression) ?? unknownSize
  }

  #setSize(expression: Expression, size: SizeRange | undefined): void {
    if (size !== undefined) this.#sizes.set(expression, size)
  }

  #entriesOf(expression: Expression | undefined): EntrySizes | undefined {
    return expression && this.#entrySizes(expression)
  }

  #entrySizes(expression: Expression): EntrySizes | undefined {
    const known = this.#entries.get(expression)
    return known ?? (expression.kind === 'name' ? this.#variable(expression.name)?.entries : undefined)
  }

  #copySizes(to: Expression, from: Expression): void {
    this.#setSize(to, this.#size(from))
    const entries = this.#entrySizes(from)
    if (entries !== undefined) this.#entries.set(to, entries)
  }

  /** Any first variable of a path counts as `self`. */
  #declaredSize(path: Path): SizeRange | undefined {
    if (path.length === 0) return undefined
    let type: DeclaredType | undefined = this.#root
    for (const part of path.slice(1)) {
      if (part === '@items' || part === '@values') type = type.element
      else type = part === '@keys' ? type.key : type.fields?.get(part)
      if (type === undefined) return undefined
    }
    return { min: 0, max: type.maxElements }
  }
}

/** True for a binding: a fold over an empty list whose collector is not the loops' own. */
function isBinding({ range, condition, collector }: FoldExpression): boolean {
  return (
    range.kind === 'list' &&
    range.elements.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    collector !== '__result__'
  )
}

function unionOfEntries(left: EntrySizes | undefined, right: EntrySizes | undefined): EntrySizes | undefined {
  if (left === undefined || right === undefined) return undefined
  return { kind: left.kind, key: unionOf(left.key, right.key), value: unionOf(left.value, right.value) }
}

function literalSize(expression: Expression): SizeRange | undefined {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression
      if (typeof value === 'string') return exactly(lengthOf(value))
      return exactly(value instanceof Bytes ? value.data.length : 1)
    }
    case 'list':
      return exactly(expression.elements.length)
    case 'map':
      return exactly(expression.entries.length)
    default:
      return undefined
  }
}

function isScalar(type: CelType): boolean {
  const inside = insideOptional(type)
  if (inside !== undefined) return isScalar(inside)
  return /^(bool|double|duration|int|timestamp|uint)$/.test(type.kind)
}
