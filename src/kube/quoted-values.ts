// Removes quoted values from messages of the API server and of webhooks. Invariant: the message of a rejection contains
// no value of a Secret and no value of the request. Names of fields, kinds and objects stay, and so do explanations.
// The structure of a field error marks its value: a Go string, a scalar, JSON or Go syntax. Known texts are removed
// everywhere. A short text, or a word, is removed only where it is quoted as a value: other words of the message may
// equal it (0100).
import { isTelling, isWord, longEnough, occurrences, type Range, rangesOfTexts } from './known-texts.ts'

/** Texts that a message must not contain. */
export interface KnownTexts {
  /** Values of Secrets. */
  readonly secrets: readonly string[]
  /** Values of the rejected request. */
  readonly request: readonly string[]
  /** Names of the request's object. They may appear even if a value is the same. */
  readonly names: readonly string[]
}

const redacted = '[redacted]'
const redactedValue = `"${redacted}"`
/** Characters of one message, and of all messages of one error. */
const longestMessage = 16_384
const mostChars = 32_768
/** Source: apimachinery/pkg/util/validation/field/errors.go. A required field has no value, only an explanation. */
const fieldError = /\b(?:(Required) value|(?:Invalid|Unsupported|Duplicate) value|Not found|Too (?:many|few)): /g
/**
 * Explanations follow. Source: apiserver, admission/plugin/webhook/errors/statuserror.go and
 * admission/plugin/policy/validating.
 */
