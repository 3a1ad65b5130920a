// Parses and writes JSON without loss, as the API server reads it. Integers up to int64 stay exact, `__proto__` is an
// ordinary key, and key order is kept. Duplicate keys are reported, and the last one counts. Source of the texts and
// the number rules: Go's encoding/json and sigs.k8s.io/json.
import { isJsonList, isJsonObject, type Json, type JsonObject } from './json.ts'

export interface WireJson {
  readonly value: Json
  /** Paths of duplicate keys: `spec.ports[0].name`. */
  readonly duplicates: readonly string[]
}

/** Invalid JSON; the message is that of Go. */
export class WireJsonError extends Error {
  override readonly name = 'WireJsonError'
}

/** JSON with a number that no value can hold. */
export class WireNumberError extends WireJsonError {}

/** Deeper than any real object. Go reads ten times as deep; a limit keeps every walk over a value within the stack. */
const maxDepth = 1_000

/** Parses the text. Throws WireJsonError for invalid JSON, or for more than 1,000 levels. */
export function parseWireJson(text: string): WireJson {
  const value = plainJson(text)
  return value === undefined ? new Reader(text).read() : { value, duplicates: none }
}

/** An integer that may be beyond 2^53, outside a string or after a sign inside one. */
const longInteger = /[[:,\s-]\d{16,}\s*[,\]}]/

/**
 * Parses JSON of a server that is trusted to write valid JSON: like `JSON.parse`, but integers beyond 2^53 become
 * bigints. Nearly as fast, because the engine alone parses a text without long integers. Throws SyntaxError.
 */
export function parseExactly(text: string): unknown {
  return longInteger.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text)
}

function exactInteger(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  // Not longer than an int64: the time of BigInt grows faster than its text.
  return /^-?\d{16,19}$/.test(source) ? BigInt(source) : value
}

const none: readonly string[] = []

/**
 * Returns the value of a text that serializes to the same text, so that nothing was lost: one line, without duplicate
 * keys and inexact numbers. The engine does both in a third of the time of the exact reader.
 */
function plainJson(text: string): Json | undefined {
  if (!isShallow(text)) return undefined
  try {
    const value = JSON.parse(text) as Json // JSON.parse gives nothing else.
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined // The exact reader reports the cause.
  }
}

/** True if the text has too few brackets to be too deep. */
function isShallow(text: string): boolean {
  let brackets = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === 0x7b || code === 0x5b) && ++brackets >= maxDepth) return false
  }
  return true
}

/** Returns the text of a value. Keys keep their order; a key whose value is `undefined` is left out. */
export function wireJson(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch (thrown) {
    if (thrown instanceof TypeError) return exactJson(value) // A bigint: rare, so the slow path is acceptable.
    throw thrown
  }
}

function exactJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString()
  if (isJsonList(value)) return `[${value.map(exactJson).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).flatMap(([key, field]) =>
    field === undefined ? [] : [`${JSON.stringify(key)}:${exactJson(field)}`],
  )
  return `{${fields.join(',')}}`
}

const space = /[ \t\r\n]*/y
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const hexadecimal = /^[0-9a-fA-F]{4}$/
const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)

class Reader {
  readonly #text: string
  readonly #duplicates: string[] = []
  readonly #path: (string | number)[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): WireJson {
    const value = this.#value()
    this.#skip()
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value')
    return { value, duplicates: this.#duplicates }
  }

  #value(): Json {
    this.#skip()
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        return this.#object()
      case 0x5b:
        return this.#list()
      case 0x22:
        return this.#string()
      case 0x74:
        return this.#literal('true', true)
      case 0x66:
        return this.#literal('false', false)
      case 0x6e:
        return this.#literal('null', null)
      default:
        return this.#number()
    }
  }

  #object(): JsonObject {
    const object: Record<string, Json> = {}
    this.#enter()
    this.#at++
    this.#skip()
    if (this.#is(0x7d)) {
      this.#at++
      return object
    }
    const depth = this.#path.push('') - 1
    for (;;) {
      this.#skip()
      if (!this.#is(0x22)) throw this.#unexpected('looking for beginning of object key string')
      const key = this.#string()
      this.#skip()
      if (!this.#is(0x3a)) throw this.#unexpected('after object key')
      this.#at++
      this.#path[depth] = key
      if (Object.hasOwn(object, key)) this.#duplicates.push(renderPath(this.#path))
      const value = this.#value()
      // An assignment to `__proto__` would change the prototype.
      if (key === '__proto__')
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
      else object[key] = value
      this.#skip()
      if (this.#is(0x2c)) {
        this.#at++
        continue
      }
      if (!this.#is(0x7d)) throw this.#unexpected('after object key:value pair')
      this.#at++
      this.#path.pop()
      return object
    }
  }

  #list(): readonly Json[] {
    const list: Json[] = []
    this.#enter()
    this.#at++
    this.#skip()
    if (this.#is(0x5d)) {
      this.#at++
      return list
    }
    const depth = this.#path.push(0) - 1
    for (;;) {
      this.#path[depth] = list.length
      list.push(this.#value())
      this.#skip()
      if (this.#is(0x2c)) {
        this.#at++
        continue
      }
      if (!this.#is(0x5d)) throw this.#unexpected('after array element')
      this.#at++
      this.#path.pop()
      return list
    }
  }

  #string(): string {
    const start = this.#at + 1
    for (let at = start; ; at++) {
      const code = this.#text.charCodeAt(at)
      if (code === 0x22) {
        this.#at = at + 1
        return this.#text.slice(start, at)
      }
      if (code === 0x5c) return this.#escapedString(start, at)
      if (!(code >= 0x20)) {
        this.#at = at
        throw this.#unexpected('in string literal')
      }
    }
  }

  /** Reads the rest of a string from its first escape on. */
  #escapedString(start: number, firstEscape: number): string {
    let at = firstEscape
    for (;;) {
      const code = this.#text.charCodeAt(at)
      if (code === 0x22) break
      if (!(code >= 0x20)) {
        this.#at = at
        throw this.#unexpected('in string literal')
      }
      at += code === 0x5c ? this.#escapeLength(at) : 1
    }
    this.#at = at + 1
    const value = JSON.parse(this.#text.slice(start - 1, at + 1)) as string // A string literal, checked above.
    return value.toWellFormed() // Half of a surrogate pair is no character: Go reads it as U+FFFD.
  }

  #escapeLength(at: number): number {
    const kind = this.#text.charAt(at + 1)
    if (kind === 'u') {
      if (hexadecimal.test(this.#text.slice(at + 2, at + 6))) return 6
      this.#at = at + 2 + this.#text.slice(at + 2, at + 6).search(/[^0-9a-fA-F]|$/)
      throw this.#unexpected('in \\u hexadecimal character escape')
    }
    if (kind !== '' && '"\\/bfnrt'.includes(kind)) return 2
    this.#at = at + 1
    throw this.#unexpected('in string escape code')
  }

  #literal<Value extends Json>(word: string, value: Value): Value {
    for (const character of word) {
      if (this.#text.charAt(this.#at) !== character)
        throw this.#unexpected(`in literal ${word} (expecting '${character}')`)
      this.#at++
    }
    return value
  }

  #number(): number | bigint {
    number.lastIndex = this.#at
    const found = number.exec(this.#text)
    if (found === null) {
      if (!this.#is(0x2d)) throw this.#unexpected('looking for beginning of value')
      this.#at++
      throw this.#unexpected('in numeric literal')
    }
    const [whole, fraction, exponent] = found
    this.#at += whole.length
    const next = this.#text.charAt(this.#at)
    if (next === '.' && fraction === undefined) throw this.#brokenNumber('after decimal point in numeric literal')
    if ((next === 'e' || next === 'E') && exponent === undefined)
      throw this.#brokenNumber('in exponent of numeric literal')
    const value = Number(whole)
    if (!Number.isFinite(value))
      throw new WireNumberError(`json: cannot unmarshal number ${whole} into Go value of type float64`)
    if (fraction !== undefined || exponent !== undefined || Number.isSafeInteger(value)) return value
    if (String(value) === whole) return value
    const exact = BigInt(whole)
    return exact >= minInt64 && exact <= maxInt64 ? exact : value
  }

  #brokenNumber(where: string): WireJsonError {
    this.#at++
    return this.#unexpected(where)
  }

  #enter(): void {
    if (this.#path.length >= maxDepth) throw new WireJsonError('exceeded max depth')
  }

  #is(code: number): boolean {
    return this.#text.charCodeAt(this.#at) === code
  }

  #skip(): void {
    // Most tokens have no space before them.
    if (this.#text.charCodeAt(this.#at) > 0x20) return
    space.lastIndex = this.#at
    space.exec(this.#text)
    this.#at = space.lastIndex
  }

  #unexpected(where: string): WireJsonError {
    if (this.#at >= this.#text.length) return new WireJsonError('unexpected end of JSON input')
    return new WireJsonError(`invalid character ${shownCharacter(this.#text, this.#at)} ${where}`)
  }
}

function shownCharacter(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (character === "'") return `'\\''`
  if (character === '"') return `'"'`
  return `'${JSON.stringify(character).slice(1, -1)}'`
}

function renderPath(path: readonly (string | number)[]): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('')
}
