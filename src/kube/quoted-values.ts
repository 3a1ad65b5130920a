// Messages of the API server and of webhooks without the values that they quote. Invariant: no value of a Secret, and no value that a request
// carried, leaves by the message of its rejection; names of fields, kinds and objects stay. A long value is taken out wherever it is; a
// short one, or a word, only where it is quoted as the value of a field, because other words of the message may be the same.
import { isJsonList, isJsonObject } from '../base/json.ts'

export interface SecretTexts {
  /** `namespace/name`. */
  readonly key: string
  readonly texts: readonly string[]
}

const redacted = '[redacted]'
/** Random values are longer, and words of messages mostly shorter. */
const longEnough = 8
const longestText = 8_192
const mostDigitsOfName = 4
/** Texts of one request; the rest of a larger one is not looked for outside of quotes. */
const mostTexts = 20_000
/** Source: apimachinery/pkg/util/validation/field/errors.go. */
const quotedValue = /\b((?:Invalid|Unsupported|Duplicate|Required) value|Not found): /g
/** What the server quotes instead of a value: types of OpenAPI. */
const typeWords: ReadonlySet<string> = new Set([
  '',
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
])
/** Numbers, quantities, words without a quote. They end where the sentence goes on. */
const plainScalar = /[\w.+-]{1,40}(?=: |[,\]]|$)/y

/** Undefined for what is no Secret. */
export function secretTexts(object: object): SecretTexts | undefined {
  if (!isJsonObject(object) || object['kind'] !== 'Secret') return undefined
  const { metadata, data, stringData } = object
  if (!isJsonObject(metadata)) return undefined
  const decoded = textsOf(data).flatMap((text) => [text, Buffer.from(text, 'base64').toString('utf8')])
  const texts = [...decoded, ...textsOf(stringData)].filter((text) => text !== '' && text.length <= longestText)
  return { key: `${metadata['namespace'] ?? ''}/${metadata['name'] ?? ''}`, texts }
}

/** Texts that a request carries as values: all but its type and what names it and its owners. Linear in the body. */
export function valueTexts(body: unknown): readonly string[] {
  if (!isJsonObject(body)) return []
  const { apiVersion: _, kind: __, metadata, ...content } = body
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined
  const texts = new Set<string>()
  collectTexts({ content, annotations }, texts)
  return [...texts]
}

/** Iterative: a body may be nested deeply. */
function collectTexts(value: unknown, texts: Set<string>): void {
  const left: unknown[] = [value]
  while (left.length > 0 && texts.size < mostTexts) {
    const next = left.pop()
    if (typeof next === 'string' && next !== '' && next.length <= longestText) texts.add(next)
    else if (isJsonList(next)) for (const item of next) left.push(item)
    else if (isJsonObject(next)) for (const item of Object.values(next)) left.push(item)
  }
}

/** The message with `[redacted]` in place of these texts, and of every value that the API server quotes as one of a field. */
export function withoutValues(message: string, texts: readonly string[]): string {
  const known = new Set(texts)
  const unquoted = withoutQuotedValues(message, known)
  // The longest first: a part of another value may be a value too.
  const anywhere = [...known].filter(isDistinct).toSorted((left, right) => right.length - left.length)
  return anywhere.reduce(
    (cleaned, text) => cleaned.replaceAll(text, redacted).replaceAll(JSON.stringify(text).slice(1, -1), redacted),
    unquoted,
  )
}

function withoutQuotedValues(message: string, known: ReadonlySet<string>): string {
  let cleaned = ''
  let at = 0
  for (const { 0: prefix, index } of message.matchAll(quotedValue)) {
    const start = index + prefix.length
    if (start < at) continue
    const end = valueEnd(message, start)
    const isShown = maySay(message.slice(start, end), known)
    cleaned += message.slice(at, start) + (isShown ? message.slice(start, end) : `"${redacted}"`)
    at = end
  }
  return cleaned + message.slice(at)
}

/** Where the value ends that begins at `start`: a Go string, a scalar, or a struct in brackets. Linear in the value. */
function valueEnd(message: string, start: number): number {
  if (message[start] === '"') return stringEnd(message, start)
  plainScalar.lastIndex = start
  const scalar = plainScalar.exec(message)
  if (scalar !== null) return start + scalar[0].length
  let depth = 0
  for (let at = start; at < message.length; at++) {
    const char = message[at]
    if (char === '"') at = stringEnd(message, at) - 1
    else if (char === '{' || char === '[' || char === '(') depth++
    else if (char === '}' || char === ']' || char === ')') depth--
    else if (depth <= 0 && char === ':' && message[at + 1] === ' ') return at
    if (depth < 0) return at
  }
  return message.length
}

function stringEnd(message: string, start: number): number {
  for (let at = start + 1; at < message.length; at++) {
    if (message[at] === '\\') at++
    else if (message[at] === '"') return at + 1
  }
  return message.length
}

function maySay(value: string, known: ReadonlySet<string>): boolean {
  if (!value.startsWith('"')) return /^[\w.+-]*$/.test(value) && !known.has(value)
  const text = value.slice(1, -1)
  return typeWords.has(text) && !known.has(text)
}

/** Names of hosts, users and databases are words with dots and dashes, and messages name them on purpose. */
function isDistinct(text: string): boolean {
  const isName = /^[a-z0-9]*([-._][a-z0-9]+)*$/.test(text) && text.replaceAll(/[^0-9]/g, '').length <= mostDigitsOfName
  return text.length >= longEnough && !isName
}

function textsOf(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.values(value).filter((text) => typeof text === 'string') : []
}
