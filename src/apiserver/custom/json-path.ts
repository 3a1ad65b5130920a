// JSONPath of printer columns and selectable fields, in the API server's dialect: fields, items and slices, filters,
// unions, wildcards,
// descent. Source: k8s.io/client-go/util/jsonpath.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'
import { compareScalars } from './scalar-comparison.ts'

/** Error for an invalid path, or for a path that does not apply to the object. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

export interface JsonPath {
  /** Returns all matches in order; none for a missing field. Throws JsonPathError if the path does not apply. */
  find(value: Json): readonly Json[]
}

/** Parses a path without braces, as in definitions: `.status.conditions[?(@.type=="Ready")].status`. */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Reader(`${text}}`).action()
  return { find: (value) => followed([value], steps) }
}

type Step = (values: readonly Json[]) => readonly Json[]

function followed(values: readonly Json[], steps: readonly Step[]): readonly Json[] {
  return steps.reduce((found, step) => step(found), values)
}

const number = /[+-]?[.0-9]*/y
const word = /[^ \t\r\n.,[\]$@{}]*/y
const field = /(?:\\[\s\S]|[^\\ \t\r\n.,[\]$@{}])*/y
const bracket = /\[([^\]\n]*)\]/y
const filterParts = /^([^!<>=]+)([!<>=]+)(.+?)$/s
const slice = /^(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?$/

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Parses all steps up to the closing brace. */
  action(): readonly Step[] {
    const steps: Step[] = []
    let isDescending = false
    for (;;) {
      const rest = this.#text.slice(this.#at)
      const [first = ''] = rest
      if (first === '}') return steps
      if (first === '' || first === '\r' || first === '\n') throw new JsonPathError('unclosed action')
      const isDescent = rest.startsWith('..')
      if (isDescent && isDescending) throw new JsonPathError('invalid multiple recursive descent')
      isDescending = isDescent
      if (first === ' ' || first === '@' || first === '$') this.#at++
      else steps.push(...this.#steps(rest, first))
    }
  }

  #steps(rest: string, first: string): readonly Step[] {
    if (rest.startsWith('[?(')) return [this.#filter()]
    if (rest.startsWith('..')) {
      this.#at += 2
      const isNamed = /^[\p{L}\p{Nd}_]/u.test(rest.slice(2))
      return isNamed ? [descent, fieldStep(this.#take(field))] : [descent]
    }
    if (first === '[') return this.#brackets()
    if (first === '"' || first === "'") return [constant(this.#quoted(first))]
    if (first === '.') {
      this.#at++
      return [fieldStep(this.#take(field))]
    }
    if (/[+\-0-9]/.test(first)) return [constant(readNumber(this.#take(number)))]
    if (!/[\p{L}\p{Nd}_]/u.test(first)) throw new JsonPathError('unrecognized character in action')
    const name = this.#take(word)
    return [name === 'true' || name === 'false' ? constant(name === 'true') : unknownWord(name)]
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #brackets(): readonly Step[] {
    const inner = this.#take(bracket).slice(1, -1)
    if (this.#text.charAt(this.#at - 1) !== ']') throw new JsonPathError('unterminated array')
    const parts = inner.split(',')
    if (parts.length > 1) {
      const unions = parts.map((part) => new Reader(`[${part.replaceAll(/^ +| +$/g, '')}]}`).action())
      return [(values) => unions.flatMap((steps) => followed(values, steps))]
    }
    const [, key] = /^'([^']*)'$/.exec(inner) ?? []
    if (key !== undefined) return new Reader(`.${key}}`).action()
    return [sliceStep(inner === '*' ? ':' : inner)]
  }

  #quoted(quote: string): string {
    const start = this.#at + 1
    for (let at = start; at < this.#text.length && this.#text[at] !== '\n'; at++) {
      if (this.#text[at] !== quote || this.#text[at - 1] === '\\') continue
      this.#at = at + 1
      return this.#text.slice(start, at).replaceAll(/\\(.)/g, '$1')
    }
    throw new JsonPathError('unterminated quoted string')
  }

  #filter(): Step {
    const start = this.#at + 3
    const end = this.#filterEnd(start)
    if (this.#text[end + 1] !== ']') throw new JsonPathError('unclosed array expect ]')
    this.#at = end + 2
    const text = this.#text.slice(start, end)
    const [, left = '', operator = '', right = ''] = filterParts.exec(text) ?? []
    if (operator === '') return existing(new Reader(`${text}}`).action())
    return comparing(new Reader(`${left}}`).action(), operator, new Reader(`${right}}`).action())
  }

  /** Returns the position of a filter's closing parenthesis outside quotes. */
  #filterEnd(start: number): number {
    let quote = ''
    let isClosed = false
    for (let at = start; at < this.#text.length && this.#text[at] !== '\n'; at++) {
      const character = this.#text.charAt(at)
      if ((character === '"' || character === "'") && quote === '') quote = character
      else if (character === quote && this.#text[at - 1] !== '\\') isClosed = true
      else if (character === ')' && (quote !== '') === isClosed) return at
    }
    throw new JsonPathError('unterminated filter')
  }
}

function readNumber(text: string): number {
  const value = Number(text)
  if (text === '' || Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${text}`)
  return value
}

function constant(value: Json): Step {
  return (values) => values.map(() => value)
}

function unknownWord(name: string): Step {
  return () => {
    throw new JsonPathError(`unrecognized identifier ${name}`)
  }
}

function fieldStep(text: string): Step {
  if (text === '*') return (values) => values.flatMap(contentOf)
  const name = text.replaceAll('\\', '')
  return (values) =>
    values.flatMap((value) => {
      const found = isJsonObject(value) ? own(value, name) : undefined
      return found === undefined ? [] : [found]
    })
}

/** Returns the values inside a value, in key order; Go's order is random. */
function contentOf(value: Json): readonly Json[] {
  if (isJsonList(value)) return value
  // Go iterates over the bytes of a text, which print as numbers.
  if (typeof value === 'string') return [...Buffer.from(value)].map(String)
  return isJsonObject(value) ? Object.values(value).filter((inner) => inner !== undefined) : []
}

const descent: Step = (values) =>
  values.flatMap((value) => {
    const content = contentOf(value)
    if (typeof value === 'string') return content.length === 0 ? [] : [value]
    return content.length === 0 ? [] : [value, ...descent(content)]
  })

function sliceStep(text: string): Step {
  const found = slice.exec(text)
  if (found === null) throw new JsonPathError(`invalid array index ${text}`)
  const [, startText = '', endText, stepText] = found
  const read = (part: string): number => readNumber(part === '-' ? 'x' : part)
  const start = startText === '' ? undefined : read(startText)
  const end = endText === undefined || endText === '' ? undefined : read(endText)
  const step = stepText === undefined || stepText === '' ? 1 : read(stepText)
  // A single index stands for the slice that ends right after it.
  const isSingle = endText === undefined
  return (values) =>
    values.flatMap((value) => {
      if (value === null) return []
      if (!isJsonList(value)) throw new JsonPathError('not array or slice')
      const from = fromStart(start ?? 0, value.length)
      const declared = isSingle ? (start ?? 0) + 1 : end
      const to = declared === undefined ? value.length : endOf(declared, isSingle, value.length)
      return sliced(value, { from, to, step })
    })
}

function fromStart(index: number, length: number): number {
  return index < 0 ? index + length : index
}

function endOf(index: number, isSingle: boolean, length: number): number {
  return index < 0 || (index === 0 && isSingle) ? index + length : index
}

function sliced(
  list: readonly Json[],
  { from, to, step }: { from: number; to: number; step: number },
): readonly Json[] {
  if (from === to) return []
  if (from < 0 || from >= list.length || to < 0 || to > list.length || from > to)
    throw new JsonPathError('array index out of bounds')
  if (step <= 0) throw new JsonPathError('step must be > 0')
  return list.slice(from, to).filter((_, index) => index % step === 0)
}

function existing(steps: readonly Step[]): Step {
  return filtering((item) => {
    try {
      return followed([item], steps).length > 0
    } catch (thrown) {
      // A failed subpath yields its input, which exists.
      if (thrown instanceof JsonPathError) return true
      throw thrown
    }
  })
}

function comparing(left: readonly Step[], operator: string, right: readonly Step[]): Step {
  return filtering((item) => {
    const lefts = followed([item], left)
    if (lefts.length === 0) return false
    const rights = lefts.length > 1 ? [] : followed([item], right)
    if (lefts.length > 1 || rights.length > 1) throw new JsonPathError('can only compare one element at a time')
    if (rights.length === 0) return false
    const passes = compareScalars(lefts[0] ?? null, operator, rights[0] ?? null)
    if (passes === undefined) throw new JsonPathError('incompatible types for comparison')
    return passes
  })
}

function filtering(keep: (item: Json) => boolean): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!isJsonList(value)) throw new JsonPathError('not array or slice and cannot be filtered')
      return value.filter(keep)
    })
}
