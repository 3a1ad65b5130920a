// Generated passwords: their length, their characters, and an even distribution.
import { describe, expect, it } from 'vitest'
import { seededSecrets } from '../../../src/base/random.ts'
import { drawPassword } from '../../../src/controllers/database-user/password.ts'

const alphabets = [
  { charset: 'Alnum', size: 62, pattern: /^[A-Za-z0-9]+$/ },
  { charset: 'Printable', size: 94, pattern: /^[!-~]+$/ },
] as const

describe.each(alphabets)('a password of $charset', ({ charset, size, pattern }) => {
  it('has the length and the characters', () => {
    for (const length of [24, 32, 128]) {
      const password = drawPassword(seededSecrets(length), { length, charset })
      expect(password).toHaveLength(length)
      expect(password).toMatch(pattern)
    }
  })

  it('favours no character', () => {
    const drawn = drawPassword(seededSecrets(1), { length: 100_000, charset })
    const counts = Map.groupBy(drawn, (character) => character)
    expect(counts.size).toBe(size)
    const mean = drawn.length / size
    for (const [, found] of counts) expect(Math.abs(found.length - mean)).toBeLessThan(6 * Math.sqrt(mean))
  })
})
