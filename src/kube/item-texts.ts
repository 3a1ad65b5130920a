// Cuts the items of a list out of its JSON one by one, so that a long list can be parsed in slices. Invariant: a parser
// rejects one of the pieces exactly if it rejects the whole text. Pure; linear, and cheaper than parsing.

/** The whole text without the items. */
export type Envelope = string

/**
 * Yields the text of each item of the top-level list `items`, and returns the rest with an empty list. If there is no
 * such list, it yields nothing and returns the whole text. Throws SyntaxError.
 */
export function* itemTexts(text: string): Generator<string, Envelope> {
  const opening = openingOf(text)
  if (opening === undefined) return text
  let at = opening + 1
  if (text[skipSpace(text, at)] === ']') return text
  for (;;) {
    const end = endOfItem(text, at)
    yield text.slice(at, end)
    if (text[end] === ']') return text.slice(0, opening + 1) + text.slice(end)
    if (text[end] !== ',') throw new SyntaxError('no JSON')
    at = end + 1
  }
}

/** Position of the list named `items` in an object; of the first, if two have that name. */
function openingOf(text: string): number | undefined {
  const start = skipSpace(text, 0)
  if (text[start] !== '{') return undefined
  for (let at = start + 1; at < text.length; ) {
    const name = skipSpace(text, at)
    if (text[name] !== '"') return undefined
    const nameEnd = endOfText(text, name)
    const colon = skipSpace(text, nameEnd + 1)
    const value = skipSpace(text, colon + 1)
    if (text[colon] !== ':') return undefined
    if (text.slice(name, nameEnd + 1) === '"items"') return text[value] === '[' ? value : undefined
    const end = endOfItem(text, value)
    if (text[end] !== ',') return undefined
    at = end + 1
  }
  return undefined
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

/** Position of the comma or closing bracket after the value that begins at `from`, or the end of the text. */
function endOfItem(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (letter === quote) at = endOfText(text, at)
    else if (letter === 0x7b || letter === 0x5b) depth++
    else if (letter === 0x7d || letter === 0x5d) {
      if (depth === 0) return at
      depth--
    } else if (letter === comma && depth === 0) return at
  }
  return text.length
}

/** Position of the quote that closes the string whose opening quote is at `from`, or the end of the text. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((at - before) % 2 === 0) return at
  }
  return text.length
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (' \n\r\t'.includes(text[at] ?? 'x')) at++
  return at
}
