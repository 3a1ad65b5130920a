// How can a thousand objects with the same owned fields share one record of them? Equal fieldsV1 become one frozen object,
// so a WeakMap keyed on it computes what it needs once. Bounded: what is rarely used loses its sharing, never its content.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'

/** Distinct sets are few per kind, since they name fields and not values; about 3 kB each. */
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

  /** The pool's own object with this content; frozen throughout, because a change to it would be a change to all. */
  intern(fields: JsonObject): JsonObject {
    // The API server writes a set in one order only, so the plain text is key enough at a quarter of the canonical one's cost.
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
