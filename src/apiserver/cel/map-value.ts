// What is a map? Anything with keys, a size and values by key. A key is found across the numeric types: 1, 1u and 1.0 are one.
// Source: github.com/google/cel-go/common/types/map.go.
import type { Meter } from './meter.ts'
import { shown } from './shown.ts'
import { Bytes, CelError, Composite, equal, typeNameOf, Uint, type Value } from './value.ts'

export abstract class MapValue extends Composite {
  readonly typeName = 'map'
  abstract readonly size: number

  /** Lists and maps of an object are never taken for a zero value, empty or not. */
  get canBeZero(): boolean {
    return true
  }

  abstract keys(): Value[]
  /** The value of a key, undefined where there is none, an error where this cannot be a key. */
  abstract find(key: Value): Value | undefined

  get(key: Value): Value {
    return this.find(key) ?? (key instanceof CelError ? key : new CelError(`no such key: ${shown(key)}`))
  }

  equals(other: Value, meter: Meter): Value {
    if (!(other instanceof MapValue) || other.size !== this.size) return false
    meter.work(this.size)
    for (const key of this.keys()) {
      const theirs = other.find(key)
      if (theirs === undefined || equal(this.find(key) ?? null, theirs, meter) === false) return false
    }
    return true
  }
}

export class PlainMap extends MapValue {
  readonly #entries = new Map<string | Composite, readonly [key: Value, value: Value]>()

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super()
    for (const entry of entries) this.#entries.set(identityOf(entry[0]), entry)
  }

  get size(): number {
    return this.#entries.size
  }

  keys(): Value[] {
    return [...this.#entries.values()].map(([key]) => key)
  }

  find(key: Value): Value | undefined {
    for (const identity of identitiesOf(key)) {
      const entry = this.#entries.get(identity)
      if (entry !== undefined) return entry[1]
    }
    return undefined
  }

  entries(): (readonly [Value, Value])[] {
    return [...this.#entries.values()]
  }

  protected put(key: Value, value: Value): void {
    this.#entries.set(identityOf(key), [key, value])
  }
}

/** What a comprehension collects in: it grows in place. */
export class GrowingMap extends PlainMap {
  insert(key: Value, value: Value): Value {
    if (this.find(key) !== undefined) return new CelError(`insert failed: key ${shown(key)} already exists`)
    this.put(key, value)
    return this
  }

  finished(): PlainMap {
    return new PlainMap(this.entries())
  }
}

/** A map with one more entry; an error if it is there already. */
export function inserted(map: MapValue, key: Value, value: Value): Value {
  if (map instanceof GrowingMap) return map.insert(key, value)
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${shown(key)} already exists`)
  return new PlainMap([...map.keys().map((known): [Value, Value] => [known, map.get(known)]), [key, value]])
}

/** Does a literal have a key that no map can have? */
export function unhashableFault(key: Value): CelError | undefined {
  return key instanceof Bytes
    ? new CelError('internal error: runtime error: hash of unhashable type types.Bytes')
    : undefined
}

/** A key as JavaScript's Map tells keys apart; lists and maps are the same only if they are one. */
function identityOf(key: Value): string | Composite {
  if (key instanceof Uint) return `uint:${key.value}`
  if (key instanceof Composite) return key
  return `${typeNameOf(key)}:${String(key)}`
}

function identitiesOf(key: Value): (string | Composite)[] {
  const exact = identityOf(key)
  if (typeof key === 'bigint') return key < 0n ? [exact] : [exact, `uint:${key}`]
  if (key instanceof Uint) return key.value >= 2n ** 63n ? [exact] : [exact, `int:${key.value}`]
  if (typeof key !== 'number' || !Number.isInteger(key)) return [exact]
  const whole = BigInt(key)
  return [exact, `int:${whole}`, `uint:${whole}`]
}
