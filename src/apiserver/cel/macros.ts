// CEL macros (`has`, `all`, `exists`, `map`, `filter` and others): each call expands to a fold or a field test.
// Source: github.com/google/cel-go/parser/macro.go, cel/library.go (optMap), ext/comprehensions.go, ext/lists.go
// (sortBy).
import {
  type CallExpression,
  type Expression,
  type FoldExpression,
  type NameExpression,
  SyntaxFault,
} from './syntax.ts'
import type { Value } from './value.ts'

/** Accumulator variable of a loop; its name is no valid identifier, so no expression can use it. */
const collector = '@result'

/** Returns the expansion of a macro; undefined for a function call. Throws SyntaxFault for an invalid argument. */
export function expandMacro(call: CallExpression): Expression | undefined {
  const style = call.target === undefined ? 'plain' : 'member'
  return macros.get(`${call.name}/${call.args.length}/${style}`)?.(call)
}

type Macro = (call: CallExpression) => Expression

const macros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['has/1/plain', presence],
  ['all/2/member', (call) => all(call, 1)],
  ['all/3/member', (call) => all(call, 2)],
  ['exists/2/member', (call) => exists(call, 1)],
  ['exists/3/member', (call) => exists(call, 2)],
  ['exists_one/2/member', (call) => existsOne(call, 1)],
  ['exists_one/3/member', (call) => existsOne(call, 2)],
  ['existsOne/3/member', (call) => existsOne(call, 2)],
  ['map/2/member', (call) => collect(call, 1, argument(call, 1), undefined)],
  ['map/3/member', (call) => collect(call, 1, argument(call, 2), argument(call, 1))],
  ['filter/2/member', (call) => collect(call, 1, argument(call, 0), argument(call, 1))],
  ['transformList/3/member', (call) => collect(call, 2, argument(call, 2), undefined)],
  ['transformList/4/member', (call) => collect(call, 2, argument(call, 3), argument(call, 2))],
  ['transformMap/3/member', (call) => collectMap(call, argument(call, 2), undefined)],
  ['transformMap/4/member', (call) => collectMap(call, argument(call, 3), argument(call, 2))],
  ['transformMapEntry/3/member', (call) => collectEntries(call, argument(call, 2), undefined)],
  ['transformMapEntry/4/member', (call) => collectEntries(call, argument(call, 3), argument(call, 2))],
  ['optMap/2/member', (call) => whenPresent(call, (bound) => made(call, 'optional.of', [bound]))],
  ['optFlatMap/2/member', (call) => whenPresent(call, (bound) => bound)],
  ['sortBy/2/member', sortBy],
])

function presence(call: CallExpression): Expression {
  const selected = argument(call, 0)
  if (selected.kind !== 'select') throw new SyntaxFault(selected.at, 'invalid argument to has() macro')
  return { ...selected, at: call.at, isTest: true }
}

function all(call: CallExpression, variables: 1 | 2): Expression {
  return fold(call, variables, {
    initial: literal(call, true),
    condition: made(call, '@not_strictly_false', [collected(call)]),
    step: made(call, '_&&_', [collected(call), argument(call, variables)]),
  })
}

function exists(call: CallExpression, variables: 1 | 2): Expression {
  return fold(call, variables, {
    initial: literal(call, false),
    condition: made(call, '@not_strictly_false', [made(call, '!_', [collected(call)])]),
    step: made(call, '_||_', [collected(call), argument(call, variables)]),
  })
}

function existsOne(call: CallExpression, variables: 1 | 2): Expression {
  const one = () => literal(call, 1n)
  const more = made(call, '_+_', [collected(call), one()])
  return fold(call, variables, {
    initial: literal(call, 0n),
    condition: literal(call, true),
    step: made(call, '_?_:_', [argument(call, variables), more, collected(call)]),
    result: made(call, '_==_', [collected(call), one()]),
  })
}

function collect(call: CallExpression, variables: 1 | 2, item: Expression, filter: Expression | undefined): Expression {
  const one: Expression = { kind: 'list', at: call.at, elements: [{ value: item, isOptional: false }] }
  return fold(call, variables, {
    initial: { kind: 'list', at: call.at, elements: [] },
    condition: literal(call, true),
    step: filtered(call, filter, made(call, '_+_', [collected(call), one])),
  })
}

function collectMap(call: CallExpression, value: Expression, filter: Expression | undefined): Expression {
  const key: Expression = { kind: 'name', at: call.at, name: nameOf(call, 0, 'argument must be a simple name').name }
  return collectInMap(call, made(call, 'cel.@mapInsert', [collected(call), key, value]), filter)
}