const explanationStart = /\b(?:(?:Invalid|Unsupported|Duplicate|Required) value|Forbidden|denied (?:the )?request): /
/** Types of OpenAPI, which the server quotes instead of a value. */
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
/** Numbers, quantities, and words without a quote, up to the continuation of the sentence. */
const plainScalar = /[\w.+-]{1,40}(?=: |[,\]]|$)/y
/** JSON, and structures as Go prints them. */
const structureStart = /(?:[&*]|\[\])*(?:[{[]|\(\*|map\[|[A-Za-z_][\w.]*(?:\[[\w.*]*\][\w.*]*)*\{)/y
/** The same inside an explanation, where braces may belong to a pattern. */
const structureInProse = /(?:[&*]|\[\]){0,4}(?:\b[a-z]\w*\.[A-Z]\w*\{|\bmap\[)|\{\s*"/g
/** Hunks of a comparison of the stored object with the one of the request. Source: apimachinery/pkg/util/diff. */
const diffHunks = /\n@@ -\d[^\n]*@@(?:\n[ +\-\\@][^\n]*)*\n?/g
/** A deliberate reference to an object. */
const existence = /^ (?:is )?(?:not found|already exists|does not exist)/
/** An explanation without a value before it. It ends where a value is quoted. */
const explanationAsValue = /\b(?:Invalid|Unsupported|Duplicate|Required) value: [^"]+/g
const nameLike = /[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/g
const shortestName = 4
const enumeration = /\bvalues: ("[^"\\]*"(?:, "[^"\\]*")*)/g

/**
 * Returns the message with `[redacted]` in place of these texts and of every value that the API server quotes for a
 * field.
 */
export function withoutValues(message: string, texts: readonly string[]): string {
  return messagesWithoutValues([message], { secrets: texts, request: [], names: [] })[0] ?? ''
}

/** Returns the messages of one error, cut to 32 Ki characters in total, with `[redacted]` in place of values. */
export function messagesWithoutValues(messages: readonly string[], known: KnownTexts): readonly string[] {
  // Constants of the schema are no values of the request, although the request may use them elsewhere.
  const allowed = new Set(messages.flatMap(enumeratedConstants))
  // Texts of the request first: the search for parts covers a limited number of characters.
  const texts = [...new Set([...known.request.filter((text) => !allowed.has(text)), ...known.secrets])]
  const knownTexts = new Set(texts)
  const ownNames = new Set(known.names)
  const names = known.names.filter((name) => name.length >= longEnough)
  let left = mostChars
  const unquoted = messages.map((message) => {
    const cut = message.slice(0, Math.min(left, longestMessage))
    left -= cut.length
    const unstructured = withoutStructures(withoutFieldValues(cut.replaceAll(diffHunks, ` ${redacted}`), knownTexts))
    return withoutNames(withoutQuotedTexts(unstructured, knownTexts, ownNames), knownTexts, ownNames)
  })
  const ranges = rangesOfTexts(unquoted, texts)
  return unquoted.map((message, at) => withoutRanges(message, ranges[at] ?? [], names))
}

function enumeratedConstants(message: string): readonly string[] {
  const lists = [...message.matchAll(enumeration)].map(([, list = '']) => list)
  return lists
    .flatMap((list) => list.slice(1, -1).split('", "'))
    .filter((word) => /^[A-Za-z]+$/.test(word) && !isTelling(word))
}

function withoutFieldValues(message: string, known: ReadonlySet<string>): string {
  let cleaned = ''
  let at = 0
  for (const { 0: prefix, 1: required, index } of message.matchAll(fieldError)) {
    const start = index + prefix.length
    if (start < at) continue
    const end = valueEnd(message, start)
    const value = message.slice(start, end)
    const isPlain = required !== undefined && !isWholeString(message, start)
    cleaned += message.slice(at, start) + (isPlain || maySay(value, known) ? value : redactedValue)
    at = end
  }
  return cleaned + message.slice(at)
}

/**
 * Returns the end of the value that begins at `start`: a Go string, a scalar, or a structure. Returns `start` before an
 * explanation. Linear in the value.
 */
function valueEnd(message: string, start: number): number {
  if (message[start] === '"') return stringEnd(message, start)
  plainScalar.lastIndex = start
  const scalar = plainScalar.exec(message)
  if (scalar !== null) return start + scalar[0].length
  structureStart.lastIndex = start
  return structureStart.test(message) ? structureEnd(message, start, isValueEnd) : start
}

/**
 * End of a structure: the first position after its brackets that `isEnd` accepts, or the end of the message. Linear.
 */
function structureEnd(message: string, start: number, isEnd: (message: string, at: number) => boolean): number {
  let depth = 0
  for (let at = start; at < message.length; at++) {
    const char = message[at]
    if (char === '"') at = stringEnd(message, at) - 1
    else if (char === '{' || char === '[' || char === '(') depth++
    else if (char === '}' || char === ']' || char === ')') depth--
    if (depth < 0) return at
    if (depth === 0 && isEnd(message, at + 1)) return at + 1
  }
  return message.length
}

/** True where the sentence continues after a value. */
const isValueEnd = (message: string, at: number): boolean =>
  at >= message.length || /^(?:: |, |\])/.test(message.slice(at, at + 2))

const isAfterBracket = (message: string, at: number): boolean => /[}\])]/.test(message[at - 1] ?? '')

function stringEnd(message: string, start: number, quote = '"'): number {
  for (let at = start + 1; at < message.length; at++) {
    if (message[at] === '\\') at++
    else if (message[at] === quote) return at + 1
  }
  return message.length
}

function isWholeString(message: string, start: number): boolean {
  return message[start] === '"' && isValueEnd(message, stringEnd(message, start))
}

function maySay(value: string, known: ReadonlySet<string>): boolean {
  if (!value.startsWith('"')) return /^[\w.+-]*$/.test(value) && !known.has(value)
  const text = value.slice(1, -1)
  return typeWords.has(text) && !known.has(text)
}

function withoutStructures(message: string): string {
  let cleaned = ''
  let at = 0
  for (const { index } of message.matchAll(structureInProse)) {
    if (index < at) continue
    cleaned += message.slice(at, index) + redacted
    at = structureEnd(message, index, isAfterBracket)
  }
  return cleaned + message.slice(at)
}

/** Removes quoted texts from explanations, except words and names that the server reports as existing or missing. */
function withoutQuotedTexts(message: string, known: ReadonlySet<string>, names: ReadonlySet<string>): string {
  const start = explanationStart.exec(message)?.index
  if (start === undefined) return message
  let cleaned = ''
  let at = 0
  for (const range of quotedRanges(message, start)) {
    const text = message.slice(range.start, range.end)
    const mayStay = text === redacted || names.has(text) || existence.test(message.slice(range.end + 1, range.end + 20))
    const isGoString = message[range.end] === '"' && text.length >= longEnough
    if (mayStay || !isTelling(text) || !(isGoString || known.has(text))) continue
    cleaned += message.slice(at, range.start) + redacted
    at = range.end
  }
  return cleaned + message.slice(at)
}

/**
 * Removes names that are values, such as hosts, from explanations in the position of a value: the author of the rule
 * sees the value. Names of the object stay.
 */
function withoutNames(message: string, known: ReadonlySet<string>, ownNames: ReadonlySet<string>): string {
  return message.replaceAll(explanationAsValue, (explanation) =>
    explanation.replaceAll(nameLike, (name) => {
      const isValue = known.has(name) && name.length >= shortestName && !isWord(name) && !ownNames.has(name)
      return isValue ? redacted : name
    }),
  )
}

/**
 * Returns the ranges inside quotes of three kinds. A quote after a letter is an apostrophe. Linear: an unclosed kind is
 * not tried again.
 */
function quotedRanges(message: string, start: number): readonly Range[] {
  const ranges: Range[] = []
  const left = new Set(['"', "'", '`'])
  for (let at = start; at < message.length; at++) {
    const quote = message[at] ?? ''
    if (!left.has(quote) || /\w/.test(message[at - 1] ?? '')) continue
    const end = stringEnd(message, at, quote)
    if (message[end - 1] !== quote || end - 1 === at) left.delete(quote)
    else {
      ranges.push({ start: at + 1, end: end - 1 })
      at = end - 1
    }
  }
  return ranges
}

function withoutRanges(message: string, ranges: readonly Range[], names: readonly string[]): string {
  if (ranges.length === 0) return message
  const named = byStart(names.flatMap((name) => occurrences(message, name)))
  let nextName = 0
  let nameEnd = 0
  let cleaned = ''
  let at = 0
  for (const { start, end } of byStart(ranges)) {
    for (; (named[nextName]?.start ?? Number.POSITIVE_INFINITY) <= start; nextName++) {
      nameEnd = Math.max(nameEnd, named[nextName]?.end ?? 0)
    }
    // A part of a name may stay.
    if (end <= nameEnd) continue
    if (start >= at) cleaned += message.slice(at, start) + redacted
    at = Math.max(at, end)
  }
  return cleaned + message.slice(at)
}

const byStart = (ranges: readonly Range[]): readonly Range[] =>
  ranges.toSorted((left, right) => left.start - right.start)
