import { describe, expect, it } from 'vitest'
import { answeredProbe, freshProbe, type ProbeKind, requestedProbe } from '../../src/local-node/probe-state.ts'

const probe = { initialDelaySeconds: 5, periodSeconds: 2, successThreshold: 2, failureThreshold: 3 }

function verdicts(kind: ProbeKind, answers: string): string {
  let state = freshProbe(kind, probe, 0)
  const seen = [...answers].map((letter) => {
    const answer = letter === '?' ? undefined : letter === '+' ? 'success' : 'failure'
    state = answeredProbe(requestedProbe(state), { kind, probe, answer, nowMs: state.nextAtMs })
    return state.verdict.charAt(0) + (state.isDecided ? '!' : '')
  })
  return seen.join(' ')
}

describe('a probe', () => {
  it.each([
    { kind: 'readiness', answers: '++--++---', says: 'f s s s s s s s f' },
    { kind: 'readiness', answers: '+-+-+-', says: 'f f f f f f' },
    { kind: 'readiness', answers: '+?+', says: 'f f s' },
    { kind: 'liveness', answers: '--+---', says: 's s s s s f!' },
    { kind: 'startup', answers: '---', says: 'u u f!' },
    { kind: 'startup', answers: '-++', says: 'u u s!' },
  ] as const)('has verdicts for $kind from results $answers', ({ kind, answers, says }) =>
    expect(verdicts(kind, answers)).toBe(says),
  )

  it('runs first after its delay, then every period, or at once if the result took longer', () => {
    const fresh = freshProbe('readiness', probe, 1_000)
    expect(fresh.nextAtMs).toBe(6_000)
    const quick = answeredProbe(fresh, { kind: 'readiness', probe, answer: 'success', nowMs: 6_100 })
    expect(quick.nextAtMs).toBe(8_000)
    const slow = answeredProbe(quick, { kind: 'readiness', probe, answer: 'success', nowMs: 12_000 })
    expect(slow.nextAtMs).toBe(12_000)
  })
})
