// Format `email`: one address, alone or as `Name <local@domain>`.
// Source: Go's net/mail.ParseAddress (RFC 5322). Groups and encoded words are not supported.
import { parseIpAddress } from '../ip-address.ts'

export function isEmail(text: string): boolean {
  const reader = new Reader(text)
  return reader.isAddress()
}

// Printable ASCII except the specials, and everything beyond ASCII.
const atom = /[!#-'*+\-./0-9=?A-Z^-~\u0080-\u{10ffff}]+/uy
const quoted = /"((?:[ \t!#-[\]-~\u0080-\u{10ffff}]|\\[ \t!-~\u0080-\u{10ffff}])*)"/uy
const literal = /\[([!-Z^-~\u0080-\u{10ffff}]*)\]/uy

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isAddress(): boolean {
    this.#skipSpace()
    if (this.#isSpec()) return this.#skipComments() && this.#isAtEnd()
    this.#at = 0
    this.#skipSpace()
    if (!this.#is('<') && !this.#isPhrase()) return false
    this.#skipSpace()
    return this.#takes('<') && this.#isSpec() && this.#takes('>') && this.#skipComments() && this.#isAtEnd()
  }

  /** Reads local@domain. */
  #isSpec(): boolean {
    this.#skipSpace()
    const local = this.#is('"') ? this.#take(quoted)?.slice(1, -1) : this.#dotAtom()
    if (local === undefined || local === '' || !this.#takes('@')) return false
    this.#skipSpace()
    if (!this.#is('[')) return this.#dotAtom() !== undefined
    const address = this.#take(literal)?.slice(1, -1)
    return address !== undefined && parseIpAddress(address, 'strict') !== undefined
  }

  #isPhrase(): boolean {
    let words = 0
    for (;;) {
      if (words > 0 && !this.#skipComments()) return false
      this.#skipSpace()
      if ((this.#is('"') ? this.#take(quoted) : this.#take(atom)) === undefined) return words > 0
      words++
    }
  }

  #dotAtom(): string | undefined {
    const found = this.#take(atom)
    if (found === undefined || found.startsWith('.') || found.endsWith('.') || found.includes('..')) return undefined
    return found
  }

  /** Skips comments, which nest; a backslash escapes. Returns false for an unterminated one. */
  #skipComments(): boolean {
    this.#skipSpace()
    while (this.#takes('(')) {
      for (let depth = 1; depth > 0; this.#at++) {
        if (this.#isAtEnd()) return false
        const character = this.#text.charAt(this.#at)
        if (character === '\\' && this.#at + 1 < this.#text.length) this.#at++
        else if (character === '(') depth++
        else if (character === ')') depth--
      }
      this.#skipSpace()
    }
    return true
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #takes(character: string): boolean {
    if (!this.#is(character)) return false
    this.#at++
    return true
  }

  #is(character: string): boolean {
    return this.#text.charAt(this.#at) === character
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  #skipSpace(): void {
    while (this.#is(' ') || this.#is('\t')) this.#at++
  }
}
