// Text form of a value in error messages, as Go's `%v` prints it. Source: Go's fmt and strconv.
import { formatDouble } from './double-text.ts'
import { formatGoDuration } from './duration.ts'
import { formatGoTime } from './timestamp.ts'
import { Bytes, CelError, Duration, Optional, Timestamp, TypeValue, typeNameOf, Uint, type Value } from './value.ts'

export function shown(value: Value): string {
  if (typeof value === 'number') return formatDouble(value, 21)
  if (typeof value === 'object' && value !== null) return shownComposite(value)
  return value === null ? '0' : String(value)
}

function shownComposite(value: object): string {
  if (value instanceof Uint) return value.value.toString()
  if (value instanceof CelError) return value.message
  if (value instanceof Bytes) return `[${value.data.join(' ')}]`
  if (value instanceof Duration) return formatGoDuration(value.nanoseconds)
  if (value instanceof Timestamp) return formatGoTime(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Optional)
    return value.value === undefined ? 'optional.none()' : `optional(${shown(value.value)})`
  return typeNameOf(value as Value) // For lists, maps and opaque values the API server prints memory contents.
}
