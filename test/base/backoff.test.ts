import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BackoffPolicy, backoffDelayMs, defaultBackoff } from '../../src/base/backoff.ts'
import type { Random } from '../../src/base/random.ts'
import { seededRandom } from '../../src/base/random.ts'

const drawing = (value: number): Random => ({ next: () => value, uuid: () => '' })
const shortest = (policy: BackoffPolicy, failures: number) => backoffDelayMs({ policy, failures, random: drawing(0) })
const longest = (policy: BackoffPolicy, failures: number) => backoffDelayMs({ policy, failures, random: drawing(1) })

const policies = fc
  .record({ baseMs: fc.integer({ min: 1, max: 10_000 }), factor: fc.integer({ min: 1, max: 10_000 }) })
  .map(({ baseMs, factor }) => ({ baseMs, capMs: baseMs * factor }))

describe('backoffDelayMs', () => {
  it.each([
    [1, 5_000, 10_000],
    [2, 10_000, 20_000],
    [3, 20_000, 40_000],
    [5, 80_000, 160_000],
    [6, 150_000, 300_000],
    [7, 150_000, 300_000],
    [5_000, 150_000, 300_000],
  ])('after failure %i lies between %i and %i ms by default', (failures, from, to) => {
    expect([shortest(defaultBackoff, failures), longest(defaultBackoff, failures)]).toEqual([from, to])
  })

  it('can grow from 1 s to 1000 s', () => {
    const policy = { baseMs: 1_000, capMs: 1_000_000 }
    expect([shortest(policy, 1), longest(policy, 1), longest(policy, 60)]).toEqual([1_000, 2_000, 1_000_000])
  })

  it('stays within the policy, and its bounds never shrink', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 2_000 }), fc.nat(), (policy, failures, seed) => {
        const delayMs = backoffDelayMs({ policy, failures, random: seededRandom(seed) })
        expect(delayMs).toBeGreaterThanOrEqual(policy.baseMs)
        expect(delayMs).toBeLessThanOrEqual(policy.capMs)
        expect(shortest(policy, failures + 1)).toBeGreaterThanOrEqual(shortest(policy, failures))
        expect(longest(policy, failures + 1)).toBeGreaterThanOrEqual(longest(policy, failures))
      }),
    )
  })

  it.each([
    { policy: defaultBackoff, failures: 0 },
    { policy: { baseMs: 10, capMs: 5 }, failures: 1 },
    { policy: { baseMs: 0, capMs: 5 }, failures: 1 },
  ])('rejects $failures failures under $policy', ({ policy, failures }) => {
    expect(() => backoffDelayMs({ policy, failures, random: drawing(0) })).toThrow('invariant broken')
  })
})
