import { describe, expect, it } from 'vitest'
import type { WorkerReport } from '../../../src/controllers/migration/worker-report.ts'
import { isFinal, workerRun } from '../../../src/controllers/migration/worker-run.ts'
import { reportText } from '../../../src/controllers/worker/termination-message.ts'
import type { LiveObject } from '../../../src/index.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString()
const msAt = (seconds: number) => Date.parse(at(seconds))

function object(kind: string, status: object): LiveObject {
  const metadata = { name: 'x', namespace: 'shop', uid: 'u', resourceVersion: '1' }
  return { apiVersion: 'v1', kind, metadata, status } as LiveObject // The server returns this form.
}

const job = (type?: 'Complete' | 'Failed') =>
  object('Job', {
    conditions:
      type === undefined ? [] : [{ type, status: 'True', reason: 'Why', message: 'm', lastTransitionTime: at(90) }],
  })

const pod = (message: string | undefined, seconds: number) =>
  object('Pod', { containerStatuses: [{ state: { terminated: { message, finishedAt: at(seconds) } } }] })

const waiting = (reason: string) =>
  object('Pod', { containerStatuses: [{ image: 'k:1', state: { waiting: { reason, message: 'no such' } } }] })

const said = (report: WorkerReport, seconds: number) => pod(reportText(report), seconds)
const failed: WorkerReport = { outcome: 'Failed', step: 'a', message: 'm' }
const locked: WorkerReport = { outcome: 'LockedByOther', holder: 'h', message: 'm' }

describe('the run of a worker', () => {
  it.each([
    ['none without a Job', undefined, [said(failed, 1)], { kind: 'none' }],
    ['active with nothing said', job(), [], { kind: 'active', last: undefined }],
    ['active between two tries', job(), [said(locked, 5)], { kind: 'active', last: locked }],
    ['active after one that was killed', job(), [pod('Killed', 5)], { kind: 'active', last: undefined }],
    [
      'active, and held, while its next try has no image',
      job(),
      [said(locked, 5), waiting('ImagePullBackOff')],
      {
        kind: 'active',
        last: { outcome: 'Interrupted', reason: 'ImagePullFailed', message: 'pod x cannot get image k:1: no such' },
      },
    ],
    ['active while that only begins', job(), [waiting('ContainerCreating')], { kind: 'active', last: undefined }],
    ['ended by a word that is final', job(), [said(failed, 5)], { kind: 'ended', report: failed, endedAtMs: msAt(5) }],
    [
      'told by who spoke last',
      job(),
      [said(failed, 9), said(locked, 5)],
      { kind: 'ended', report: failed, endedAtMs: msAt(9) },
    ],
    [
      'done when its Job is, whatever was said before',
      job('Complete'),
      [said(locked, 5)],
      { kind: 'ended', report: { outcome: 'Completed' }, endedAtMs: msAt(90) },
    ],
    [
      'over when its Job has failed',
      job('Failed'),
      [said(locked, 5)],
      { kind: 'ended', report: locked, endedAtMs: msAt(90) },
    ],
    [
      'over when its Job has failed and nobody knows why',
      job('Failed'),
      [],
      {
        kind: 'ended',
        report: { outcome: 'Interrupted', reason: 'Why', message: "the worker's Job failed: m" },
        endedAtMs: msAt(90),
      },
    ],
  ])('is %s', (_, found, pods, run) => {
    expect(workerRun(found, pods, msAt(100))).toEqual(run)
  })

  it('has ended permanently unless a retry may help', () => {
    const final = (outcome: WorkerReport['outcome']) => isFinal({ outcome })
    expect(['Completed', 'Failed', 'Refused', 'Invalid'].every((outcome) => final(outcome as 'Failed'))).toBe(true)
    expect([final('Interrupted'), final('Stopped'), final('LockedByOther')]).toEqual([false, false, false])
  })
})
