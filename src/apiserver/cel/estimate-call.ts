// Estimated maximum cost of one call, and the size of its result. Sources: github.com/google/cel-go/checker/cost.go,
// k8s.io/apiserver/pkg/cel/library/cost.go (EstimateCallCost), cel-go's ext/{sets,lists}.go.
import { type CelType, isSameType } from './cel-type.ts'
import { atRate, exactly, plus, productOf, type SizeRange, sumOf, times, unbounded } from './size-range.ts'
import type { Expression } from './syntax.ts'

/** An argument with its static facts. */
export interface SizedNode {
  readonly type: CelType
  readonly expression: Expression
  readonly size: SizeRange
  readonly elementType: CelType | undefined
  readonly elementSize: SizeRange
}

export interface CallEstimate {
  readonly cost: number
  readonly size?: SizeRange | undefined
}

type Estimate = (
  target: SizedNode | undefined,
  args: readonly SizedNode[],
  overload: string,
) => CallEstimate | undefined

const perCharacter = 0.1
const perPatternCharacter = 0.25
const one: CallEstimate = { cost: 1 }

/** Returns undefined for a call without its own estimate; such a call costs one. */
export function estimateCall(
  name: string,
  overload: string,
  target: SizedNode | undefined,
  args: readonly SizedNode[],
): CallEstimate | undefined {
  return (
    byOverload.get(overload)?.(target, args, overload) ??
    byFunction.get(name)?.(target, args, overload) ??
    standard.get(overload)?.(target, args, overload)
  )
}

const traverseArgument: Estimate = (_target, [first]) => first && { cost: atRate(first.size.max, perCharacter) }
const traverseSized: Estimate = (_target, [first]) =>
  first && { cost: atRate(first.size.max, perCharacter), size: first.size }
const traverseTarget: Estimate = (target) =>
  target && { cost: atRate(target.size.max, perCharacter), size: target.size }

/** Compares every element, and traverses texts. */
const traverseList: Estimate = (target) => {
  if (target === undefined) return undefined
  if (target.elementType === undefined) return { cost: atRate(target.size.max, perCharacter) }
  const isText = target.elementType.kind === 'string' || target.elementType.kind === 'bytes'
  const each = isText ? plus(1, atRate(target.elementSize.max, perCharacter)) : 1
  return { cost: times(target.size.max, each) }
}

const replace: Estimate = (target, [old, fresh]) => {
  if (target === undefined || old === undefined || fresh === undefined) return undefined
  const { size } = target
  let most: readonly [count: number, kept: number]
  if (old.size.min === 0) most = [plus(size.max, 1), size.max]
  else if (fresh.size.max <= old.size.min) most = [0, size.max]
  else most = [Math.ceil(size.max / old.size.min), 0]
  let least: readonly [count: number, kept: number]
  if (old.size.max === 0) least = [plus(size.min, 1), size.min]
  else if (old.size.max <= fresh.size.min) least = [0, size.min]
  else least = [Math.ceil(size.min / old.size.max), 0]
  return {
    cost: atRate(size.max, 2 * perCharacter),
    size: {
      min: plus(times(least[0], fresh.size.min), least[1]),
      max: plus(times(most[0], fresh.size.max), most[1]),
    },
  }
}

const split: Estimate = (target, [, limit]) => {
  if (target === undefined) return undefined
  const literal = limit?.expression.kind === 'literal' ? limit.expression.value : undefined
  const max = typeof literal === 'bigint' ? Number(BigInt.asUintN(64, literal)) : target.size.max
  return { cost: atRate(target.size.max, 2 * perCharacter), size: { min: 0, max } }
}

const join: Estimate = (target, [separator]) => {
  if (target === undefined) return undefined
  let size: SizeRange = target.elementType === undefined ? exactly(0) : productOf(target.size, target.elementSize)
  if (separator !== undefined) {
    const between = { min: Math.max(target.size.min - 1, 0), max: Math.max(target.size.max - 1, 0) }
    size = sumOf(size, productOf(separator.size, between))
  }
  return { cost: atRate(size.max, perCharacter), size }
}

function matchCost(text: SizeRange, pattern: SizeRange): number {
  return times(atRate(plus(text.max, 1), perCharacter), atRate(pattern.max, perPatternCharacter))
}

const find: Estimate = (target, [pattern]) =>
  target && pattern && { cost: matchCost(target.size, pattern.size), size: { min: 0, max: target.size.max } }

const matches: Estimate = (target, [pattern]) => target && pattern && { cost: matchCost(target.size, pattern.size) }

/** The longest address has 16 bytes; a comparison reads both addresses. */
const comparison = atRate(32, perCharacter)

const containsIp: Estimate = (_target, [first], overload) => {
  if (first === undefined) return undefined
  return overload === 'cidr_contains_ip_string'
    ? { cost: plus(comparison, atRate(first.size.max, perCharacter)) }
    : { cost: comparison }
}

const containsCidr: Estimate = (_target, [first], overload) => {
  if (first === undefined) return undefined
  const cost = comparison + atRate(16, perCharacter) + 1
  return overload === 'cidr_contains_cidr_string'
    ? { cost: plus(cost, atRate(first.size.max, perCharacter)) }
    : { cost }
}

