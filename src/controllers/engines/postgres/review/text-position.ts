// Lines and columns of a text, from the bytes and characters in which parsers count. Invariant: one pass over the text
// finds its lines; a position costs the length of its own line.

export interface Position {
  /** From 1. */
  readonly line: number
  /** In characters, from 1. */
  readonly column: number
}

export const textStart: Position = { line: 1, column: 1 }

export class TextPositions {
  readonly #bytes: Buffer
  /** The byte at which each line starts. */
  readonly #starts: readonly number[]

  constructor(text: string) {
    this.#bytes = Buffer.from(text)
    const starts = [0]
    for (let at = this.#bytes.indexOf(newline); at !== -1; at = this.#bytes.indexOf(newline, at + 1))
      starts.push(at + 1)
    this.#starts = starts
  }

  /** Returns the line of a byte. */
  lineOfByte(byte: number): number {
    let [low, high] = [0, this.#starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) <= byte) low = middle
      else high = middle
    }
    return low + 1
  }

  ofByte(byte: number): Position {
    const line = this.lineOfByte(byte)
    const before = this.#bytes.subarray(this.#starts[line - 1] ?? 0, byte).toString()
    return { line, column: charactersIn(before) + 1 }
  }

  /** Returns the position of a character, counted like the server: code points, from 0. */
  ofCharacter(character: number): Position {
    let byte = 0
    for (let left = character; left > 0 && byte < this.#bytes.length; left -= 1) {
      byte += 1
      while (((this.#bytes[byte] ?? 0) & 0xc0) === 0x80) byte += 1
    }
    return this.ofByte(byte)
  }

  /** Returns the first non-blank character of a line. */
  ofLine(line: number): Position {
    const from = this.#starts[line - 1]
    if (from === undefined) return { line, column: 1 }
    const text = this.#bytes.subarray(from, this.#starts[line]).toString()
    return { line, column: Math.max(0, text.search(/\S/)) + 1 }
  }
}

const newline = 0x0a

function charactersIn(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
