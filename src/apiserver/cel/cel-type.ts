// CEL types: scalars, lists, maps, optionals, objects of a schema, and type parameters.
// Source: github.com/google/cel-go/common/types/types.go.

export type TypeKind =
  | 'dyn'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'parameter'
  | 'uint'

export interface CelType {
  readonly kind: TypeKind
  /** Name that `type(value)` returns at run time. */
  readonly name: string
  readonly parameters: readonly CelType[]
}

export const dynType = simple('dyn', 'dyn')
export const boolType = simple('bool', 'bool')
export const bytesType = simple('bytes', 'bytes')
export const doubleType = simple('double', 'double')
export const durationType = simple('duration', 'google.protobuf.Duration')
export const errorType = simple('error', 'error')
export const intType = simple('int', 'int')
export const nullType = simple('null', 'null_type')
export const stringType = simple('string', 'string')
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp')
export const typeType = simple('type', 'type')
export const uintType = simple('uint', 'uint')

function simple(kind: TypeKind, name: string): CelType {
  return { kind, name, parameters: [] }
}

export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', parameters: [element] }
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', parameters: [key, value] }
}

export function optionalOf(value: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', parameters: [value] }
}

/** Returns the type whose values are types. */
export function typeOf(type: CelType): CelType {
  return { kind: 'type', name: 'type', parameters: [type] }
}

export function structType(name: string): CelType {
  return { kind: 'struct', name, parameters: [] }
}

export function opaqueType(name: string): CelType {
  return { kind: 'opaque', name, parameters: [] }
}

export function parameterType(name: string): CelType {
  return { kind: 'parameter', name, parameters: [] }
}

export function isSameType(left: CelType, right: CelType): boolean {
  if (left === right) return true
  if (left.kind !== right.kind || left.name !== right.name) return false
  return (
    left.parameters.length === right.parameters.length &&
    left.parameters.every((parameter, index) => isSameType(parameter, right.parameters[index] ?? errorType))
  )
}

/** Returns the type inside an optional; undefined for other types. */
export function insideOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined
}

export function firstParameter(type: CelType): CelType {
  return type.parameters[0] ?? dynType
}

export function secondParameter(type: CelType): CelType {
  return type.parameters[1] ?? dynType
}

/** Returns the checker's name of the type. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
    case 'map':
    case 'opaque':
    case 'type':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(', ')})`
    case 'null':
    case 'duration':
    case 'timestamp':
      return type.kind
    case 'error':
      return '!error!'
    default:
      return type.name
  }
}