const equality: Estimate = (_target, [left, right]) => {
  if (left === undefined || right === undefined || !isSameType(left.type, right.type)) return undefined
  switch (left.type.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return one
    case 'kubernetes.NamedFormat':
      return { cost: atRate(64, perCharacter) }
    case 'kubernetes.URL':
      return { cost: atRate(right.size.max === unbounded ? 1 : right.size.max, perCharacter) }
    default:
      return undefined
  }
}

const byFunction: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name): [string, Estimate] => [
    name,
    traverseList,
  ]),
  ['url', traverseSized],
  ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name): [string, Estimate] => [name, traverseTarget]),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['find', find],
  ['findAll', find],
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name): [string, Estimate] => [
    name,
    traverseArgument,
  ]),
  ['ip', (target, args, overload) => (overload === 'cidr_ip' ? one : traverseArgument(target, args, overload))],
  ['ip.isCanonical', (_target, [first]) => first && { cost: atRate(first.size.max, 2 * perCharacter) }],
  ['containsIP', containsIp],
  ['containsCIDR', containsCidr],
  [
    'validate',
    (_target, [first]) => first && { cost: atRate(atRate(first.size.max, perCharacter), 128 * perPatternCharacter) },
  ],
  ['check', () => ({ cost: 350_000 })],
  ['_==_', equality],
])

/** Cost of a call that creates a list. */
function allocating(rate: number, size: SizeRange): CallEstimate {
  return { cost: plus(atRate(size.max, rate), 11), size }
}

/** Returns the value of an int literal, at least 0. */
function literalInt({ expression }: SizedNode, otherwise: number): number {
  if (expression.kind !== 'literal' || typeof expression.value !== 'bigint') return otherwise
  return Number(expression.value < 0n ? 0n : expression.value)
}

const slice: Estimate = (target, [start, end]) => {
  if (target === undefined || start === undefined || end === undefined) return undefined
  const length = literalInt(end, target.size.max) - literalInt(start, 0)
  return allocating(1, exactly(length < 0 ? unbounded : length))
}

const flatten: Estimate = (target, [depth]) =>
  target && allocating(depth === undefined ? 1 : literalInt(depth, unbounded), target.size)

function sorted(
  type: string,
  sizeOf: (target: SizedNode | undefined, args: readonly SizedNode[]) => SizeRange | undefined,
): Estimate {
  const rate = type === 'string' || type === 'bytes' ? 2 + perCharacter : 2
  return (target, args) => {
    const size = sizeOf(target, args)
    return size && allocating(rate, productOf(size, size))
  }
}

function setCost(rate: number): Estimate {
  return (_target, [left, right]) =>
    left && right && { cost: plus(atRate(times(left.size.max, right.size.max), rate), 1) }
}

const sortable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

const byOverload: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['list_sets_contains_list', setCost(1)],
  ['list_sets_intersects_list', setCost(1)],
  ['list_sets_equivalent_list', setCost(2)],
  ['list_slice', slice],
  ['list_flatten', flatten],
  ['list_flatten_int', flatten],
  ['lists_range', (_target, [end]) => end && allocating(1, exactly(literalInt(end, unbounded)))],
  ['list_reverse', (target) => target && allocating(1, target.size)],
  ['list_distinct', (target) => target && allocating(2, productOf(target.size, target.size))],
  ...sortable.flatMap((type): [string, Estimate][] => [
    [`list_${type}_sort`, sorted(type, (target) => target?.size)],
    [`list_${type}_sortByAssociatedKeys`, sorted(type, (_target, [keys]) => keys?.size)],
  ]),
])

const shorter: Estimate = (_target, [left, right]) =>
  left && right && { cost: atRate(Math.min(left.size.max, right.size.max), perCharacter) }

const standard: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['string_format', (target) => target && { cost: atRate(target.size.max, perCharacter) }],
  [
    'string_to_bytes',
    (_target, [first]) =>
      first && {
        cost: atRate(first.size.max, perCharacter),
        size: { min: first.size.min, max: Math.min(first.size.max * 4, unbounded) },
      },
  ],
  [
    'bytes_to_string',
    (_target, [first]) =>
      first && {
        cost: atRate(first.size.max, perCharacter),
        size: { min: Math.trunc(first.size.min / 4), max: first.size.max },
      },
  ],
  [
    'strings_quote',
    (_target, [first]) =>
      first && {
        cost: atRate(first.size.max, perCharacter),
        // Without a bound, the API server's arithmetic overflows to 0.
        size: { min: first.size.min + 2, max: first.size.max === unbounded ? 0 : first.size.max * 2 + 2 },
      },
  ],
  ['starts_with_string', traverseArgument],
  ['ends_with_string', traverseArgument],
  ['in_list', (_target, [, list]) => list && { cost: list.size.max }],
  ['matches_string', matches],
  [
    'contains_string',
    (target, [part]) =>
      target && part && { cost: times(atRate(target.size.max, perCharacter), atRate(part.size.max, perCharacter)) },
  ],
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((prefix): [string, Estimate][] => [
    [`${prefix}_string`, shorter],
    [`${prefix}_bytes`, shorter],
  ]),
  ['equals', shorter],
  ['not_equals', shorter],
])
