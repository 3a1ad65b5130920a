import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { delayAfter, type FailureKind, failureOf, type Strain, unstrained } from '../../src/cache/watch-failure.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'

/** Returns the ceilings of the first `count` delays, with one failure every ten seconds. */
function ceilings(kind: FailureKind, count: number): number[] {
  let strain: Strain = unstrained
  return Array.from({ length: count }, (_, turn) => {
    const answer = delayAfter({ failure: { kind, message: '' }, strain, atMs: turn * 10_000, chance: 1 })
    strain = answer.strain
    return answer.delayMs
  })
}

describe('the delay before the next attempt', () => {
  it.each<[FailureKind, readonly number[]]>([
    ['unreachable', [800, 1_600, 3_200, 6_400, 8_000, 8_000]],
    ['stalled', [800, 1_600, 3_200, 6_400, 8_000, 8_000]],
    ['overloaded', [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]],
    ['expired', [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]],
    ['denied', [30_000, 30_000]],
    ['notServed', [5_000, 7_500, 11_250, 16_875, 25_312.5, 30_000, 30_000]],
  ])('after %s is at most %j', (kind, expected) => {
    expect(ceilings(kind, expected.length)).toEqual(expected)
  })

  it('is uniform over the whole range under the ceiling', () => {
    const strain = { failures: 3, lastFailureAtMs: 0 }
    const drawn = (chance: number) =>
      delayAfter({ failure: { kind: 'unreachable', message: '' }, strain, atMs: 0, chance }).delayMs
    expect([drawn(0), drawn(0.25), drawn(0.5)]).toEqual([0, 1_600, 3_200])
  })

  it('is long for a server that lacks the resource, or denies it', () => {
    const drawn = (kind: FailureKind) =>
      delayAfter({ failure: { kind, message: '' }, strain: unstrained, atMs: 0, chance: 0 }).delayMs
    expect(drawn('notServed')).toBe(2_000)
    expect(drawn('denied')).toBe(10_000)
  })

  it('is reset after two minutes without a failure, and not before', () => {
    const strain = { failures: 5, lastFailureAtMs: 0 }
    const failure = { kind: 'unreachable', message: '' } as const
    expect(delayAfter({ failure, strain, atMs: 120_000, chance: 1 }).delayMs).toBe(800)
    expect(delayAfter({ failure, strain, atMs: 119_999, chance: 1 }).delayMs).toBe(8_000)
  })

  it('is at least the server’s Retry-After, up to a minute', () => {
    const waitFor = (retryAfterMs: number) =>
      delayAfter({
        failure: { kind: 'overloaded', message: '', retryAfterMs },
        strain: unstrained,
        atMs: 0,
        chance: 0.5,
      }).delayMs
    expect([waitFor(100), waitFor(5_000), waitFor(3_600_000)]).toEqual([400, 5_000, 60_000])
  })

  it('allows recovery within ten seconds after the network, after any history', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, chance) => {
        const strain = { failures, lastFailureAtMs: 0 }
        const { delayMs } = delayAfter({ failure: { kind: 'unreachable', message: '' }, strain, atMs: 1, chance })
        expect(delayMs).toBeGreaterThanOrEqual(0)
        expect(delayMs).toBeLessThanOrEqual(8_000)
      }),
    )
  })
})

describe('failureOf', () => {
  it.each([
    ['Expired', 'expired'],
    ['Unreachable', 'unreachable'],
    ['Timeout', 'unreachable'],
    ['TooManyRequests', 'overloaded'],
    ['ServerError', 'overloaded'],
    ['ServiceUnavailable', 'overloaded'],
    ['Forbidden', 'denied'],
    ['Unauthorized', 'denied'],
    ['ResourceNotFound', 'notServed'],
    ['BadRequest', 'rejected'],
    ['Invalid', 'rejected'],
    ['MethodNotAllowed', 'rejected'],
  ] as const)('maps %s to %s', (code, kind) => {
    const error = new KubeError({ code, message: 'm', retryAfterMs: 7 })
    expect(failureOf(error)).toEqual({
      kind,
      message: 'm',
      error,
      retryAfterMs: 7,
    })
  })

  it('treats an error other than KubeError as a failing server, because a watch never ends', () => {
    expect(failureOf(new TypeError('boom'))).toMatchObject({ kind: 'overloaded', message: 'boom' })
    expect(failureOf('odd')).toMatchObject({ kind: 'overloaded', message: 'odd' })
  })
})
