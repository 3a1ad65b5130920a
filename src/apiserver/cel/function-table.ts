// Function declarations as rows: an overload's id, its signature as text, and its implementation. A library's table is
// data; the first
// rule parses the signatures. Source of ids and order: the declarations of cel-go.
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

/** Implementation of a function for arguments of checked types: the receiver first, the meter last. */
export type Evaluate = (...args: never[]) => Value

/**
 * `['string.(int): string', charAt]`: the receiver of a member stands before the dot. A row without implementation is
 * never called.
 */
export type Row = readonly [signature: string, evaluate?: Evaluate]

export interface FunctionRows {
  readonly overloads: Readonly<Record<string, Row>>
  /** One implementation for all overloads. It checks only that the first argument has the ability. */
  readonly shared?: { readonly evaluate: Evaluate; readonly ability?: Ability }
  /** True if the implementation checks its argument types itself. */
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

/** Builds the tables from libraries, in order of precedence. */
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

/** Tables declare the argument types, and the guard checks them before each call. */
function spread(evaluate: Evaluate): (meter: Meter, args: readonly Value[]) => Value {
  const call = evaluate as (...args: readonly (Value | Meter)[]) => Value // Checked by the guard.
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

/** Splits at commas outside brackets. */
function separated(text: string): string[] {
  return text === '' ? [] : text.split(/, (?![^(]*\))/)
}

/** Ability that an operator requires of its first argument. */
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

/** Types whose own error, for an unknown operator, is shorter. */
const receivers = namesOf('string google.protobuf.Duration google.protobuf.Timestamp')

/** Calls a shared implementation; returns an error if the first argument lacks the ability. */
export function callShared(table: FunctionTable, meter: Meter, args: readonly Value[]): Value {
  const { shared } = table
  const first = args[0] ?? null
  if (shared !== undefined && (shared.ability === undefined || abilities[shared.ability].has(typeNameOf(first))))
    return shared.evaluate(meter, args)
  if (receivers.has(typeNameOf(first))) return new CelError('no such overload')
  return new CelError(`no such overload: ${table.name}`)
}

/** Calls an overload if the arguments match its declaration. */
export function callOverload(table: FunctionTable, overload: Overload, meter: Meter, args: readonly Value[]): Value {
  if (overload.evaluate === undefined || !isApplicable(table, overload, args)) return noOverload(table, args)
  return overload.evaluate(meter, args)
}

/** Calls the first overload that matches the arguments. */
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

/** Checks only the first element of lists and maps. */
function isInstance(value: Value, type: CelType): boolean {
  if (type.kind !== 'dyn' && type.kind !== 'parameter' && type.name !== typeNameOf(value)) return false
  if (type.kind === 'list') {
    const list = value as Composite as ListValue // Proven by its type name.
    return list.size === 0 || isInstance(list.at(0), firstParameter(type))
  }
  if (type.kind !== 'map' || !(value instanceof MapValue)) return true
  const [key] = value.size === 0 ? [] : value.keys()
  return (
    key === undefined || (isInstance(key, firstParameter(type)) && isInstance(value.get(key), secondParameter(type)))
  )
}
