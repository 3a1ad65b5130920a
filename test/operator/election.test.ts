import { describe, expect, it } from 'vitest'
import type { LeaseSpec } from '../../src/object/built-in.ts'
import {
  afterClaim,
  afterConflict,
  afterFailure,
  afterRead,
  type Candidate,
  defaultTiming,
  type Election,
  nextStep,
  notYetElected,
  timingProblem,
} from '../../src/operator/election.ts'
import { leaseWith } from './leases.ts'

const me: Candidate = { identity: 'me', timing: defaultTiming }
const theirs: LeaseSpec = { holderIdentity: 'you', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' }
const mine: LeaseSpec = { ...theirs, holderIdentity: 'me' }
const at = (nowMs: number, jitter = 0) => ({ nowMs, jitter })
/** Candidate that observed this at 1000. */
const saw = (spec: LeaseSpec | undefined, candidate = me, before = notYetElected) =>
  afterRead(before, spec === undefined ? undefined : leaseWith(spec), candidate, at(1_000))
/** Leader by a claim that was sent at 1000 and answered at 1200. */
const leader = afterClaim(saw({}), leaseWith(mine, '2'), me, { sentMs: 1_000, nowMs: 1_200 })

describe('a candidate', () => {
  it('reads the Lease first', () => {
    expect(nextStep(notYetElected, 0)).toEqual({ kind: 'read' })
  })

  it.each<{ title: string; election: Election }>([
    { title: 'that is not there', election: saw(undefined) },
    { title: 'that was given back, or never held', election: saw({ leaseTransitions: 4 }) },
    { title: 'that is its own by a claim whose answer was lost', election: saw(mine) },
  ])('immediately claims a Lease $title', ({ election }) => {
    expect(nextStep(election, 1_000).kind).toBe('claim')
  })

  it.each<{ title: string; election: Election; freeAtMs: number }>([
    { title: 'held by another, however old its times', election: saw(theirs), freeAtMs: 16_000 },
    { title: 'held for longer than ours', election: saw({ ...theirs, leaseDurationSeconds: 60 }), freeAtMs: 61_000 },
    {
      title: 'whose duration was shortened by hand',
      election: saw({ ...theirs, leaseDurationSeconds: 1 }),
      freeAtMs: 16_000,
    },
    {
      title: 'whose holder was removed by hand',
      election: saw({ ...theirs, holderIdentity: '' }),
      freeAtMs: 16_000,
    },
    {
      title: 'that was deleted by hand',
      election: afterRead(saw(theirs), undefined, me, at(3_000)),
      freeAtMs: 18_000,
    },
    {
      title: 'that was renewed since',
      election: afterRead(saw(theirs), leaseWith(theirs, '2'), me, at(9_000)),
      freeAtMs: 24_000,
    },
    {
      title: 'that it saw again unchanged',
      election: afterRead(saw(theirs), leaseWith(theirs), me, at(9_000)),
      freeAtMs: 16_000,
    },
  ])('waits for a Lease $title', ({ election, freeAtMs }) => {
    expect(nextStep(election, freeAtMs - 1).kind).not.toBe('claim')
    expect(nextStep(election, freeAtMs).kind).toBe('claim')
  })

  it('reads again after each jittered period, but not later than the expiry of the Lease', () => {
    expect(nextStep(saw(theirs), 1_000)).toEqual({ kind: 'wait', untilMs: 3_000 })
    const late = afterRead(notYetElected, leaseWith(theirs), me, at(1_000, 0.5))
    expect(nextStep(late, 1_000)).toEqual({ kind: 'wait', untilMs: 3_200 })
    expect(nextStep(late, 3_200)).toEqual({ kind: 'read' })
    const nearEnd = afterRead(saw(theirs), leaseWith(theirs), me, at(15_500))
    expect(nextStep(nearEnd, 15_500)).toEqual({ kind: 'wait', untilMs: 16_000 })
  })

  it('reads the Lease after a rejected or unanswered claim', () => {
    const refused = afterConflict(saw(undefined), me, at(2_000))
    expect(nextStep(refused, 2_000)).toEqual({ kind: 'wait', untilMs: 2_200 })
    expect(nextStep(refused, 2_200)).toEqual({ kind: 'read' })
    const unanswered = afterFailure(saw(undefined), me, at(2_000, 0.5))
    expect(nextStep(unanswered, 4_199)).toEqual({ kind: 'wait', untilMs: 4_200 })
    expect(nextStep(unanswered, 4_200)).toEqual({ kind: 'read' })
  })

  it('retries indefinitely', () => {
    const election = Array.from({ length: 100 }).reduce<Election>(
      (before, _, round) => afterFailure(before, me, at(round * 2_000)),
      notYetElected,
    )
    expect(nextStep(election, 10 ** 9)).toEqual({ kind: 'read' })
  })

  it('does not lead if the response took longer than the renew deadline', () => {
    const late = afterClaim(saw({}), leaseWith(mine, '2'), me, { sentMs: 1_000, nowMs: 11_000 })
    expect(late.leadsUntilMs).toBeUndefined()
    expect(nextStep(late, 11_000).kind).toBe('claim')
  })
})

describe('a leader', () => {
  it('counts its term from the send time of its claim, and renews every period', () => {
    expect(leader.leadsUntilMs).toBe(11_000)
    expect(nextStep(leader, 1_200)).toEqual({ kind: 'wait', untilMs: 3_000 })
    expect(nextStep(leader, 3_000)).toEqual({ kind: 'claim', lease: leaseWith(mine, '2') })
  })

  it('has lost at the renew deadline, whatever it knows of others', () => {
    const failing = afterFailure(leader, me, at(10_500))
    expect(nextStep(failing, 10_500)).toEqual({ kind: 'wait', untilMs: 11_000 })
    expect(nextStep(failing, 10_999).kind).not.toBe('lost')
    expect(nextStep(failing, 11_000)).toEqual({ kind: 'lost', to: undefined })
  })

  it('has lost as soon as it observes another holder', () => {
    const seen = afterRead(afterConflict(leader, me, at(3_000)), leaseWith(theirs, '3'), me, at(3_300))
    expect(nextStep(seen, 3_300)).toEqual({ kind: 'lost', to: 'you' })
  })

  it.each<{ title: string; lease: ReturnType<typeof leaseWith> | undefined }>([
    { title: 'was deleted', lease: undefined },
    { title: 'lost its holder', lease: leaseWith({ ...mine, holderIdentity: '' }, '3') },
    { title: 'was edited', lease: leaseWith({ ...mine, leaseDurationSeconds: 1 }, '3') },
  ])('claims again a Lease that $title by hand', ({ lease }) => {
    const seen = afterRead(afterConflict(leader, me, at(3_000)), lease, me, at(3_300))
    expect(nextStep(seen, 3_300)).toEqual({ kind: 'claim', lease })
  })

  it('does not continue after a sleep past its deadline by an earlier response', () => {
    const woken = afterClaim(leader, leaseWith(mine, '3'), me, { sentMs: 3_000, nowMs: 60_000 })
    expect(nextStep(woken, 60_000)).toEqual({ kind: 'lost', to: undefined })
  })
})

describe('the three times of leader election', () => {
  it.each([
    { durationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, fit: true },
    { durationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 500, fit: true },
    { durationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, fit: false },
    { durationMs: 15_000, renewDeadlineMs: 2_400, retryPeriodMs: 2_000, fit: false },
    { durationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 0, fit: false },
  ])('$durationMs, $renewDeadlineMs and $retryPeriodMs fit: $fit', ({ fit, ...timing }) => {
    expect(timingProblem(timing) === undefined).toBe(fit)
  })

  it('have an error with all three if they are invalid', () => {
    expect(timingProblem({ durationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 500 })).toBe(
      'leader election needs lease duration > renew deadline > 1.2 × retry period > 0, but they are 10 s, 10 s and 0.5 s; give times such as 15, 10 and 2',
    )
  })
})
