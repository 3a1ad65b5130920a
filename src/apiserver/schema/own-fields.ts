// Copies of objects with changed fields. Users may name a key `__proto__`, for which assignment is not enough.
import type { Json, JsonObject } from '../../base/json.ts'

/** Returns a mutable shallow copy. */
export function copyOf(object: JsonObject): Record<string, Json> {
  return { ...object } as Record<string, Json> // Sound: an undefined field counts as absent.
}

/** Sets an own field, whatever its name. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
