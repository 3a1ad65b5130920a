// Letters of JSON, and where its texts end. Pure.

export const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
export const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The quote that ends a text; where none does, the parser will say so. */
export function endOfText(text: string, from: number): number {
  let at = text.indexOf('"', from + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === backslash) before -= 1
  return (at - before) % 2 === 1
}
