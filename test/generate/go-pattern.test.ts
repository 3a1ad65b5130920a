import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goPattern } from '../../src/generate/go-pattern.ts'

describe('goPattern', () => {
  it.each<{ pattern: string; fits: readonly string[]; misses: readonly string[] }>([
    { pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', fits: ['a', 'a-b'], misses: ['-a', 'A', 'a\n'] },
    { pattern: '^[[:alpha:][:digit:]_]+$', fits: ['a1_'], misses: ['a:', '-'] },
    { pattern: '^[^[:space:]]+$', fits: ['a'], misses: ['a b'] },
    { pattern: '^[]a]+$', fits: [']a'], misses: ['b'] },
    { pattern: '^[^]a]+$', fits: ['b'], misses: [']', 'a'] },
    { pattern: '^[[a]+$', fits: ['[a'], misses: ['b'] },
    { pattern: '^\\_\\-\\:\\"\\\'\\%\\#$', fits: ['_-:"\'%#'], misses: ['\\_'] },
    { pattern: '^[\\w\\-\\.\\_]+$', fits: ['a-._'], misses: ['a b'] },
    { pattern: '^a{b}{2,3}]$', fits: ['a{b}}]', 'a{b}}}]'], misses: ['a{b}]'] },
    { pattern: '(?i)^abc$', fits: ['aBc'], misses: ['abd'] },
    { pattern: '(?is)^a.c$', fits: ['A\nC'], misses: ['a'] },
    { pattern: '^(?i:a)b$', fits: ['Ab'], misses: ['aB'] },
    { pattern: '\\A(?:a|b)\\z', fits: ['a'], misses: ['a\n', 'xa'] },
    { pattern: '^(?P<a>x)(?<b>y)$', fits: ['xy'], misses: ['x'] },
    { pattern: '^\\pL\\p{Lu}\\P{N}\\p{Greek}$', fits: ['aBcα'], misses: ['abcα', 'aB1α'] },
    { pattern: '^\\x41\\x{1F600}$', fits: ['A😀'], misses: ['A'] },
    { pattern: '^\\Qa.b$\\E+$', fits: ['a.b$$'], misses: ['axb$'] },
    { pattern: '^\\s[\\s]$', fits: [' \t'], misses: ['\v ', '\u00a0 '] },
    { pattern: '^\\S$', fits: ['a', '\u00a0'], misses: [' '] },
    { pattern: '^.😀[😀]$', fits: ['😀😀😀'], misses: ['x😀x'] },
  ])('reads $pattern as Go does', ({ pattern, fits, misses }) => {
    const read = goPattern(pattern)
    for (const text of fits) expect(read?.test(text), text).toBe(true)
    for (const text of misses) expect(read?.test(text), text).toBe(false)
  })

  it.each(['a(?i)b', '(?U)a+', '\\C', '[\\b]', '(', 'a**', '\\1', '[[:^alpha:]]', '[[:nonsense:]]', '\\'])(
    'leaves %s to the server',
    (pattern) => {
      expect(goPattern(pattern)).toBeUndefined()
    },
  )

  it('never throws, and takes any quoted text for itself', () => {
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\\', '[', '[:', '(?', '{', '\\Q', '\\p'))
    fc.assert(fc.property(fc.array(piece), (pieces) => void goPattern(pieces.join(''))))
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('\\E'))
        expect(goPattern(`^\\Q${text}\\E$`)?.test(text)).toBe(true)
      }),
    )
  })
})
