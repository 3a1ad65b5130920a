// Pool of fieldsV1, so that thousands of objects with the same owned fields share one value. Equal fieldsV1 become one
// frozen object, so that a WeakMap can cache results by it. Bounded: a rarely used set loses its sharing, never its
// content.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'

/** Limit of the distinct sets: few per kind, because they name fields and not values; about 3 kB each. */
const defaultLimit = 2_048

export class FieldSetPool {
  /** By content; the least recently used first. */
  readonly #sets = new Map<string, JsonObject>()
  readonly #limit: number

  constructor(limit: number = defaultLimit) {
    this.#limit = limit
  }

  get size(): number {
    return this.#sets.size
  }

  /** Returns the pool's object with this content; deeply frozen, because a change would affect all users. */
  intern(fields: JsonObject): JsonObject {
    // The API server writes a set in one order only, so the plain text suffices as key. It costs a quarter of the
    // canonical one.
    const content = JSON.stringify(fields)
    const known = this.#sets.get(content)
    const set = known ?? freezeDeep(fields)
    if (known !== undefined) this.#sets.delete(content)
    this.#sets.set(content, set)
    if (this.#sets.size > this.#limit) this.#forgetOldest()
    return set
  }

  #forgetOldest(): void {
    for (const content of this.#sets.keys()) {
      this.#sets.delete(content)
      return
    }
  }
}

function freezeDeep<T extends Json>(value: T): T {
  if (isJsonObject(value)) for (const field of Object.values(value)) if (field !== undefined) freezeDeep(field)
  return Object.freeze(value)
}
