import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AssertionError } from '../../src/base/assert.ts'
import { CodedError } from '../../src/base/errors.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { findCondition, mergeConditions } from '../../src/object/condition.ts'
import { type Outcome, outcomeOfError, outcomeOfTurn, verdictOf } from '../../src/reconcile/outcome.ts'
import { countsIntervalMs, nextStatus, progressIntervalMs, statusWrite } from '../../src/reconcile/status.ts'
import { live } from '../objects.ts'

const at = '2026-01-01T00:00:00Z'
const later = '2026-01-01T00:05:00Z'
const statusAfter = (outcome: Outcome, extra: Partial<Parameters<typeof nextStatus>[0]> = {}) =>
  nextStatus({ previous: undefined, report: undefined, outcome, generation: 3, now: at, ...extra })
const settled: Outcome = { kind: 'settled' }
const waiting = (on: string): Outcome => ({ kind: 'waiting', on })

describe('conditions', () => {
  it.each<{ outcome: Outcome; expected: Record<string, string> }>([
    { outcome: settled, expected: { Ready: 'True', Progressing: 'False', Degraded: 'False' } },
    {
      outcome: waiting('pods'),
      expected: { Ready: 'False', Progressing: 'True', Degraded: 'False', Reconciling: 'True' },
    },
    {
      outcome: { kind: 'retry', reason: 'Timeout', message: 'm' },
      expected: { Ready: 'False', Progressing: 'True', Degraded: 'True', Reconciling: 'True' },
    },
    {
      outcome: { kind: 'stopped', reason: 'InvalidSpec', message: 'm' },
      expected: { Ready: 'False', Progressing: 'False', Degraded: 'True', Stalled: 'True' },
    },
    { outcome: { kind: 'deleting', on: 'pods' }, expected: { Ready: 'False', Progressing: 'True', Degraded: 'False' } },
  ])('after $outcome.kind are exactly $expected', ({ outcome, expected }) => {
    const conditions = statusAfter(outcome).conditions ?? []
    expect(Object.fromEntries(conditions.map(({ type, status }) => [type, status]))).toEqual(expected)
    expect(conditions.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true)
  })

  it('are never longer than 1,024 characters', () => {
    const messages = (statusAfter(waiting('a'.repeat(40_000))).conditions ?? []).map(({ message }) => message)
    expect(Math.max(...messages.map(({ length }) => length))).toBe(1_024)
    expect(messages.some((message) => message.endsWith('a…'))).toBe(true)
  })

  it('change lastTransitionTime only with the status', () => {
    const first = statusAfter(waiting('pods'))
    const same = statusAfter(waiting('one pod'), { previous: first, now: later })
    const flipped = statusAfter(settled, { previous: same, now: later })
    expect(findCondition(same.conditions, 'Ready')).toMatchObject({ lastTransitionTime: at, message: 'one pod' })
    expect(findCondition(flipped.conditions, 'Ready')).toMatchObject({ lastTransitionTime: later, status: 'True' })
    expect(findCondition(flipped.conditions, 'Degraded')).toMatchObject({ lastTransitionTime: at })
  })

  it('from the kind override those of the runtime', () => {
    const claim = { type: 'Ready', status: 'False', reason: 'ImagePullFailed', message: 'no such image' } as const
    const status = statusAfter(waiting('pods'), { report: { fields: {}, conditions: [claim] } })
    expect(findCondition(status.conditions, 'Ready')).toMatchObject(claim)
    expect(status.conditions?.filter(({ type }) => type === 'Ready')).toHaveLength(1)
  })

  it.each<Outcome>([settled, waiting('pods'), { kind: 'retry', reason: 'Timeout', message: 'm' }])(
    'are never Reconciling and Stalled at once: a kind claims Stalled after %j',
    (outcome) => {
      const claim = { type: 'Stalled', status: 'True', reason: 'NotAllowed', message: 'no consent' } as const
      const { conditions } = statusAfter(outcome, { report: { fields: {}, conditions: [claim] } })
      expect(findCondition(conditions, 'Stalled')).toMatchObject(claim)
      expect(findCondition(conditions, 'Reconciling')).toBeUndefined()
      expect(findCondition(conditions, 'Progressing')).toMatchObject({ status: 'False', reason: 'Stalled' })
    },
  )

  it('property: merging the same claims again changes nothing, at any time', () => {
    const claims = fc.array(
      fc.record({
        type: fc.constantFrom('A', 'B', 'C'),
        status: fc.constantFrom('True', 'False', 'Unknown'),
        reason: fc.string(),
        message: fc.string(),
      }),
    )
    fc.assert(
      fc.property(claims, (given) => {
        const once = mergeConditions({ previous: [], claims: given as never, observedGeneration: 1, now: at })
        expect(mergeConditions({ previous: once, claims: given as never, observedGeneration: 1, now: later })).toEqual(
          once,
        )
      }),
    )
  })
})

