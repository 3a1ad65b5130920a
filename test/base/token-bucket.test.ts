import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TokenBucket, takeFromAll } from '../../src/base/token-bucket.ts'

const limits = fc.record({
  perSecond: fc.double({ min: 0.01, max: 5_000, noNaN: true }),
  burst: fc.integer({ min: 1, max: 50 }),
})

describe('TokenBucket', () => {
  it('allows a burst, then one event for each gained token', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 })
    expect([0, 0, 0].map((nowMs) => bucket.take(nowMs))).toEqual([0, 0, 0])
    expect(bucket.take(0)).toBeGreaterThan(99)
    expect(bucket.take(101)).toBe(0)
    expect(bucket.take(101)).toBeGreaterThan(0)
  })

  it('holds no more than its burst, however long it is idle', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 2 })
    const atMs = 3_600_000
    bucket.take(0)
    expect([bucket.take(atMs), bucket.take(atMs), bucket.take(atMs) > 0]).toEqual([0, 0, true])
  })

  it('allows the event after the returned wait', () => {
    fc.assert(
      fc.property(limits, fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(200), (limit, startMs, takes) => {
        const bucket = new TokenBucket(limit)
        let nowMs = startMs
        for (let index = 0; index < takes; index++) {
          const waitMs = bucket.take(nowMs)
          if (waitMs === 0) continue
          nowMs += waitMs
          expect(bucket.take(nowMs)).toBe(0)
        }
      }),
      // Regression: a need slightly below a whole millisecond.
      { examples: [[{ perSecond: 0.010000000000000002, burst: 2 }, 2.1827872842550278e-11, 5]] },
    )
  })

  it('reserves tokens in order, within the rate', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 2 })
    expect(Array.from({ length: 5 }, () => bucket.reserve(0))).toEqual([0, 0, 100, 200, 300])
    expect(bucket.reserve(350)).toBe(50)
    expect(bucket.reserve(10_000)).toBe(0)
  })

  it('takes a token of each of several buckets or of none', () => {
    const [wide, narrow] = [new TokenBucket({ perSecond: 1, burst: 2 }), new TokenBucket({ perSecond: 1, burst: 1 })]
    expect(takeFromAll([wide, narrow], 0)).toBe(0)
    expect(takeFromAll([wide, narrow], 0)).toBeGreaterThanOrEqual(1_000)
    expect(takeFromAll([wide], 0)).toBe(0)
    expect(takeFromAll([], 0)).toBe(0)
  })

  it.each([
    { perSecond: 0, burst: 1 },
    { perSecond: 1, burst: 0 },
    { perSecond: Number.NaN, burst: 1 },
  ])('is rejected with $perSecond a second and a burst of $burst', (limit) => {
    expect(() => new TokenBucket(limit)).toThrow('a rate is more than 0 a second')
  })

  it('never allows more than the burst and the gained tokens', () => {
    fc.assert(
      fc.property(limits, fc.array(fc.nat(2_000), { maxLength: 200 }), (limit, pausesMs) => {
        const bucket = new TokenBucket(limit)
        let [nowMs, taken] = [0, 0]
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs
          if (bucket.take(nowMs) === 0) taken++
        }
        expect(taken).toBeLessThanOrEqual(limit.burst + (nowMs / 1_000) * limit.perSecond + 1e-6)
      }),
    )
  })
})
