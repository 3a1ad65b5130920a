// JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7396). Pure. Invariant: the input never changes; the result shares
// the untouched parts with it.
import { CodedError } from './errors.ts'
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from './json.ts'

/** One operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/** `InvalidPointer`: not RFC 6901. `PathNotFound`: nothing at the path. `TestFailed`: another value at the path. */
export type JsonPatchErrorCode = 'InvalidPointer' | 'PathNotFound' | 'TestFailed'

/** Names the operation and the pointer, never a value: a patch may carry secrets (I11). */
export class JsonPatchError extends CodedError<JsonPatchErrorCode> {
  override readonly name = 'JsonPatchError'

  constructor(code: JsonPatchErrorCode, message: string) {
    super({ code, message, remedy: 'stop' })
  }
}

/**
 * Returns the document after all operations in order. Throws a JsonPatchError at the first that fails.
 *
 * @example applyJsonPatch({ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }]) // { a: [1, 2] }
 */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Json {
  return operations.reduce(applyOperation, document)
}

/** Returns the document after a merge patch: objects merge, null removes, every other value replaces. */
export function applyMergePatch(document: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch
  const merged = new Map(Object.entries(isJsonObject(document) ? document : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else if (value !== undefined) merged.set(key, applyMergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}

/**
 * Returns the RFC 7396 patch from `before` to `after`, or undefined if they are equal. Lists are replaced
 * whole. A null field counts as absent on both sides, because no merge patch can set null.
 */
export function mergePatchBetween(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch = new Map<string, Json>()
  for (const key of Object.keys(before)) if (isPresent(before[key]) && !isPresent(own(after, key))) patch.set(key, null)
  for (const [key, value] of Object.entries(after)) {
    const old = own(before, key)
    if (!isPresent(value) || deepEqual(old, value)) continue
    const inner = isJsonObject(old) && isJsonObject(value) ? mergePatchBetween(old, value) : value
    if (inner !== undefined) patch.set(key, inner)
  }
  return patch.size === 0 ? undefined : Object.fromEntries(patch)
}

function isPresent(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null
}

function applyOperation(document: Json, operation: JsonPatchOperation): Json {
  const { op, path } = operation
  switch (op) {
    case 'add':
      return add(document, path, operation.value)
    case 'replace':
      valueAtPointer(document, path, op)
      return edit(document, tokensOf(path), path, { kind: 'replace', value: operation.value })
    case 'remove':
      return remove(document, path, op)
    case 'test':
      if (deepEqual(valueAtPointer(document, path, op), operation.value)) return document
      throw new JsonPatchError('TestFailed', `${op} ${path}: another value is there`)
    case 'copy':
      return add(document, path, valueAtPointer(document, operation.from, op))
    case 'move': {
      if (path.startsWith(`${operation.from}/`)) {
        throw new JsonPatchError('PathNotFound', `move ${operation.from} to ${path}: a value cannot move into itself`)
      }
      const moved = valueAtPointer(document, operation.from, op)
      return add(remove(document, operation.from, op), path, moved)
    }
  }
}

type Edit = { readonly kind: 'add' | 'replace'; readonly value: Json } | { readonly kind: 'remove' }

function add(document: Json, path: string, value: Json): Json {
  return edit(document, tokensOf(path), path, { kind: 'add', value })
}

function remove(document: Json, path: string, op: string): Json {
  valueAtPointer(document, path, op)
  if (path === '') throw new JsonPatchError('PathNotFound', `${op} of the whole document: name a field`)
  return edit(document, tokensOf(path), path, { kind: 'remove' })
}

/** Copies the containers on the path and edits the end. */
function edit(container: Json, tokens: readonly string[], path: string, change: Edit): Json {
  const [token, ...rest] = tokens
  if (token === undefined) return change.kind === 'remove' ? null : change.value
  if (isJsonList(container)) {
    const index = token === '-' && change.kind === 'add' ? container.length : indexOf(token)
    const isInsert = rest.length === 0 && change.kind === 'add'
    if (index === undefined || index > container.length) throw notFound(change, path)
    const item = container[index]
    if (isInsert) return container.toSpliced(index, 0, change.value)
    if (rest.length === 0 && change.kind === 'remove') return container.toSpliced(index, 1)
    return container.with(index, edit(item ?? null, rest, path, change))
  }
  if (!isJsonObject(container)) throw notFound(change, path)
  if (rest.length === 0 && change.kind === 'remove') {
    return Object.fromEntries(Object.entries(container).filter(([key]) => key !== token))
  }
  if (rest.length > 0 && !Object.hasOwn(container, token)) throw notFound(change, path)
  const child = rest.length === 0 ? null : (container[token] ?? null)
  return { ...container, [token]: edit(child, rest, path, change) }
}

function valueAtPointer(document: Json, path: string, op: string): Json {
  let value: Json | undefined = document
  for (const token of tokensOf(path)) {
    if (isJsonList(value)) value = value[indexOf(token) ?? value.length]
    else value = isJsonObject(value) ? own(value, token) : undefined
    if (value === undefined) throw new JsonPatchError('PathNotFound', `${op} ${path}: there is no such field`)
  }
  return value
}

function notFound({ kind }: Edit, path: string): JsonPatchError {
  return new JsonPatchError('PathNotFound', `${kind} ${path}: there is no such field`)
}

/** RFC 6901; `~1` is a slash, `~0` a tilde. */
function tokensOf(pointer: string): string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) {
    throw new JsonPatchError(
      'InvalidPointer',
      `"${pointer}" is not a JSON pointer: start with / and write ~ as ~0, / as ~1`,
    )
  }
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function indexOf(token: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(token) ? Number(token) : undefined
}
