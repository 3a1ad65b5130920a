// Text of other authors for a terminal. Invariant: no character of it moves the cursor, changes colours, ends a line or turns the direction of the
// text around. Such characters are written as JSON would escape them. Source: ISO 6429 (C0 and C1 controls), UAX #9 (bidirectional formatting).

/** DEL, the controls of C1, Unicode's line and paragraph separators, and its bidirectional formatting: JSON leaves these as they are. */
const unescapedByJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The text, whose lines and tabs stay. */
export function terminalText(text: string): string {
  return text.replaceAll(controls, escaped)
}

/** The text in one line, for a place that other lines follow. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll(/[\n\t]/g, escaped)
}

/** The text inside of JSON, which escapes the other controls itself. */
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
