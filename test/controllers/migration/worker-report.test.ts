import { describe, expect, it } from 'vitest'
import { EngineError } from '../../../src/controllers/engines/engine-error.ts'
import type { MigrationOutcome } from '../../../src/controllers/migration/migration-outcome.ts'
import { exitCodeOf, reportIn, reportOf } from '../../../src/controllers/migration/worker-report.ts'
import { reportLimit, reportOfError, reportText } from '../../../src/controllers/worker/termination-message.ts'

const place = { step: 'a', part: 'sql', line: 3, column: 7 } as const
const failure = { sqlState: '23505', message: 'duplicate key' }

const outcomes: readonly (readonly [MigrationOutcome, object, number])[] = [
  [{ kind: 'Completed' }, { outcome: 'Completed' }, 0],
  [
    { kind: 'Invalid', findings: [{ code: 'ParseError', message: 'syntax error', place }] },
    { outcome: 'Invalid', reason: 'ParseError', message: 'step a, sql 3:7: syntax error' },
    2,
  ],
  [{ kind: 'Failed', step: 'a', failure }, { outcome: 'Failed', step: 'a', ...failure }, 2],
  [
    { kind: 'Failed', step: 'a', failure, reason: 'VerifyFailed' },
    { outcome: 'Failed', reason: 'VerifyFailed', step: 'a', ...failure },
    2,
  ],
  [
    { kind: 'RehearsalFailed', step: 'a', failure: { sqlState: undefined, message: 'it reads 2' } },
    { outcome: 'RehearsalFailed', step: 'a', message: 'it reads 2' },
    2,
  ],
  [
    { kind: 'Refused', reason: 'ChecksumChanged', step: 'a', message: 'reads otherwise' },
    { outcome: 'Refused', reason: 'ChecksumChanged', step: 'a', message: 'reads otherwise' },
    2,
  ],
  [
    { kind: 'AwaitingApproval', plan: 'abc' },
    { outcome: 'AwaitingApproval', message: 'the plan abc is not approved' },
    2,
  ],
  [
    { kind: 'LockedByOther', holder: 'Migration shop/other' },
    {
      outcome: 'LockedByOther',
      holder: 'Migration shop/other',
      message: 'Migration shop/other is at work on the database',
    },
    1,
  ],
]

describe('the report of a worker', () => {
  it.each(outcomes)('contains %j, and is parsed to the same', (outcome, report, exitCode) => {
    expect(reportOf(outcome)).toEqual(report)
    expect(reportIn(reportText(reportOf(outcome)))).toEqual(report)
    expect(exitCodeOf(reportOf(outcome))).toBe(exitCode)
  })

  it.each([
    ['retry', 'Interrupted', 1],
    ['stop', 'Stopped', 2],
  ] as const)('for an error with the remedy %s is %s', (remedy, outcome, exitCode) => {
    const report = reportOfError(new EngineError({ code: 'ServerUnreachable', message: 'no answer', remedy }))
    expect(report).toEqual({ outcome, reason: 'ServerUnreachable', message: 'no answer' })
    expect(exitCodeOf(report)).toBe(exitCode)
  })

  it('contains no text of an unclassified error', () => {
    const text = reportText(reportOfError(new Error('password is hunter2')))
    expect(text).not.toContain('hunter2')
    expect(reportIn(text)).toMatchObject({ outcome: 'Interrupted', reason: 'InternalError' })
  })

  it.each([['x'.repeat(10_000)], ['ü'.repeat(10_000)], ['😀'.repeat(5_000)], ['\u0000"\\\n'.repeat(3_000)]])(
    'fits into a termination message, cut between characters',
    (message) => {
      const text = reportText({ outcome: 'Failed', step: 'a', message })
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(reportLimit)
      expect(Buffer.byteLength(text)).toBeGreaterThan(reportLimit * 0.8)
      const report = reportIn(text)
      expect(report).toMatchObject({ outcome: 'Failed', step: 'a' })
      expect(report?.message?.isWellFormed()).toBe(true)
      expect(message.startsWith(report?.message?.slice(0, 100) ?? '?')).toBe(true)
    },
  )

  it.each([[undefined], [''], ['Killed'], ['{"outcome":'], ['{"outcome":"Else"}'], ['{"message":"m"}'], ['[]']])(
    'is absent from %j',
    (text) => {
      expect(reportIn(text)).toBeUndefined()
    },
  )

  it('takes only strings from text fields', () => {
    expect(reportIn('{"outcome":"Failed","step":7,"message":{"a":1},"more":"x"}')).toEqual({ outcome: 'Failed' })
  })
})
