// JSON parser in slices. Invariant: values and rejected texts are those of JSON.parse. Between two `yield`s it parses
// at most 64 KiB, because 8 MiB of short distinct strings take 0.25 s. Pure.
import type { SlicedWork } from '../slice-runner.ts'
import { closeList, closeObject, comma, endOfText, openList, openObject, quote } from './json-scan.ts'

const pieceLength = 65_536

/** Parses the text. Throws SyntaxError. `piece`: maximum characters parsed at once. */
export function* parseInSlices(text: string, piece: number = pieceLength): SlicedWork<unknown> {
  return yield* new Pieces(text, piece).parse(0, text.length)
}

/** Positions in the text: the first character, and the one after the last. */
interface Span {
  readonly at: number
  readonly end: number
}

class Pieces {
  readonly #text: string
  readonly #piece: number

  constructor(text: string, piece: number) {
    this.#text = text
    this.#piece = piece
  }

  *parse(from: number, to: number): SlicedWork<unknown> {
    const start = this.#skipSpace(from)
    yield
    if (to - start > this.#piece && this.#text[start] === '[') return yield* this.#list(start, to)
    if (to - start > this.#piece && this.#text[start] === '{') return yield* this.#object(start, to)
    return JSON.parse(this.#text.slice(from, to))
  }

  *#list(start: number, to: number): SlicedWork<unknown> {
    const list: unknown[] = []
    for (const { at, end } of this.#batches(start, to)) {
      if (end - at > this.#piece) list.push(yield* this.parse(at, end))
      else for (const item of JSON.parse(`[${this.#text.slice(at, end)}]`) as readonly unknown[]) list.push(item)
      yield
    }
    return list
  }

  *#object(start: number, to: number): SlicedWork<unknown> {
    const members: Record<string, unknown> = {}
    for (const { at, end } of this.#batches(start, to)) {
      if (end - at > this.#piece) yield* this.#parseMember(members, at, end)
      else {
        const batch = JSON.parse(`{${this.#text.slice(at, end)}}`) as object // Object members need braces.
        for (const [name, value] of Object.entries(batch)) define(members, name, value)
      }
      yield
    }
    return members
  }

  /** Yields items of the list or object at `start`, grouped up to the size of a piece. A larger item is alone. */
  *#batches(start: number, to: number): Generator<Span> {
    let batch: Span | undefined
    for (const item of this.#items(start, to)) {
      const isLarge = item.end - item.at > this.#piece
      if (batch !== undefined && (isLarge || item.end - batch.at > this.#piece)) {
        yield batch
        batch = undefined
      }
      if (isLarge) yield item
      else batch = { at: batch?.at ?? item.at, end: item.end }
    }
    if (batch !== undefined) yield batch
  }

  *#items(start: number, to: number): Generator<Span> {
    const closing = this.#text[start] === '[' ? ']' : '}'
    for (let at = start + 1; ; ) {
      const end = this.#endOf(at, to)
      const isLast = end < to && this.#text[end] === closing
      if (end >= to || (!isLast && this.#text[end] !== ',')) throw new SyntaxError('no JSON')
      if (this.#skipSpace(at) < end) yield { at, end }
      else if (!isLast || at > start + 1) throw new SyntaxError('no JSON')
      if (isLast && this.#skipSpace(end + 1) < to) throw new SyntaxError('no JSON')
      if (isLast) return
      at = end + 1
    }
  }

  *#parseMember(members: Record<string, unknown>, at: number, end: number): SlicedWork<void> {
    const opening = this.#skipSpace(at)
    const closing = endOfText(this.#text, opening)
    const colon = this.#skipSpace(closing + 1)
    if (this.#text[opening] !== '"' || this.#text[colon] !== ':') throw new SyntaxError('no JSON')
    const name = JSON.parse(this.#text.slice(opening, closing + 1)) as string // A string in quotes.
    define(members, name, yield* this.parse(colon + 1, end))
  }

  /** Returns the end of the item at `at`: the next comma or bracket, or `to`. */
  #endOf(at: number, to: number): number {
    let depth = 0
    for (let position = at; position < to; position += 1) {
      const letter = this.#text.charCodeAt(position)
      if (letter === quote) position = endOfText(this.#text, position)
      else if (letter === openList || letter === openObject) depth += 1
      else if (letter === closeList || letter === closeObject) {
        if (depth === 0) return position
        depth -= 1
      } else if (letter === comma && depth === 0) return position
    }
    return to
  }

  #skipSpace(from: number): number {
    let at = from
    while (' \n\r\t'.includes(this.#text[at] ?? 'x')) at += 1
    return at
  }
}

/** Defines a property like JSON.parse, including `__proto__`. */
function define(members: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true })
}
