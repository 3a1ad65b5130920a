// Cost of PostgreSQL's scanner for runs of operator characters. At each `/*` and each operator, the scanner reads the
// whole rest of the run, keeps one or two characters, and puts the others back. A run of 64 KB takes seconds. Source:
// `xcstart` and `operator` in scan.l. Invariant: one pass over the lexical structure; the cost is never less than what
// the scanner reads twice. Pure.

/** Characters that the scanner may read a second time: 40 ms. Everyday texts of 1 MB have less than 100,000. */
export const mostReadAgain = 10_000_000

export const readAgainMessage =
  "PostgreSQL's scanner needs too long for the runs of operator characters here, such as /*/*/*; put blanks between them"

/** Returns the index of the character at which the cost exceeds the limit. Undefined if it does not. */
export function readTooOftenAt(text: string): number | undefined {
  return new ScanCost(text).tooMuchAt()
}

class ScanCost {
  readonly #text: string
  #at = 0
  #runEnd = 0
  #readAgain = 0

  constructor(text: string) {
    this.#text = text
  }

  tooMuchAt(): number | undefined {
    while (this.#at < this.#text.length && this.#readAgain <= mostReadAgain) this.#skipToken()
    return this.#readAgain > mostReadAgain ? Math.min(this.#at, this.#text.length - 1) : undefined
  }

  #skipToken(): void {
    const text = this.#text
    const first = text.charCodeAt(this.#at)
    if (isDigit(first)) this.#skipWhile((code) => isWord(code) && code !== dollar)
    else if (first === dollar) this.#skipDollar()
    else if (isWord(first)) this.#skipName()
    else if (first === quote || first === doubleQuote) this.#skipQuoted(first)
    else if (text.startsWith('--', this.#at)) this.#skipLine()
    else if (text.startsWith('/*', this.#at)) this.#skipComment()
    else {
      if (isOperator(first)) this.#readRun()
      this.#at += 1
    }
  }

  /** Counts the characters from here to the end of the run. */
  #readRun(): void {
    if (this.#runEnd <= this.#at) {
      this.#runEnd = this.#at
      while (isOperator(this.#text.charCodeAt(this.#runEnd))) this.#runEnd += 1
    }
    this.#readAgain += this.#runEnd - this.#at
  }

  /** Comments nest. */
  #skipComment(): void {
    for (let depth = 0; this.#at < this.#text.length && this.#readAgain <= mostReadAgain; ) {
      if (this.#text.startsWith('/*', this.#at)) {
        this.#readRun()
        depth += 1
        this.#at += 2
      } else if (this.#text.startsWith('*/', this.#at)) {
        depth -= 1
        this.#at += 2
        if (depth === 0) return
      } else this.#at += 1
    }
  }

  #skipLine(): void {
    this.#skipWhile((code) => code !== newline && code !== carriageReturn)
  }

  /** Skips a name, or a string with escapes after its E. */
  #skipName(): void {
    const from = this.#at
    this.#skipWhile(isWord)
    const hasEscapes = this.#at === from + 1 && /e/i.test(this.#text.charAt(from))
    if (!hasEscapes) return
    // Strings on following lines continue it, with escapes.
    while (this.#text.charCodeAt(this.#at) === quote) {
      this.#skipEscaped()
      if (!this.#skipToNextLine()) return
    }
  }

  #skipEscaped(): void {
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === backslash) this.#at += 1
      else if (code === quote && this.#text.charCodeAt(this.#at + 1) === quote) this.#at += 1
      else if (code === quote) break
    }
    this.#at += 1
  }

  /** Skips blanks and comments. Returns true if a line ended. */
  #skipToNextLine(): boolean {
    let hasNewline = false
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (isBlank(code)) this.#at += 1
      else if (this.#text.startsWith('--', this.#at)) this.#skipLine()
      else return hasNewline
      hasNewline ||= code === newline || code === carriageReturn
    }
  }

  /** Takes a doubled quote for the end of one text and the start of another, which leads to the same end. */
  #skipQuoted(mark: number): void {
    const end = this.#text.indexOf(String.fromCharCode(mark), this.#at + 1)
    this.#at = end === -1 ? this.#text.length : end + 1
  }

  /** Skips a string between two equal tags, or the `$` of a parameter. */
  #skipDollar(): void {
    dollarTag.lastIndex = this.#at
    const [tag] = dollarTag.exec(this.#text) ?? []
    if (tag === undefined) {
      this.#at += 1
      return
    }
    const end = this.#text.indexOf(tag, this.#at + tag.length)
    this.#at = end === -1 ? this.#text.length : end + tag.length
  }

  #skipWhile(isInside: (code: number) => boolean): void {
    while (this.#at < this.#text.length && isInside(this.#text.charCodeAt(this.#at))) this.#at += 1
  }
}

const [quote, doubleQuote, backslash, dollar] = [0x27, 0x22, 0x5c, 0x24]
const [newline, carriageReturn] = [0x0a, 0x0d]
const dollarTag = /\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$/y

const operators = new Set([...'~!@#^&|`?+-*/%<>='].map((character) => character.charCodeAt(0)))

function isOperator(code: number): boolean {
  return operators.has(code)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isWord(code: number): boolean {
  const letter = code | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || isDigit(code) || code === 0x5f || code === dollar || code >= 0x80
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}
