// Unification of CEL types, as in the API server's checker.
// Source: github.com/google/cel-go/checker/types.go.
import { type CelType, dynType, isSameType } from './cel-type.ts'

/** Known types of type parameters, by name. Immutable: a failed attempt leaves no trace. */
export type Bindings = ReadonlyMap<string, CelType>

/** Returns the bindings under which `left` matches `right`; undefined if they do not match. */
export function unify(bindings: Bindings, left: CelType, right: CelType): Bindings | undefined {
  const draft = new Map(bindings)
  return fits(draft, left, right) ? draft : undefined
}

/** As `unify`, for two lists of types, position by position. */
export function unifyAll(
  bindings: Bindings,
  left: readonly CelType[],
  right: readonly CelType[],
): Bindings | undefined {
  const draft = new Map(bindings)
  return allFit(draft, left, right) ? draft : undefined
}

type Draft = Map<string, CelType>

function fits(draft: Draft, left: CelType, right: CelType): boolean {
  if (right.kind === 'parameter') {
    const { isValid, wasBound } = bind(draft, left, right)
    if (isValid) return true
    if (wasBound) return false
  }
  if (left.kind === 'parameter') return bind(draft, right, left).isValid
  if (isWildcard(left) || isWildcard(right)) return true
  if (left.kind === 'null') return takesNull(right)
  if (right.kind === 'null') return takesNull(left)
  switch (left.kind) {
    case 'type':
      return right.kind === 'type'
    case 'opaque':
    case 'list':
    case 'map':
      return left.kind === right.kind && left.name === right.name && allFit(draft, left.parameters, right.parameters)
    default:
      return left.kind === right.kind && left.name === right.name
  }
}

function allFit(draft: Draft, left: readonly CelType[], right: readonly CelType[]): boolean {
  return left.length === right.length && left.every((type, index) => fits(draft, type, right[index] ?? dynType))
}

/**
 * Binds the parameter to the type, or to the more general of the type and its binding. Returns false if they do not
 * match.
 */
function bind(
  draft: Draft,
  type: CelType,
  parameter: CelType,
): { readonly isValid: boolean; readonly wasBound: boolean } {
  if (type.kind === 'parameter' && type.name === parameter.name) return { isValid: true, wasBound: true }
  const bound = draft.get(parameter.name)
  if (bound === undefined) {
    const isFree = !occursIn(draft, parameter, type)
    if (isFree) draft.set(parameter.name, type)
    return { isValid: isFree, wasBound: false }
  }
  if (isSameType(type, bound)) return { isValid: true, wasBound: true }
  if (!fits(draft, type, bound)) return { isValid: false, wasBound: true }
  const general = mostGeneral(type, bound)
  if (!occursIn(draft, parameter, general)) draft.set(parameter.name, general)
  return { isValid: true, wasBound: true }
}

function isWildcard({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error'
}

function takesNull({ kind }: CelType): boolean {
  return kind === 'opaque' || kind === 'struct' || kind === 'duration' || kind === 'timestamp' || kind === 'null'
}

function occursIn(bindings: Bindings, parameter: CelType, type: CelType): boolean {
  if (isSameType(parameter, type)) return true
  if (type.kind === 'parameter') {
    const bound = bindings.get(type.name)
    return bound !== undefined && occursIn(bindings, parameter, bound)
  }
  return type.parameters.some((inner) => occursIn(bindings, parameter, inner))
}

/** Returns the more general of two matching types. */
export function mostGeneral(left: CelType, right: CelType): CelType {
  return isAsGeneral(left, right) ? left : right
}

function isAsGeneral(left: CelType, right: CelType): boolean {
  if (left.kind === 'dyn' || left.kind === 'parameter') return true
  if (right.kind === 'dyn' || right.kind === 'parameter' || left.kind !== right.kind) return false
  if (left.kind === 'type') return true
  return (
    left.name === right.name &&
    left.parameters.length === right.parameters.length &&
    left.parameters.every((type, index) => isAsGeneral(type, right.parameters[index] ?? dynType))
  )
}

/** Returns the type with its parameters replaced by their bindings; unbound ones are kept or become dyn. */
export function substitute(bindings: Bindings, type: CelType, unbound: 'kept' | 'dyn'): CelType {
  if (type.kind === 'parameter') {
    const bound = bindings.get(type.name)
    if (bound !== undefined) return substitute(bindings, bound, unbound)
    return unbound === 'dyn' ? dynType : type
  }
  if (type.parameters.length === 0) return type
  return { ...type, parameters: type.parameters.map((inner) => substitute(bindings, inner, unbound)) }
}
