import { describe, expect, it } from 'vitest'
import { passwordFrom, seededSecrets, systemSecrets } from '../../src/base/random.ts'

describe('passwordFrom', () => {
  it('returns letters and digits of the requested length', () => {
    expect(passwordFrom(systemSecrets, 32)).toMatch(/^[A-Za-z0-9]{32}$/)
    expect(passwordFrom(systemSecrets, 32)).not.toBe(passwordFrom(systemSecrets, 32))
  })

  it('favours no letter', () => {
    const counts = new Map<string, number>()
    for (const letter of passwordFrom(seededSecrets(1), 62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    expect(counts.size).toBe(62)
    // 1,000 of each, within five standard deviations. A plain remainder would give eight letters 1,210.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(160)
  })

  it('never uses a byte that would favour the first letters', () => {
    const secrets = { bytes: (count: number) => new Uint8Array(count).map((_, index) => (index === 0 ? 255 : 0)) }
    expect(passwordFrom(secrets, 4)).toBe('AAAA')
  })
})
