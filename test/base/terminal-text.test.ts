import { describe, expect, it } from 'vitest'
import { hasControls, lineText, terminalLine, terminalText } from '../../src/base/terminal-text.ts'

/** What moves a cursor, colours, ends lines or turns text around. */
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
/** What is text. */
const harmless = ['ä €', '日本', 'שלום', '👩‍💻', '\u00a0', '→']

describe('terminal text', () => {
  it('has control characters as their escapes', () => {
    expect(terminalText('A\u001b[2J\u009b2J\u202e\u2028\u007fB')).toBe(
      String.raw`A\u001b[2J\u009b2J\u202e\u2028\u007fB`,
    )
    expect(harmful.filter((text) => terminalText(text) === text || !hasControls(text))).toEqual([])
  })

  it('is any other text as it is', () => {
    expect(harmless.filter((text) => terminalLine(text) !== text || hasControls(text))).toEqual([])
  })

  it('keeps lines and tabs, and a line keeps none', () => {
    expect(terminalText('a:\n\tb')).toBe('a:\n\tb')
    expect(terminalLine('a:\n\tb')).toBe(String.raw`a:\u000a\u0009b`)
  })

  it('leaves in JSON what JSON escapes itself', () => {
    const texts = harmful.map((text) => JSON.stringify(lineText(text)))
    expect(texts.filter(hasControls)).toEqual([])
    expect(lineText('a\nb')).toBe('a\nb')
  })
})
