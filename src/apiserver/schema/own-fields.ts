// How is an object made anew with other fields? Users may name a key `__proto__`, so fields are defined where assigning
// would not do.
import type { Json, JsonObject } from '../../base/json.ts'

/** A shallow copy that may be changed. */
export function copyOf(object: JsonObject): Record<string, Json> {
  return { ...object } as Record<string, Json> // A field that is undefined counts as absent.
}

/** Sets an own field, whatever its name. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
