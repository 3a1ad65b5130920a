// Runtime cost of a CEL call, from the sizes of its arguments. Sources:
// github.com/google/cel-go/interpreter/runtimecost.go,
// k8s.io/apiserver/pkg/cel/library/cost.go (CallCost), cel-go's ext/{sets,lists}.go.
import { FormatValue } from './library/formats.ts'
import { CidrValue, IpValue } from './library/network.ts'
import { QuantityValue } from './library/quantity.ts'
import { SemverValue } from './library/semver.ts'
import { sizeOf } from './library/standard.ts'
import { UrlValue } from './library/urls.ts'
import { elementsOf, ListValue } from './list-value.ts'
import { MapValue } from './map-value.ts'
import { EvaluationPanic } from './meter.ts'
import { Bytes, Optional, typeNameOf, type Value } from './value.ts'

const perCharacter = 0.1
const perPatternCharacter = 0.25
const listBase = 10

/** Returns the API server's cost units for one call. */
export function callCost(name: string, overload: string, args: readonly Value[], result: Value): number {
  const [first = null, second = null] = args
  const byOverload = overloadCosts.get(overload)
  if (byOverload !== undefined) return byOverload(first, second, result, overload)
  const byName = functionCosts.get(name)
  if (byName !== undefined) return byName(first, second, result, overload)
  return standardCosts.get(overload)?.(first, second, result, overload) ?? 1
}

type Cost = (first: Value, second: Value, result: Value, overload: string) => number

/** Returns the size of a value; IP addresses and networks have one too. */
function size(value: Value): number {
  return value instanceof IpValue || value instanceof CidrValue ? value.size : sizeOf(value)
}

/** Returns the size of the value inside an optional. */
function innerSize(value: Value): number {
  return value instanceof Optional && value.value !== undefined ? innerSize(value.value) : size(value)
}

const traverse: Cost = (first) => Math.ceil(size(first) * perCharacter)
const traverseTwice: Cost = (first) => Math.ceil(size(first) * 2 * perCharacter)
const nominal: Cost = () => 1
const depth: Cost = (first) => traversal(first)

const match: Cost = (first, second) =>
  Math.ceil((1 + innerSize(first)) * perCharacter) * Math.ceil(innerSize(second) * perPatternCharacter)

const shorter: Cost = (first, second) => Math.ceil(Math.min(innerSize(first), innerSize(second)) * perCharacter)
const both: Cost = (first, second) => Math.ceil((innerSize(first) + innerSize(second)) * perCharacter)

/** Returns the size of everything that a value contains; texts count by bytes. */
function traversal(value: Value): number {
  if (typeof value === 'string') return Math.trunc(utf8Length(value) * perCharacter)
  if (value instanceof Bytes) return Math.trunc(value.data.length * perCharacter)
  if (value instanceof ListValue) return elementsOf(value).reduce((sum: number, element) => sum + traversal(element), 0)
  if (!(value instanceof MapValue)) return 1
  return value.keys().reduce((sum: number, key) => sum + traversal(key) + traversal(value.get(key)), 0)
}

function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

const allocate = (elements: number, factor: number) => Math.trunc(elements * factor) + 1 + listBase
const output: Cost = (_first, _second, result) => allocate(size(result), 1)

/** Cost of the comparison of every element with every other. */
function selfCompare(list: Value): number {
  if (!(list instanceof ListValue))
    throw new EvaluationPanic('interface conversion: *types.Err is not traits.Lister: missing method Add')
  const elements = list.size
  if (elements === 0) return allocate(0, 2)
  const isText = /^(string|bytes)$/.test(typeNameOf(list.at(0)))
  return allocate(elements * elements, isText ? 2 + perCharacter : 2)
}

function depthOf(value: Value): number {
  if (typeof value !== 'bigint') throw new EvaluationPanic('interface conversion: ref.Val is *types.Err, not types.Int')
  return Number(value)
}

const sortable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

const overloadCosts: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ['list_sets_contains_list', (first, second) => 1 + size(first) * size(second)],
  ['list_sets_intersects_list', (first, second) => 1 + size(first) * size(second)],
  ['list_sets_equivalent_list', (first, second) => 1 + size(first) * size(second) * 2],
  ['list_slice', output],
  ['lists_range', output],
  ['list_reverse', output],
  ['list_flatten', (first) => allocate(size(first), 1)],
  ['list_flatten_int', (first, second) => allocate(size(first), depthOf(second))],
  ['list_distinct', selfCompare],
  ...sortable.flatMap((type): [string, Cost][] => [
    [`list_${type}_sort`, selfCompare],
    [`list_${type}_sortByAssociatedKeys`, (_first, second) => selfCompare(second)],
  ]),
])

const contain = (first: Value, second: Value, isText: boolean) =>
  Math.ceil(size(first) * 2 * perCharacter) + (isText ? Math.ceil(size(second) * perCharacter) : 0)

const functionCosts: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name): [string, Cost] => [name, depth]),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim'].map((name): [string, Cost] => [name, traverse]),
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name): [string, Cost] => [
    name,
    traverse,
  ]),
  ...['replace', 'split', 'ip.isCanonical'].map((name): [string, Cost] => [name, traverseTwice]),
  ['join', (_first, _second, result) => Math.ceil(size(result) * 2 * perCharacter)],
  ...['find', 'findAll'].map((name): [string, Cost] => [
    name,
    (first, second) => Math.ceil((1 + size(first)) * perCharacter) * Math.ceil(size(second) * perPatternCharacter),
  ]),
  ['ip', (first, second, result, overload) => (overload === 'cidr_ip' ? 1 : traverse(first, second, result, overload))],
  ['containsIP', (first, second, _result, overload) => contain(first, second, overload === 'cidr_contains_ip_string')],
  [
    'containsCIDR',
    (first, second, _result, overload) =>
      contain(first, second, overload === 'cidr_contains_cidr_string') + Math.ceil(size(first) * perCharacter) + 1,
  ],
  [
    'validate',
    (first, second) =>
      first instanceof FormatValue
        ? Math.ceil((1 + size(second)) * perCharacter) * Math.ceil(first.format.patternSize * perPatternCharacter)
        : 1,
  ],
  ['_==_', (first, second, result, overload) => (isKubernetes(first) ? 1 : shorter(first, second, result, overload))],
  ['format.named', nominal],
  ['check', () => 350_000],
])

function isKubernetes(value: Value): boolean {
  return (
    value instanceof QuantityValue ||
    value instanceof IpValue ||
    value instanceof CidrValue ||
    value instanceof FormatValue ||
    value instanceof UrlValue ||
    value instanceof SemverValue
  )
}

const standardCosts: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ...[
    'starts_with_string',
    'ends_with_string',
    'string_to_bytes',
    'bytes_to_string',
    'strings_quote',
    'string_format',
  ].map((id): [string, Cost] => [id, (first) => Math.ceil(innerSize(first) * perCharacter)]),
  ['in_list', (_first, second) => innerSize(second)],
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((prefix): [string, Cost][] => [
    [`${prefix}_string`, shorter],
    [`${prefix}_bytes`, shorter],
  ]),
  ['equals', shorter],
  ['not_equals', shorter],
  ['add_string', both],
  ['add_bytes', both],
  ['matches_string', match],
  [
    'contains_string',
    (first, second) => Math.ceil(innerSize(first) * perCharacter) * Math.ceil(innerSize(second) * perCharacter),
  ],
])
