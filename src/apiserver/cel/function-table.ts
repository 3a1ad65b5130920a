// How is a function declared? By rows: an overload's id, its signature as text, and what it computes. The table of a library
// is data; signatures are read when the first rule is checked. Source of ids and order: the declarations of cel-go.
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  firstParameter,
  intType,
  listOf,
  mapOf,
  opaqueType,
  optionalOf,
  parameterType,
  secondParameter,
  stringType,
  structType,
  timestampType,
  typeOf,
  typeType,
  uintType,
} from './cel-type.ts'
import type { ListValue } from './list-value.ts'
import { MapValue } from './map-value.ts'
import type { Meter } from './meter.ts'
import { CelError, type Composite, typeNameOf, type Value } from './value.ts'

/** What a function computes of arguments whose types were looked at: the receiver first, the meter after the last. */
export type Evaluate = (...args: never[]) => Value

/** `['string.(int): string', charAt]`: a member's receiver stands before the dot. Without a computation: never reached. */
export type Row = readonly [signature: string, evaluate?: Evaluate]

export interface FunctionRows {
  readonly overloads: Readonly<Record<string, Row>>
  /** One computation for all overloads, which looks at no types but asks the first argument for an ability. */
  readonly shared?: { readonly evaluate: Evaluate; readonly ability?: Ability }
  /** The computation looks at its arguments' types itself. */
  readonly isUnguarded?: boolean
}

/** By function name. */
export type Library = Readonly<Record<string, FunctionRows>>

export interface Overload {
  readonly id: string
  readonly isMember: boolean
  readonly parameters: readonly CelType[]
  readonly result: CelType
  readonly evaluate: ((meter: Meter, args: readonly Value[]) => Value) | undefined
}

export interface FunctionTable {
  readonly name: string
  readonly overloads: readonly Overload[]
  readonly shared:
    | { evaluate(meter: Meter, args: readonly Value[]): Value; readonly ability: Ability | undefined }
    | undefined
  readonly isUnguarded: boolean
}

/** Libraries in the order in which they are consulted. */
export function functionTables(libraries: readonly Library[]): ReadonlyMap<string, FunctionTable> {
  const tables = new Map<string, FunctionTable>()
  for (const library of libraries)
    for (const [name, rows] of Object.entries(library)) {
      const before = tables.get(name)
      const overloads = Object.entries(rows.overloads).map(([id, row]) => overloadOf(id, row))
      tables.set(name, {
        name,
        overloads: [...(before?.overloads ?? []), ...overloads],
        shared: before?.shared ?? sharedOf(rows),
        isUnguarded: (before?.isUnguarded ?? true) && rows.isUnguarded === true,
      })
    }
  return tables
}

function sharedOf({ shared }: FunctionRows): FunctionTable['shared'] {
  return shared === undefined ? undefined : { evaluate: spread(shared.evaluate), ability: shared.ability }
}

function overloadOf(id: string, [signature, evaluate]: Row): Overload {
  const [, receiver, parameters = '', result = ''] = /^(?:(.+)\.)?\((.*)\): (.+)$/.exec(signature) ?? []
  const types = [...(receiver === undefined ? [] : [receiver]), ...separated(parameters)].map(readType)
  return {
    id,
    isMember: receiver !== undefined,
    parameters: types,
    result: readType(result),
    evaluate: evaluate === undefined ? undefined : spread(evaluate),
  }
}

/** Tables declare what their functions take; the guard has looked at the types before it calls one. */
function spread(evaluate: Evaluate): (meter: Meter, args: readonly Value[]) => Value {
  const call = evaluate as (...args: readonly (Value | Meter)[]) => Value // As the guard ensures.
  return (meter, args) => call(...args, meter)
}

const named: ReadonlyMap<string, CelType> = new Map([
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['duration', durationType],
  ['dyn', dynType],
  ['int', intType],
  ['string', stringType],
  ['timestamp', timestampType],
  ['type', typeType],
  ['uint', uintType],
  ['URL', structType('kubernetes.URL')],
  ['Quantity', structType('kubernetes.Quantity')],
  ['Semver', structType('kubernetes.Semver')],
  ['Format', structType('kubernetes.NamedFormat')],
  ['IP', opaqueType('net.IP')],
  ['CIDR', opaqueType('net.CIDR')],
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name): [string, CelType] => [
    name,
    structType(`kubernetes.authorization.${name}`),
  ]),
])

