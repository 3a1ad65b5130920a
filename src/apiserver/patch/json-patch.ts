// JSON patch: RFC 6902 with the deviations of upstream's library.
// Indexes may count from the end, a replace may add a field, and a copy of a missing field is null.
// Source: gopkg.in/evanphx/json-patch.v4.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { wireJson } from '../../base/wire-json.ts'

/**
 * Limit of all bytes that the copies of one patch add.
 * Source: k8s.io/apiserver/pkg/server/config.go, JSONPatchMaxCopyBytes.
 */
const maxCopiedBytes = 3 * 1024 * 1024

/** Returns the document after all operations; undefined if one does not apply. */
export function jsonPatched(document: JsonObject, operations: readonly Json[]): Json | undefined {
  const patching = new Patching(document)
  return operations.every((operation) => isJsonObject(operation) && patching.apply(operation))
    ? patching.document
    : undefined
}

type Container = Record<string, Json | undefined> | Json[]

interface Spot {
  readonly container: JsonObject | readonly Json[]
  readonly key: string
}

/** Patches copies of the containers that it changes, so that the cost depends on the changes. */
class Patching {
  document: Json
  /** Containers created here that have a single parent. */
  #owned = new WeakSet<object>()
  #copiedBytes = 0

  constructor(document: Json) {
    this.document = document
  }

  /** Returns false if the operation does not apply. */
  apply(operation: JsonObject): boolean {
    const path = textOf(operation, 'path')
    if (path === undefined) return false
    switch (own(operation, 'op')) {
      case 'add':
        return this.#add(path, own(operation, 'value') ?? null)
      case 'remove':
        return this.#remove(path)
      case 'replace':
        return this.#replace(path, own(operation, 'value') ?? null)
      case 'move':
        return this.#move(textOf(operation, 'from'), path)
      case 'copy':
        return this.#copy(textOf(operation, 'from'), path)
      case 'test':
        return this.#test(path, own(operation, 'value'))
      default:
        return false
    }
  }

  #add(path: string, value: Json): boolean {
    const container = this.#owner(path)
    const key = lastStep(path)
    if (container === undefined) return false
    if (!isList(container)) return setField(container, key, value)
    const index = key === '-' ? container.length : indexIn(key, container.length + 1)
    if (index === undefined) return false
    container.splice(index, 0, value)
    return true
  }

  #remove(path: string): boolean {
    const container = this.#owner(path)
    const key = lastStep(path)
    if (container === undefined) return false
    if (!isList(container)) return Object.hasOwn(container, key) && delete container[key]
    const index = indexIn(key, container.length)
    if (index === undefined) return false
    container.splice(index, 1)
    return true
  }

  #replace(path: string, value: Json): boolean {
    if (path === '') {
      this.document = value
      return isJsonObject(value) || isJsonList(value)
    }
    const container = this.#owner(path)
    const key = lastStep(path)
    if (container === undefined) return false
    if (!isList(container)) return setField(container, key, value)
    const index = indexIn(key, container.length)
    if (index === undefined) return false
    container[index] = value
    return true
  }

  /** Moves a value, also into itself: it is removed before the new location is resolved. */
  #move(from: string | undefined, path: string): boolean {
    const spot = from === undefined ? undefined : this.#spot(from)
    const value = spot && valueIn(spot)
    return from !== undefined && value !== undefined && this.#remove(from) && this.#add(path, value)
  }

  #copy(from: string | undefined, path: string): boolean {
    const spot = from === undefined ? undefined : this.#spot(from)
    if (spot === undefined) return false
    const value = valueIn(spot)
    if (value === undefined && isJsonList(spot.container)) return false
    if (value !== undefined) this.#copiedBytes += Buffer.byteLength(wireJson(value))
    if (this.#copiedBytes > maxCopiedBytes) return false
    // The value now has two parents.
    if (typeof value === 'object' && value !== null) this.#owned = new WeakSet()
    return this.#add(path, value ?? null)
  }

  /** Compares a value. A missing field is null, and equals an absent `value`. */
  #test(path: string, value: Json | undefined): boolean {
    if (path === '') return value !== undefined && deepEqual(this.document, value)
    const spot = this.#spot(path)
    if (spot === undefined) return false
    const found = valueIn(spot)
    if (found === undefined && isJsonList(spot.container)) return false
    return deepEqual(found ?? null, value ?? null)
  }

  #spot(path: string): Spot | undefined {
    const steps = stepsOf(path)
    const key = steps.pop()
    let container: Json | undefined = this.document
    for (const step of steps) {
      if (!isJsonList(container) && !isJsonObject(container)) return undefined
      container = valueIn({ container, key: step })
    }
    return key !== undefined && (isJsonList(container) || isJsonObject(container)) ? { container, key } : undefined
  }

  /** Returns the container of a path's last step, for changes. It and its ancestors are copies then. */
  #owner(path: string): Container | undefined {
    if (this.#spot(path) === undefined) return undefined
    let container = this.#ownCopy(this.document)
    this.document = container
    for (const step of stepsOf(path).slice(0, -1)) {
      const inner: Container = this.#ownCopy(valueIn({ container, key: step }))
      if (isList(container)) container[indexIn(step, container.length) ?? 0] = inner
      else setField(container, step, inner)
      container = inner
    }
    return container
  }

  #ownCopy(value: Json | undefined): Container {
    if (typeof value === 'object' && value !== null && this.#owned.has(value)) return value as Container // Made below.
    const copy: Container = isJsonList(value) ? [...value] : { ...(value as JsonObject) } // Checked by `#spot`.
    this.#owned.add(copy)
    return copy
  }
}

function valueIn({ container, key }: Spot): Json | undefined {
  if (isJsonObject(container)) return own(container, key)
  const index = indexIn(key, container.length)
  return index === undefined ? undefined : container[index]
}

/** Parses an index below `length`; a negative one counts from the end. */
function indexIn(key: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined
  const index = Number(key)
  const fromStart = index < 0 ? index + length : index
  return fromStart >= 0 && fromStart < length ? fromStart : undefined
}

/** Splits a path; ignores the text before the first slash. */
function stepsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function lastStep(path: string): string {
  return stepsOf(path).at(-1) ?? ''
}

/** Sets a field, also `__proto__`. */
function setField(object: Record<string, Json | undefined>, key: string, value: Json): true {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
  return true
}

function textOf(operation: JsonObject, key: string): string | undefined {
  const value = own(operation, key)
  return typeof value === 'string' ? value : undefined
}

function isList(container: Container): container is Json[] {
  return Array.isArray(container)
}
