import { describe, expect, it } from 'vitest'
import { nextObservationMs, restMs } from '../../src/external/cadence.ts'
import type { ExternalState } from '../../src/external/external-state.ts'

type Stand = Pick<ExternalState, 'state' | 'end'>
const times = { cadenceMs: 300_000, pollMs: 5_000 }

describe('the wait between two observations', () => {
  it.each<Stand & { retryAfterMs?: number; expected: number }>([
    { state: 'available', end: 'settled', expected: 300_000 },
    { state: 'pending', end: 'waiting', expected: 5_000 },
    { state: 'notYetVisible', end: 'waiting', expected: 5_000 },
    { state: 'deleting', end: 'waiting', expected: 5_000 },
    // A creation that takes too long keeps the poll interval.
    { state: 'pending', end: 'stopped', expected: 5_000 },
    { state: 'vanished', end: 'stopped', expected: 300_000 },
    { state: 'notOwned', end: 'stopped', expected: 300_000 },
    { state: 'broken', end: 'stopped', expected: 300_000 },
    { state: 'failed', end: 'stopped', expected: 300_000 },
    { state: 'failed', end: 'stopped', retryAfterMs: 60_000, expected: 60_000 },
    { state: 'failed', end: 'stopped', retryAfterMs: 600_000, expected: 300_000 },
    { state: 'failed', end: 'retry', retryAfterMs: 9, expected: 0 },
  ])('for $state with outcome $end is $expected', ({ state, end, retryAfterMs, expected }) => {
    expect(restMs({ standing: { state, end }, ...times, retryAfterMs })).toBe(expected)
  })

  it('ends at most a tenth late, and never early', () => {
    const chance = (value: number) => ({ next: () => value, uuid: () => '' })
    expect(nextObservationMs({ restMs: 1_000, restedMs: 400 }, chance(0))).toBe(600)
    expect(nextObservationMs({ restMs: 1_000, restedMs: 400 }, chance(0.999))).toBeCloseTo(699.9)
    expect(nextObservationMs({ restMs: 1_000, restedMs: 2_000 }, chance(0))).toBe(0)
  })
})