function collectEntries(call: CallExpression, entry: Expression, filter: Expression | undefined): Expression {
  return collectInMap(call, made(call, 'cel.@mapInsert', [collected(call), entry]), filter)
}

function collectInMap(call: CallExpression, step: Expression, filter: Expression | undefined): Expression {
  return fold(call, 2, {
    initial: { kind: 'map', at: call.at, entries: [] },
    condition: literal(call, true),
    step: filtered(call, filter, step),
  })
}

function filtered(call: CallExpression, filter: Expression | undefined, step: Expression): Expression {
  return filter === undefined ? step : made(call, '_?_:_', [filter, step, collected(call)])
}

/** `x.optMap(v, f)`: none stays none; otherwise v is bound to the value. */
function whenPresent(call: CallExpression, wrap: (bound: Expression) => Expression): Expression {
  const { name } = nameOf(call, 0, `${call.name}() variable name must be a simple identifier`)
  const bound = binding(call, name, member(call, 'value', targetOf(call)), argument(call, 1))
  return made(call, '_?_:_', [member(call, 'hasValue', targetOf(call)), wrap(bound), made(call, 'optional.none', [])])
}

/** Binds the list to a name, so that its expression is evaluated once for the elements and the sort keys. */
function sortBy(call: CallExpression): Expression {
  const target = targetOf(call)
  if (target.kind === 'literal' || target.kind === 'map')
    throw new SyntaxFault(
      target.at,
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    )
  const input = '@__sortBy_input__'
  const named = (): Expression => ({ kind: 'name', at: call.at, name: input })
  const keys = collect({ ...call, target: named() }, 1, argument(call, 1), undefined)
  return binding(call, input, target, {
    kind: 'call',
    at: call.at,
    name: '@sortByAssociatedKeys',
    target: named(),
    args: [keys],
  })
}

/** Returns a fold over an empty list whose accumulator holds the value. */
function binding(call: CallExpression, name: string, value: Expression, result: Expression): FoldExpression {
  return {
    kind: 'fold',
    at: call.at,
    range: { kind: 'list', at: call.at, elements: [] },
    variable: '#unused',
    secondVariable: undefined,
    collector: name,
    initial: value,
    condition: literal(call, false),
    step: { kind: 'name', at: call.at, name },
    result,
  }
}

interface Loop {
  readonly initial: Expression
  readonly condition: Expression
  readonly step: Expression
  readonly result?: Expression
}

function fold(call: CallExpression, variables: 1 | 2, { initial, condition, step, result }: Loop): FoldExpression {
  const complaint = /^(?:map|filter|sortBy)$/.test(call.name)
    ? 'argument is not an identifier'
    : 'argument must be a simple name'
  const first = nameOf(call, 0, complaint)
  const second = variables === 2 ? nameOf(call, 1, complaint) : undefined
  if (second !== undefined && first.name === second.name)
    throw new SyntaxFault(second.at, `duplicate variable name: ${first.name}`)
  for (const variable of [first, second])
    if (variable?.name === '__result__')
      throw new SyntaxFault(variable.at, 'iteration variable overwrites accumulator variable')
  return {
    kind: 'fold',
    at: call.at,
    range: targetOf(call),
    variable: first.name,
    secondVariable: second?.name,
    collector,
    initial,
    condition,
    step,
    result: result ?? collected(call),
  }
}

function nameOf(call: CallExpression, index: number, complaint: string): NameExpression {
  const named = argument(call, index)
  if (named.kind !== 'name') throw new SyntaxFault(named.at, complaint)
  return named
}

function argument(call: CallExpression, index: number): Expression {
  const found = call.args[index]
  if (found === undefined) throw new SyntaxFault(call.at, `${call.name} lacks an argument`)
  return found
}

function targetOf(call: CallExpression): Expression {
  return call.target ?? argument(call, 0)
}

function collected({ at }: CallExpression): Expression {
  return { kind: 'name', at, name: collector }
}

function literal({ at }: CallExpression, value: Value): Expression {
  return { kind: 'literal', at, value }
}

function made({ at }: CallExpression, name: string, args: readonly Expression[]): Expression {
  return { kind: 'call', at, name, target: undefined, args }
}

function member({ at }: CallExpression, name: string, target: Expression): Expression {
  return { kind: 'call', at, name, target, args: [] }
}
