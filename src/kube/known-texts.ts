// Finds known texts in messages: whole or in part, plain, escaped as in JSON and Go, or in base64. Linear in the
// messages and in the texts. It searches for parts of the first 1 Mi characters of the texts only.

/** Range of characters in a message. `end` is after the last character. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Random values are longer than this; most words of messages are shorter. */
export const longEnough = 8
const mostDigitsOfName = 4
/** A part with at least this many words and characters counts as part of a passphrase. */
const wordsOfPhrase = 3
const lengthOfPhrase = 16
const mostSearched = 1_048_576
/** Covers an escaped text inside an escaped text. */
const mostEscapes = 2
/** At least six bytes. */
const base64Run = /[A-Za-z0-9+/_-]{8,}={0,2}/g
const escapes = /\\(?:u([0-9a-f]{4})|U000([0-9a-f]{5})|x([0-9a-f]{2})|([\s\S]))/gi
const escapedChars: Readonly<Record<string, string>> = {
  ...{ a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
}
/** Words of prose, fields and constants: `of`, `restartPolicy`, `ClusterIP`, `TCP`, `63`. */
const plainWord = /^(?:\d{1,4}|[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*[A-Z]{0,2}|[A-Z]{1,5})$/
const betweenWords = /[\s.,:;'"`()[\]{}<>/=_-]+/

/** A message in one form: plain, unescaped, or a decoded part. */
interface Reading {
  readonly text: string
  /** Maps the characters from `start` to `end` to their range in the message. */
  readonly rangeOf: (start: number, end: number) => Range
  readonly message: number
  readonly isDecoded: boolean
}

/** Returns for each message the ranges that contain one of the texts, or an identifying part of one; unordered. */
export function rangesOfTexts(messages: readonly string[], texts: readonly string[]): readonly (readonly Range[])[] {
  const found = messages.map((): Range[] => [])
  const known = new Set(texts)
  const readings = messages.flatMap((text, message) => readingsOf(text, message))
  for (const { reading, start, end } of matchesOf(readings, [...known].filter(isDistinct))) {
    found[reading.message]?.push(reading.rangeOf(start, end))
  }
  // Messages name a host or a user on purpose, but not in base64.
  for (const { text, isDecoded, message, rangeOf } of readings) {
    if (isDecoded && known.has(text)) found[message]?.push(rangeOf(0, text.length))
  }
  return found
}

/** False for names of hosts, users and databases: words with dots and dashes, which messages name on purpose. */
export function isDistinct(text: string): boolean {
  const isName = /^[a-z0-9]*([-._][a-z0-9]+)*$/.test(text) && text.replaceAll(/[^0-9]/g, '').length <= mostDigitsOfName
  return text.length >= longEnough && !isName
}

/** True for a text that contains more than plain words, e.g. a random value, and for a phrase. */
export function isTelling(text: string): boolean {
  const isPhrase = text.length >= lengthOfPhrase && text.trim().split(/\s+/).length >= wordsOfPhrase
  return isPhrase || !text.split(betweenWords).every((word) => word === '' || plainWord.test(word))
}

/** True for a word of prose, a field or a constant. */
export function isWord(text: string): boolean {
  return plainWord.test(text)
}

function readingsOf(text: string, message: number): readonly Reading[] {
  const readings: Reading[] = [{ text, message, rangeOf: (start, end) => ({ start, end }), isDecoded: false }]
  for (let depth = 0; depth < mostEscapes; depth++) {
    const last = readings.at(-1)
    if (last === undefined || !last.text.includes('\\')) break
    readings.push(unescaped(last))
  }
  return [...readings, ...readings.flatMap(decodedParts)]
}

function unescaped(reading: Reading): Reading {
  const { text, rangeOf } = reading
  let plain = ''
  /** Position of each character in the previous text. */
  const starts: number[] = []
  const take = (chars: string, at: number, step: 0 | 1) => {
    for (let index = 0; index < chars.length; index++) starts.push(at + index * step)
    plain += chars
  }
  let at = 0
  for (const match of text.matchAll(escapes)) {
    const [whole, short, long, byte, char = ''] = match
    const code = short ?? long ?? byte
    take(text.slice(at, match.index), at, 1)
    const isLegal = code === undefined || Number.parseInt(code, 16) <= 0x10_ffff
    take(
      code === undefined
        ? (escapedChars[char] ?? char)
        : isLegal
          ? String.fromCodePoint(Number.parseInt(code, 16))
          : '',
      match.index,
      0,
    )
    at = match.index + whole.length
  }
  take(text.slice(at), at, 1)
  starts.push(text.length)
  return { ...reading, text: plain, rangeOf: (start, end) => rangeOf(starts[start] ?? 0, starts[end] ?? text.length) }
}

/**
 * Decodes runs of base64, also without their first one to three characters. A match in any part covers the whole run.
 */
function decodedParts({ text, message, rangeOf }: Reading): readonly Reading[] {
  return [...text.matchAll(base64Run)].flatMap(({ 0: run, index }) =>
    [0, 1, 2, 3].map((skipped) => ({
      text: Buffer.from(run.slice(skipped), 'base64').toString('utf8'),
      message,
      rangeOf: () => rangeOf(index, index + run.length),
      isDecoded: true,
    })),
  )
}

interface Match extends Range {
  readonly reading: Reading
}

function matchesOf(readings: readonly Reading[], texts: readonly string[]): readonly Match[] {
  const matches: Match[] = []
  const index = new PartIndex(readings.map(({ text }) => text))
  let searched = 0
  for (const text of texts) {
    if (index.hasStartOf(text)) {
      for (const reading of readings)
        for (const range of occurrences(reading.text, text)) matches.push({ reading, ...range })
    }
    if (searched < mostSearched) index.mark(text)
    searched += text.length
  }
  for (const [at, reading] of readings.entries()) {
    for (const range of index.marked(at)) {
      const part = reading.text.slice(range.start, range.end)
      if (!isTelling(part)) continue
      const start = range.start + part.length - part.trimStart().length
      matches.push({ reading, start, end: start + part.trim().length })
    }
  }
  return matches
}

/** Returns the positions of `text`, without overlaps. */
export function occurrences(message: string, text: string): readonly Range[] {
  const ranges: Range[] = []
  for (let at = message.indexOf(text); at !== -1; at = message.indexOf(text, at + text.length)) {
    ranges.push({ start: at, end: at + text.length })
  }
  return ranges
}

const hashBase = 31
const topPower = hashBase ** (longEnough - 1) % 2 ** 32
const hashBits = 16

/**
 * Index of all parts of eight characters of some messages. A rolling hash avoids strings in the search for a text's
 * parts.
 */
class PartIndex {
  /** Positions of each part; empty once the part is marked. */
  readonly #places = new Map<string, (readonly [message: number, at: number])[]>()
  readonly #hashes = new Uint8Array(2 ** hashBits)
  readonly #marks: readonly Uint8Array[]

  constructor(messages: readonly string[]) {
    this.#marks = messages.map(({ length }) => new Uint8Array(length))
    for (const [message, text] of messages.entries()) {
      forEachPart(text, (hash, at) => {
        const part = text.slice(at, at + longEnough)
        const places = this.#places.get(part)
        if (places === undefined) this.#places.set(part, [[message, at]])
        else places.push([message, at])
        this.#hashes[hash] = 1
      })
    }
  }

  /** True if a message contains the first part of this text. */
  hasStartOf(text: string): boolean {
    return this.#places.has(text.slice(0, longEnough))
  }

  /** Marks the positions in the messages that contain parts of this text. */
  mark(text: string): void {
    forEachPart(text, (hash, at) => {
      if (this.#hashes[hash] === 0) return
      const part = text.slice(at, at + longEnough)
      const places = this.#places.get(part) ?? []
      for (const [message, start] of places) this.#marks[message]?.fill(1, start, start + longEnough)
      if (places.length > 0) this.#places.set(part, [])
    })
  }

  marked(message: number): readonly Range[] {
    const marks = this.#marks[message] ?? new Uint8Array()
    const ranges: Range[] = []
    for (let start = marks.indexOf(1); start !== -1; ) {
      const gap = marks.indexOf(0, start)
      const end = gap === -1 ? marks.length : gap
      ranges.push({ start, end })
      start = marks.indexOf(1, end)
    }
    return ranges
  }
}

/** Calls `take` with the hash and the position of each part of eight characters. */
function forEachPart(text: string, take: (hash: number, at: number) => void): void {
  let hash = 0
  for (let end = 0; end < text.length; end++) {
    if (end >= longEnough) hash = (hash - Math.imul(text.charCodeAt(end - longEnough), topPower)) | 0
    hash = (Math.imul(hash, hashBase) + text.charCodeAt(end)) | 0
    if (end >= longEnough - 1) take((hash ^ (hash >>> hashBits)) & (2 ** hashBits - 1), end - longEnough + 1)
  }
}
