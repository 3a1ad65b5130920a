// Reads quoted names and values by the rules of PostgreSQL's lexer (scan.l), so that tests can read back quoted text.

export interface Read {
  readonly text: string
  readonly rest: string
}

/** Reads `"a""b"`. */
export function readIdentifier(source: string): Read {
  return readQuoted(source, '"', false)
}

/** Reads `'a''b'`, or with backslash escapes `E'a\\b'`. */
export function readLiteral(source: string): Read {
  return source.startsWith('E') ? readQuoted(source.slice(1), "'", true) : readQuoted(source, "'", false)
}

function readQuoted(source: string, quote: string, escapes: boolean): Read {
  if (!source.startsWith(quote)) throw new Error(`no ${quote} at the start of ${source}`)
  let text = ''
  for (let at = 1; at < source.length; at += 1) {
    const letter = source.charAt(at)
    if (escapes && letter === '\\') {
      at += 1
      text += source.charAt(at)
    } else if (letter !== quote) {
      text += letter
    } else if (source.charAt(at + 1) === quote) {
      at += 1
      text += quote
    } else {
      return { text, rest: source.slice(at + 1) }
    }
  }
  throw new Error(`no end of ${source}`)
}
