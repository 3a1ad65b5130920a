import { describe, expect, it } from 'vitest'
import { hasControls, lineText, terminalLine, terminalText } from '../../src/base/terminal-text.ts'

/** Characters that move a cursor, set colours, end lines or reverse text. */
const harmful = [
  '\u0000',
  '\b',
  '\r',
  '\u001b[2J',
  '\u007f',
  '\u0085',
  '\u009b2J',
  '\u061c',
  '\u200e',
  '\u200f',
  '\u2028',
  '\u2029',
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
]
/** Harmless text. */
const harmless = ['ä €', '日本', 'שלום', '👩‍💻', '\u00a0', '→']

describe('terminal text', () => {
  it('escapes control characters', () => {
    expect(terminalText('A\u001b[2J\u009b2J\u202e\u2028\u007fB')).toBe(
      String.raw`A\u001b[2J\u009b2J\u202e\u2028\u007fB`,
    )
    expect(harmful.filter((text) => terminalText(text) === text || !hasControls(text))).toEqual([])
  })

  it('leaves any other text unchanged', () => {
    expect(harmless.filter((text) => terminalLine(text) !== text || hasControls(text))).toEqual([])
  })

  it('keeps lines and tabs; a line keeps none', () => {
    expect(terminalText('a:\n\tb')).toBe('a:\n\tb')
    expect(terminalLine('a:\n\tb')).toBe(String.raw`a:\u000a\u0009b`)
  })

  it('leaves in JSON the characters that JSON escapes itself', () => {
    const texts = harmful.map((text) => JSON.stringify(lineText(text)))
    expect(texts.filter(hasControls)).toEqual([])
    expect(lineText('a\nb')).toBe('a\nb')
  })
})