describe('the next status', () => {
  it('drops a field that is no longer reported', () => {
    const previous = { ...statusAfter(settled), readyReplicas: 3 }
    expect(statusAfter(settled, { previous, report: { fields: {}, conditions: [] } })).not.toHaveProperty(
      'readyReplicas',
    )
  })

  it('keeps the kind’s fields when its function returned none', () => {
    const previous = { ...statusAfter(settled), readyReplicas: 3 }
    expect(statusAfter(waiting('x'), { previous })).toHaveProperty('readyReplicas', 3)
  })
})

describe('a status write', () => {
  const ready = statusAfter(settled)
  const twoOfThree = { ...statusAfter(waiting('2 of 3')), readyReplicas: 2 }
  const oneOfThree = { ...statusAfter(waiting('1 of 3')), readyReplicas: 1 }
  const write = (previous: object | undefined, next: object, sinceMs: number | undefined, isUnderWay = true) =>
    statusWrite({
      previous,
      next,
      isUnderWay,
      writtenAtMs: sinceMs === undefined ? undefined : 1_000_000 - sinceMs,
      nowMs: 1_000_000,
    })

  it.each([
    { title: 'is none when nothing differs', previous: ready, next: ready, sinceMs: 0, kind: 'none' },
    {
      title: 'is immediate when there was none',
      previous: undefined,
      next: oneOfThree,
      sinceMs: undefined,
      kind: 'now',
    },
    { title: 'is immediate when a condition flips', previous: twoOfThree, next: ready, sinceMs: 0, kind: 'now' },
    {
      title: 'is immediate when the resource is ready, whatever changed',
      previous: ready,
      next: { ...ready, readyReplicas: 5 },
      sinceMs: 0,
      isUnderWay: false,
      kind: 'now',
    },
    {
      title: 'is immediate for a new generation',
      previous: oneOfThree,
      next: { ...oneOfThree, observedGeneration: 4 },
      sinceMs: 0,
      kind: 'now',
    },
    { title: 'of progress waits for its turn', previous: oneOfThree, next: twoOfThree, sinceMs: 10_000, kind: 'later' },
    {
      title: 'of progress goes out when it is due',
      previous: oneOfThree,
      next: twoOfThree,
      sinceMs: progressIntervalMs,
      kind: 'now',
    },
    {
      title: 'of progress goes out after a restart',
      previous: oneOfThree,
      next: twoOfThree,
      sinceMs: undefined,
      kind: 'now',
    },
  ])('$title', ({ previous, next, sinceMs, isUnderWay, kind }) => {
    expect(write(previous, next, sinceMs, isUnderWay).kind).toBe(kind)
  })

  it('with new counts alone joins the next write, or follows after two minutes', () => {
    const counted = { ...oneOfThree, updatedReplicas: 2 }
    expect(write(oneOfThree, counted, progressIntervalMs)).toEqual({
      kind: 'later',
      afterMs: countsIntervalMs - progressIntervalMs,
    })
    expect(write(oneOfThree, counted, countsIntervalMs).kind).toBe('now')
  })

  it('is immediate when Ready=False has a new reason', () => {
    const claim = { type: 'Ready', status: 'False', reason: 'ImagePullFailed', message: 'no such image' } as const
    const pull = statusAfter(waiting('1 of 3'), { previous: oneOfThree, report: { fields: {}, conditions: [claim] } })
    expect(write(oneOfThree, pull, 0).kind).toBe('now')
  })

  it('returns the time until a deferred write is due', () => {
    expect(write(oneOfThree, twoOfThree, 10_000)).toEqual({ kind: 'later', afterMs: progressIntervalMs - 10_000 })
  })
})

