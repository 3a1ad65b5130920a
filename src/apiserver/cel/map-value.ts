// CEL maps: values with keys and a size. A key matches across the numeric types: 1, 1u and 1.0 are the same key.
// Source: github.com/google/cel-go/common/types/map.go.
import type { Meter } from './meter.ts'
import { shown } from './shown.ts'
import { Bytes, CelError, Composite, equal, typeNameOf, Uint, type Value } from './value.ts'

export abstract class MapValue extends Composite {
  readonly typeName = 'map'
  abstract readonly size: number

  /** False for lists and maps of an object: they are never zero values, even if empty. */
  get canBeZero(): boolean {
    return true
  }

  abstract keys(): Value[]
  /** Returns the value of a key; undefined if absent; an error for an invalid key type. */
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

/** Accumulator of a comprehension: it grows in place. */
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

/** Returns a map with one more entry; an error if the key exists. */
export function inserted(map: MapValue, key: Value, value: Value): Value {
  if (map instanceof GrowingMap) return map.insert(key, value)
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${shown(key)} already exists`)
  return new PlainMap([...map.keys().map((known): [Value, Value] => [known, map.get(known)]), [key, value]])
}

/** Returns the fault of a literal key whose type cannot be hashed. */
export function unhashableFault(key: Value): CelError | undefined {
  return key instanceof Bytes
    ? new CelError('internal error: runtime error: hash of unhashable type types.Bytes')
    : undefined
}

/** Returns an identity for JavaScript's Map; lists and maps are identical only by reference. */
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
