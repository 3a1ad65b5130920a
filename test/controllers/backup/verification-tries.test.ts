// Retries of a verification. Invariant: it is retried only when a retry may succeed.
import { describe, expect, it } from 'vitest'
import type { DesiredWork } from '../../../src/controllers/backup/desired-work.ts'
import { verificationTry } from '../../../src/controllers/backup/verification-tries.ts'
import type { WorkRun } from '../../../src/controllers/backup/work-run.ts'

const first: DesiredWork = {
  name: 'once-verify-1',
  work: 'verify',
  text: '',
  digest: '',
  credentials: [],
  scratchLimit: '1Gi',
  deadlineSeconds: 60,
}
const minuteMs = 60_000
const endedAtMs = 1_000 * minuteMs
const failed = (outcome: 'Interrupted' | 'Stopped'): WorkRun => ({ kind: 'failed', report: { outcome }, endedAtMs })

/** Minutes are counted from the end of the newest try. */
function tryAt(runs: Readonly<Record<string, WorkRun>>, minutes: number) {
  const { wish, run, againAtMs } = verificationTry(
    first,
    (job) => runs[job] ?? { kind: 'none' },
    endedAtMs + minutes * minuteMs,
  )
  return [wish.name, run.kind, ...(againAtMs === undefined ? [] : [(againAtMs - endedAtMs) / minuteMs])]
}

describe('a verification', () => {
  it.each([
    ['has its first try', {}, 0, ['once-verify-1', 'none']],
    ['is at it', { 'once-verify-1': { kind: 'active', last: undefined } }, 0, ['once-verify-1', 'active']],
    ['waits a minute for its second', { 'once-verify-1': failed('Interrupted') }, 0.9, ['once-verify-1', 'failed', 1]],
    ['has its second', { 'once-verify-1': failed('Interrupted') }, 1, ['once-verify-1-1', 'none']],
    ['waits longer for its third', { 'once-verify-1-1': failed('Interrupted') }, 3, ['once-verify-1-1', 'failed', 4]],
    [
      'goes by its newest',
      { 'once-verify-1': failed('Interrupted'), 'once-verify-1-1': { kind: 'active', last: undefined } },
      9,
      ['once-verify-1-1', 'active'],
    ],
    [
      'waits no longer by a clock that was ahead',
      { 'once-verify-1': failed('Interrupted') },
      -2,
      ['once-verify-1-1', 'none'],
    ],
    ['is over after its sixth', { 'once-verify-1-5': failed('Interrupted') }, 999, ['once-verify-1-5', 'failed']],
    ['is over where something is wrong', { 'once-verify-1': failed('Stopped') }, 999, ['once-verify-1', 'failed']],
  ] as const)('%s', (_, runs, minutes, standing) => {
    expect(tryAt(runs, minutes)).toEqual(standing)
  })
})
