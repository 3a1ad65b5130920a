// Trims repeated characters at the end of a text. A regular expression like `/x+$/` restarts at each character of a run
// that is not at the end: 100 KB of them took 8 s. This reads each character once. Pure.

/** Returns `text` without the characters of `characters` at its end. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Returns the text without hyphens at both ends, which DNS labels forbid. */
export function withoutOuterHyphens(text: string): string {
  return trimmedEnd(text, '-').replace(/^-+/, '')
}
