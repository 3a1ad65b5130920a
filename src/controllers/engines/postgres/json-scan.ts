// Character codes of JSON, and the end of a JSON string. Pure.

export const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
export const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Returns the position of the closing quote. Without one, the parser fails later. */
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
