// Escapes text of other authors for a terminal. Invariant: no character moves the cursor, changes colours, ends a line
// or reverses the text direction. Such characters appear as JSON would escape them. Source: ISO 6429 (C0 and C1
// controls), UAX #9 (bidirectional formatting).

/**
 * DEL, the controls of C1, Unicode's line and paragraph separators, and its bidirectional formatting: JSON leaves these
 * unescaped.
 */
const unescapedByJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Returns the text with its lines and tabs. */
export function terminalText(text: string): string {
  return text.replaceAll(controls, escaped)
}

/** Returns the text in one line, for output with further lines. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll(/[\n\t]/g, escaped)
}

/** Returns the text for use inside JSON, which escapes the other controls itself. */
export function lineText(text: string): string {
  return text.replaceAll(unescapedByJson, escaped)
}

/** True for a text that `terminalText` changes. */
export function hasControls(text: string): boolean {
  return text.search(controls) >= 0
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
