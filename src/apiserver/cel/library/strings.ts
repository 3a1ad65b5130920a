// CEL string library. Positions count code points. Source: github.com/google/cel-go/ext/strings.go, version 2.
import { quoted } from '../conversion.ts'
import { formatText } from '../format-text.ts'
import type { Library } from '../function-table.ts'
import { type ListValue, PlainList } from '../list-value.ts'
import { shown } from '../shown.ts'
import { CelError, type Value } from '../value.ts'

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`)
}

function charAt(text: string, index: bigint): Value {
  const points = Array.from(text)
  if (index < 0n || index > BigInt(points.length)) return outOfRange(index)
  return points[Number(index)] ?? ''
}

function indexOf(text: string, part: string, offset: bigint): Value {
  if (part === '') return offset
  if (offset < 0n) return outOfRange(offset)
  const points = Array.from(text)
  if (offset >= BigInt(points.length)) return -1n
  const units = points.slice(0, Number(offset)).join('').length
  const found = text.indexOf(part, units)
  return found < 0 ? -1n : BigInt(Array.from(text.slice(0, found)).length)
}

function lastIndexOf(text: string, part: string): Value {
  const { length } = Array.from(text)
  if (part === '') return BigInt(length)
  return text.length < part.length ? -1n : lastIndexBefore(text, part, BigInt(length - 1))
}

function lastIndexBefore(text: string, part: string, offset: bigint): Value {
  if (part === '') return offset
  if (offset < 0n) return outOfRange(offset)
  const points = Array.from(text)
  if (offset >= BigInt(points.length)) return -1n
  const units = points.slice(0, Number(offset)).join('').length
  const found = text.lastIndexOf(part, units)
  return found < 0 ? -1n : BigInt(Array.from(text.slice(0, found)).length)
}

function replace(text: string, old: string, fresh: string, limit: bigint): Value {
  if (limit < 0n) return old === '' ? spread(text, fresh, Number.POSITIVE_INFINITY) : text.replaceAll(old, () => fresh)
  if (old === '') return spread(text, fresh, Number(limit))
  let left = limit
  return text.replaceAll(old, (found) => (left-- > 0n ? fresh : found))
}

/** An empty text matches before each code point and at the end. */
function spread(text: string, fresh: string, limit: number): string {
  const points = Array.from(text)
  const pieces = points.map((point, index) => (index < limit ? fresh + point : point))
  return pieces.join('') + (points.length < limit ? fresh : '')
}

function split(text: string, separator: string, limit: bigint): Value {
  if (limit === 0n) return new PlainList([])
  const parts = separator === '' ? Array.from(text) : text.split(separator)
  if (limit < 0n || BigInt(parts.length) <= limit) return new PlainList(parts)
  const kept = Number(limit) - 1
  return new PlainList([...parts.slice(0, kept), parts.slice(kept).join(separator)])
}

function substring(text: string, start: bigint): Value {
  const points = Array.from(text)
  return start < 0n || start > BigInt(points.length) ? outOfRange(start) : points.slice(Number(start)).join('')
}

function substringBetween(text: string, start: bigint, end: bigint): Value {
  const points = Array.from(text)
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  for (const index of [start, end]) if (index < 0n || index > BigInt(points.length)) return outOfRange(index)
  return points.slice(Number(start), Number(end)).join('')
}

function join(list: ListValue, separator: string): Value {
  const texts: string[] = []
  for (let position = 0; position < list.size; position++) {
    const element = list.at(position)
    if (typeof element !== 'string') return new CelError(`join: invalid input: ${shown(element)}`)
    texts.push(element)
  }
  return texts.join(separator)
}

const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const outerSpace = new RegExp(`^${space}+|${space}+$`, 'g')

/** Trims Unicode white space, as Go does. */
export function trimmed(text: string): string {
  return text.replace(outerSpace, '')
}

export const strings: Library = {
  charAt: { overloads: { string_char_at_int: ['string.(int): string', charAt] } },
  indexOf: {
    overloads: {
      string_index_of_string: ['string.(string): int', (text: string, part: string) => indexOf(text, part, 0n)],
      string_index_of_string_int: ['string.(string, int): int', indexOf],
    },
  },
  lastIndexOf: {
    overloads: {
      string_last_index_of_string: ['string.(string): int', lastIndexOf],
      string_last_index_of_string_int: ['string.(string, int): int', lastIndexBefore],
    },
  },
  lowerAscii: {
    overloads: {
      string_lower_ascii: [
        'string.(): string',
        (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
      ],
    },
  },
  replace: {
    overloads: {
      string_replace_string_string: [
        'string.(string, string): string',
        (text: string, old: string, fresh: string) => replace(text, old, fresh, -1n),
      ],
      string_replace_string_string_int: ['string.(string, string, int): string', replace],
    },
  },
  split: {
    overloads: {
      string_split_string: [
        'string.(string): list(string)',
        (text: string, separator: string) => split(text, separator, -1n),
      ],
      string_split_string_int: ['string.(string, int): list(string)', split],
    },
  },
  substring: {
    overloads: {
      string_substring_int: ['string.(int): string', substring],
      string_substring_int_int: ['string.(int, int): string', substringBetween],
    },
  },
  trim: { overloads: { string_trim: ['string.(): string', (text: string) => trimmed(text)] } },
  upperAscii: {
    overloads: {
      string_upper_ascii: [
        'string.(): string',
        (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
      ],
    },
  },
  format: { overloads: { string_format: ['string.(list(dyn)): string', formatText] } },
  'strings.quote': { overloads: { strings_quote: ['(string): string', (text: string) => quoted(text)] } },
  join: {
    overloads: {
      list_join: ['list(string).(): string', (list: ListValue) => join(list, '')],
      list_join_string: ['list(string).(string): string', join],
    },
  },
}