describe('an outcome', () => {
  const inNamespace = (namespace: string) => ({ apiVersion: 'v1', kind: 'Service', namespace, name: 's' })
  const child = (kind: 'ready' | 'progressing', name = 'a') => ({
    object: live({ metadata: { name } }),
    readiness: { kind, reason: 'R', message: 'takes time' } as const,
  })
  const failure = (remedy: 'retry' | 'stop', code: string, retryAfterMs?: number) => ({
    ref: { apiVersion: 'v1', kind: 'Service', name: 's' },
    error: new CodedError({ code, message: `${code} said`, remedy, retryAfterMs }),
  })

  it.each([
    {
      title: 'is settled when every child is ready',
      result: { children: [child('ready')], failures: [], gated: [] },
      expected: { kind: 'settled' },
    },
    {
      title: 'is waiting when a child is not',
      result: { children: [child('ready'), child('progressing', 'b')], failures: [], gated: [] },
      expected: { kind: 'waiting', on: 'ConfigMap default/b: takes time' },
    },
    {
      title: 'is waiting when a gate holds',
      result: { children: [], failures: [], gated: ['x waits for y'] },
      expected: { kind: 'waiting', on: 'x waits for y' },
    },
    {
      title: 'says once what holds several objects',
      result: { children: [], failures: [], gated: ['there is no Database crm', 'there is no Database crm', 'x'] },
      expected: { kind: 'waiting', on: 'there is no Database crm; x' },
    },
    {
      title: 'says how many children stay when a gate holds',
      result: { children: [], failures: [], gated: ['x waits for y'], pruneWaits: 1 },
      expected: { kind: 'waiting', on: 'x waits for y; 1 child that is no longer declared stays until then' },
    },
    {
      title: 'says how many children stay after a failure',
      result: { children: [], failures: [failure('stop', 'Invalid')], gated: [], pruneWaits: 2 },
      expected: { message: 'Invalid said; 2 children that are no longer declared stay until then' },
    },
    {
      title: 'is a stop when all failures are permanent',
      result: { children: [], failures: [failure('stop', 'ImmutableField')], gated: [] },
      expected: { kind: 'stopped', reason: 'ImmutableField' },
    },
    {
      title: 'is a retry when one failure may pass',
      result: { children: [], failures: [failure('stop', 'ImmutableField'), failure('retry', 'Timeout')], gated: [] },
      expected: { kind: 'retry', reason: 'Timeout', message: 'Timeout said (and 1 more)' },
    },
    {
      title: 'is a stop when the namespace of the resource is being deleted',
      result: {
        children: [],
        failures: [{ ...failure('retry', 'NamespaceTerminating'), ref: inNamespace('default') }],
        gated: [],
      },
      expected: { kind: 'stopped', reason: 'NamespaceTerminating' },
    },
    {
      title: 'is a retry when another namespace is, as nothing tells when that is back',
      result: {
        children: [],
        failures: [{ ...failure('retry', 'NamespaceTerminating'), ref: inNamespace('x') }],
        gated: [],
      },
      expected: { kind: 'retry', reason: 'NamespaceTerminating' },
    },
    {
      title: 'carries the longest wait that was asked for',
      result: {
        children: [],
        failures: [failure('retry', 'TooManyRequests', 1000), failure('retry', 'TooManyRequests', 7000)],
        gated: [],
      },
      expected: { kind: 'retry', retryAfterMs: 7000 },
    },
  ])('$title', ({ result, expected }) => {
    expect(outcomeOfTurn({ home: 'default', pruneWaits: 0, ...result })).toMatchObject(expected)
  })

  it.each([
    { thrown: new KubeError({ code: 'Conflict', message: 'm' }), expected: { kind: 'retry', reason: 'Conflict' } },
    { thrown: new KubeError({ code: 'Invalid', message: 'm' }), expected: { kind: 'retry', reason: 'Invalid' } },
    { thrown: new AssertionError('m'), expected: { kind: 'retry', reason: 'InvariantBroken' } },
    { thrown: new TypeError('x is not a function'), expected: { kind: 'retry', reason: 'InternalError' } },
    { thrown: 'a string', expected: { kind: 'retry', reason: 'InternalError', message: 'a string' } },
  ])('for a thrown $thrown is $expected.kind', ({ thrown, expected }) => {
    expect(outcomeOfError(thrown)).toMatchObject(expected)
  })

  it.each<{ outcome: Outcome; due?: Parameters<typeof verdictOf>[1]; expected: object }>([
    { outcome: settled, expected: { kind: 'settled' } },
    { outcome: settled, due: { lookMs: 60_000 }, expected: { kind: 'settled', lookAgainAfterMs: 60_000 } },
    { outcome: waiting('x'), expected: { kind: 'waiting', afterMs: 15_000 } },
    { outcome: waiting('x'), due: { statusMs: 4_000 }, expected: { kind: 'waiting', afterMs: 4_000 } },
    {
      outcome: waiting('x'),
      due: { statusMs: 29_000, lookMs: 20_000 },
      expected: { kind: 'waiting', afterMs: 15_000 },
    },
    { outcome: waiting('x'), due: { lookMs: 3_000 }, expected: { kind: 'waiting', afterMs: 3_000 } },
    { outcome: waiting('x'), due: { recheckMs: 200_000 }, expected: { kind: 'waiting', afterMs: 200_000 } },
    {
      outcome: waiting('x'),
      due: { recheckMs: 200_000, lookMs: 60_000 },
      expected: { kind: 'waiting', afterMs: 60_000 },
    },
    { outcome: waiting('x'), due: { followMs: 50 }, expected: { kind: 'waiting', afterMs: 50, isFollowUp: true } },
    { outcome: settled, due: { lookMs: 60_000, followMs: 50 }, expected: { kind: 'settled', lookAgainAfterMs: 50 } },
    { outcome: { kind: 'deleting', on: 'x' }, expected: { kind: 'waiting', afterMs: 15_000 } },
    {
      outcome: { kind: 'waiting', on: 'x', afterMs: 200 },
      expected: { kind: 'waiting', afterMs: 200, isFollowUp: true },
    },
    {
      outcome: { kind: 'deleting', on: 'x', afterMs: 200 },
      expected: { kind: 'waiting', afterMs: 200, isFollowUp: true },
    },
    {
      outcome: { kind: 'retry', reason: 'R', message: 'm', retryAfterMs: 9_000 },
      expected: { kind: 'retry', afterMs: 9_000 },
    },
    {
      outcome: { kind: 'retry', reason: 'TooManyRequests', message: 'm', retryAfterMs: 9_000 },
      expected: { kind: 'retry', notBeforeMs: 9_000 },
    },
    {
      outcome: { kind: 'retry', reason: 'Unreachable', message: 'm' },
      expected: { kind: 'retry', atMostMs: 5_000 },
    },
    { outcome: { kind: 'stopped', reason: 'R', message: 'm' }, expected: { kind: 'stopped' } },
    {
      outcome: { kind: 'stopped', reason: 'R', message: 'm' },
      due: { lookMs: 60_000 },
      expected: { kind: 'stopped', lookAgainAfterMs: 60_000 },
    },
  ])('of $outcome.kind has the verdict $expected', ({ outcome, due = {}, expected }) => {
    expect(verdictOf(outcome, due)).toEqual(expected)
  })
})
