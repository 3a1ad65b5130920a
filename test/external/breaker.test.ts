import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { admissionOf, afterCall, type Breaker, type CallEnd, closedBreaker } from '../../src/external/breaker.ts'

const never = { next: () => 0, uuid: () => '' }

/** Makes calls one after the other; returns how each was admitted. */
function play(ends: readonly CallEnd[], breaker: Breaker = closedBreaker, nowMs = 0) {
  let state = breaker
  const admitted = ends.map((end) => {
    const admission = admissionOf(state, nowMs)
    if (admission.kind === 'refused') return 'refused'
    state = afterCall(admission.breaker, { end, isProbe: admission.isProbe, nowMs, random: never })
    return admission.isProbe ? 'probe' : 'allowed'
  })
  return { admitted, state }
}

const bad = (count: number): readonly CallEnd[] => Array.from({ length: count }, () => 'bad' as const)
const opened = play(bad(5)).state

describe('a breaker', () => {
  it('opens after five consecutive failures, and no sooner', () => {
    expect(play([...bad(4), 'good', ...bad(4)]).state).toEqual({ kind: 'closed', failures: 4 })
    expect(play(bad(7)).admitted.slice(-2)).toEqual(['refused', 'refused'])
    expect(opened).toEqual({ kind: 'open', waitMs: 10_000, untilMs: 10_000 })
  })

  it('ignores outcomes that say nothing about the endpoint', () => {
    expect(play([...bad(4), 'neither', 'neither']).state).toEqual({ kind: 'closed', failures: 4 })
  })

  it('admits one call after its wait, and no other until that has ended', () => {
    expect(admissionOf(opened, 9_999)).toEqual({ kind: 'refused', waitMs: 1 })
    const probe = admissionOf(opened, 10_000)
    expect(probe).toMatchObject({ kind: 'allowed', isProbe: true })
    if (probe.kind === 'allowed') expect(admissionOf(probe.breaker, 10_000)).toMatchObject({ kind: 'refused' })
  })

  it('lets callers wait at most ten seconds during a probe', () => {
    const { state } = play(['bad'], opened, 10_000)
    const probe = admissionOf(state, 40_000)
    if (probe.kind !== 'allowed') throw new Error('it is tried')
    expect(admissionOf(probe.breaker, 40_000)).toEqual({ kind: 'refused', waitMs: 10_000 })
  })

  it('closes after a successful probe', () => {
    expect(play(['good', 'bad'], opened, 10_000).state).toEqual({ kind: 'closed', failures: 1 })
  })

  it('doubles the wait after a failed probe, up to two minutes', () => {
    let [state, nowMs] = [opened, 10_000]
    const waits = Array.from({ length: 6 }, () => {
      const { state: next } = play(['bad'], state, nowMs)
      if (next.kind !== 'open') throw new Error('it is open')
      state = next
      nowMs = next.untilMs
      return next.waitMs
    })
    expect(waits).toEqual([20_000, 40_000, 80_000, 120_000, 120_000, 120_000])
  })

  it('probes again at once when a probe was aborted', () => {
    const { state } = play(['neither'], opened, 10_000)
    expect(admissionOf(state, 10_000)).toMatchObject({ kind: 'allowed', isProbe: true })
  })

  it('learns from earlier calls only that the endpoint is back', () => {
    const late = { isProbe: false, nowMs: 10_000, random: never }
    expect(afterCall(opened, { ...late, end: 'bad' })).toEqual(opened)
    expect(afterCall(opened, { ...late, end: 'neither' })).toEqual(opened)
    expect(afterCall(opened, { ...late, end: 'good' })).toEqual(closedBreaker)
  })

  it('never rejects for longer than its longest wait, whatever happens', () => {
    const ends = fc.array(fc.record({ end: fc.constantFrom('good', 'bad', 'neither'), afterMs: fc.nat(200_000) }))
    fc.assert(
      fc.property(ends, fc.nat(), (calls, seed) => {
        const random = seededRandom(seed)
        let state: Breaker = closedBreaker
        let nowMs = 0
        for (const { end, afterMs } of calls) {
          nowMs += afterMs
          const admission = admissionOf(state, nowMs)
          if (admission.kind === 'refused') expect(admission.waitMs).toBeLessThanOrEqual(120_000 * 1.2)
          else state = afterCall(admission.breaker, { end: end as CallEnd, isProbe: admission.isProbe, nowMs, random })
        }
      }),
    )
  })
})
