// At which line and column of a text is that? Parsers count in bytes, or in characters; people in lines and columns from 1.

export interface Position {
  readonly line: number
  readonly column: number
}

export function positionOfByte(text: string, byte: number): Position {
  return positionAfter(Buffer.from(text).subarray(0, byte).toString())
}

/** Characters as the server counts them: code points. */
export function positionOfCharacter(text: string, character: number): Position {
  return positionAfter([...text].slice(0, character).join(''))
}

/** The first character of a line that is no blank. */
export function positionOfLine(text: string, line: number): Position {
  const found = text.split('\n')[line - 1] ?? ''
  return { line, column: Math.max(0, found.search(/\S/)) + 1 }
}

function positionAfter(before: string): Position {
  const lines = before.split('\n')
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