function readType(text: string): CelType {
  const known = named.get(text)
  if (known !== undefined) return known
  const [, outer = '', inner = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? []
  const [first = dynType, second = dynType] = separated(inner).map(readType)
  switch (outer) {
    case 'list':
      return listOf(first)
    case 'map':
      return mapOf(first, second)
    case 'optional':
      return optionalOf(first)
    case 'type':
      return typeOf(first)
    default:
      return parameterType(text)
  }
}

/** Splits at commas that are in no brackets. */
function separated(text: string): string[] {
  return text === '' ? [] : text.split(/, (?![^(]*\))/)
}

/** What an operator needs its first argument to be able to. */
export type Ability =
  | 'add'
  | 'compare'
  | 'divide'
  | 'modulo'
  | 'multiply'
  | 'negate'
  | 'subtract'
  | 'size'
  | 'match'
  | 'list'

const abilities: Readonly<Record<Ability, ReadonlySet<string>>> = {
  add: namesOf('bytes double google.protobuf.Duration int list string google.protobuf.Timestamp uint'),
  compare: namesOf('bool bytes double google.protobuf.Duration int string google.protobuf.Timestamp uint'),
  divide: namesOf('double int uint'),
  modulo: namesOf('int uint'),
  multiply: namesOf('double int uint'),
  negate: namesOf('bool double google.protobuf.Duration int'),
  subtract: namesOf('double google.protobuf.Duration int google.protobuf.Timestamp uint'),
  size: namesOf('bytes string list map'),
  match: namesOf('string'),
  list: namesOf('list'),
}

function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** Types that answer for themselves when an operator does not know them; what they say is shorter. */
const receivers = namesOf('string google.protobuf.Duration google.protobuf.Timestamp')

/** Calls a shared computation; an error where the first argument is not able to. */
export function callShared(table: FunctionTable, meter: Meter, args: readonly Value[]): Value {
  const { shared } = table
  const first = args[0] ?? null
  if (shared !== undefined && (shared.ability === undefined || abilities[shared.ability].has(typeNameOf(first))))
    return shared.evaluate(meter, args)
  if (receivers.has(typeNameOf(first))) return new CelError('no such overload')
  return new CelError(`no such overload: ${table.name}`)
}

/** Calls an overload if its arguments are what it declares. */
export function callOverload(table: FunctionTable, overload: Overload, meter: Meter, args: readonly Value[]): Value {
  if (overload.evaluate === undefined || !isApplicable(table, overload, args)) return noOverload(table, args)
  return overload.evaluate(meter, args)
}

/** Finds the first overload that takes the arguments, and calls it. */
export function callAny(table: FunctionTable, meter: Meter, args: readonly Value[]): Value {
  const found = table.overloads.find(
    (overload) => overload.evaluate !== undefined && isApplicable(table, overload, args),
  )
  return found?.evaluate?.(meter, args) ?? noOverload(table, args)
}

function isApplicable({ isUnguarded }: FunctionTable, { parameters }: Overload, args: readonly Value[]): boolean {
  return (
    parameters.length === args.length &&
    (isUnguarded || parameters.every((parameter, index) => isInstance(args[index] ?? null, parameter)))
  )
}

function noOverload({ name }: FunctionTable, args: readonly Value[]): CelError {
  const fault = args.find((arg) => arg instanceof CelError)
  return fault ?? new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`)
}

/** Of lists and maps, only the first element is looked at. */
function isInstance(value: Value, type: CelType): boolean {
  if (type.kind !== 'dyn' && type.kind !== 'parameter' && type.name !== typeNameOf(value)) return false
  if (type.kind === 'list') {
    const list = value as Composite as ListValue // As its type name says.
    return list.size === 0 || isInstance(list.at(0), firstParameter(type))
  }
  if (type.kind !== 'map' || !(value instanceof MapValue)) return true
  const [key] = value.size === 0 ? [] : value.keys()
  return (
    key === undefined || (isInstance(key, firstParameter(type)) && isInstance(value.get(key), secondParameter(type)))
  )
}
