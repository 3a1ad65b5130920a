import { describe, expect, it } from 'vitest'
import { bytesBetween, hasReached } from '../../../src/controllers/engines/log-position.ts'

describe('a position in a log', () => {
  it.each<readonly [string, string, bigint]>([
    ['0/0', '0/10', 16n],
    ['16/B374D848', '16/B374D848', 0n],
    ['0/FFFFFFFF', '1/0', 1n],
    ['1/0', '0/FFFFFFFF', -1n],
    ['FFFFFFFF/FFFFFFFF', '0/0', -(2n ** 64n) + 1n],
  ])('%s is at this distance from %s', (from, to, bytes) => {
    expect(bytesBetween(from, to)).toBe(bytes)
    expect(hasReached(to, from)).toBe(bytes >= 0n)
  })

  it('has no other form', () => {
    expect(() => bytesBetween('', '0/0')).toThrow(SyntaxError)
    expect(() => bytesBetween('0/0', '12')).toThrow(SyntaxError)
  })
})
