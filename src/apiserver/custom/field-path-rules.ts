// Validation of field paths in a definition (`.spec.size`, `.spec['a.b']`) against its schema.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go (ValidFieldPath).
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { structAt, valueAt } from '../built-in/field-walk.ts'

export interface DeclaredField {
  /** The path in the API server's notation. */
  readonly path: string
  readonly root: string
  /** Undefined if any value is allowed. */
  readonly schema: JsonObject | undefined
}

/** Returns the fault of the path; undefined for a valid one. */
export function fieldPathFault(path: string, schema: JsonObject): string | undefined {
  const found = declaredField(path, schema, 'brackets')
  return 'fault' in found ? found.fault : undefined
}

/** Returns the field at a path. */
export function declaredField(
  path: string,
  schema: JsonObject,
  allowed: 'dots' | 'brackets',
): DeclaredField | { readonly fault: string } {
  const tokens = tokensOf(path)
  let current: JsonObject | undefined = schema
  let rendered = ''
  let root = ''
  for (let at = 0; at < tokens.length; ) {
    const step = stepAt(tokens, at, allowed)
    if ('fault' in step) return step
    at = step.next
    const found = inside(current, step.name)
    if (found === undefined) return { fault: 'does not refer to a valid field' }
    rendered += found.isNamed ? (rendered === '' ? step.name : `.${step.name}`) : `[${step.name}]`
    root = root === '' ? rendered : root
    current = found.schema
  }
  return { path: rendered, root, schema: current }
}

type Stepped = { readonly name: string; readonly next: number } | { readonly fault: string }

function stepAt(tokens: readonly string[], at: number, allowed: 'dots' | 'brackets'): Stepped {
  const token = tokens[at] ?? ''
  const next = tokens[at + 1]
  if (token === '.') return next === undefined ? { fault: 'unexpected end of JSON path' } : { name: next, next: at + 2 }
  if (token !== '[') return { fault: `expected [ or . but got: ${token}` }
  if (allowed === 'dots') return { fault: 'array notation is not allowed' }
  if (next === undefined) return { fault: 'unexpected end of JSON path' }
  if (next.length < 2 || !next.startsWith("'") || !next.endsWith("'"))
    return { fault: `expected single quoted string but got ${next}` }
  const close = tokens[at + 2]
  if (close === undefined) return { fault: 'unexpected end of JSON path' }
  if (close !== ']') return { fault: `expected ] but got ${close}` }
  return { name: next.slice(1, -1).replaceAll(/\\(.)/g, '$1'), next: at + 3 }
}

/** Splits a path into dots, brackets, quoted texts and names. */
function tokensOf(path: string): readonly string[] {
  return path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs) ?? []
}

function inside(
  schema: JsonObject | undefined,
  name: string,
): { schema: JsonObject | undefined; isNamed: boolean } | undefined {
  const properties = structAt(schema, 'properties')
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const property = structAt(properties, name)
    return property === undefined ? undefined : { schema: property, isNamed: true }
  }
  const additional = valueAt(schema, 'additionalProperties')
  if (additional === undefined) return undefined
  return { schema: isJsonObject(additional) ? additional : undefined, isNamed: false }
}
