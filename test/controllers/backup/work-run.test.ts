// State of a worker that reports nothing itself, from its Job, its pod and its node.
import { describe, expect, it } from 'vitest'
import { workRun } from '../../../src/controllers/backup/work-run.ts'
import { reportText } from '../../../src/controllers/worker/termination-message.ts'
import type { LiveObject } from '../../../src/index.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString()
const msAt = (seconds: number) => Date.parse(at(seconds))

function object(name: string, status: object, spec: object = {}): LiveObject {
  const metadata = { name, namespace: 'shop', uid: name, resourceVersion: '1' }
  return { apiVersion: 'v1', kind: 'Any', metadata, spec, status } as LiveObject // The server returns this form.
}

const job = (status: object, spec: object = {}) => object('once-make', status, spec)
const over = (reason: string) => ({
  conditions: [{ type: 'Failed', status: 'True', reason, message: 'm', lastTransitionTime: at(3_600) }],
})

const unmade =
  'no pod of Job once-make could be made; its events say who refuses it, such as a quota or a policy (kubectl describe job once-make)'
const held = { kind: 'active', last: { outcome: 'Interrupted', reason: 'FailedCreate', message: unmade } }
const atIt = { kind: 'active', last: undefined }

describe('a worker without a pod', () => {
  it.each([
    ['is told of after two minutes', { startTime: at(0) }, 120, held],
    ['and not before', { startTime: at(0) }, 119, atIt],
    ['also when nothing counts as nothing', { startTime: at(0), active: 0, failed: 0, terminating: 0 }, 120, held],
    ['is none where the Job has not begun', {}, 3_600, atIt],
    ['is at it where the Job says so, though its pod is not seen yet', { startTime: at(0), active: 1 }, 120, atIt],
    ['is between two tries where one has failed', { startTime: at(0), failed: 1 }, 120, atIt],
    ['is on its way out where its pod is', { startTime: at(0), terminating: 1 }, 120, atIt],
  ])('%s', (_what, status, seconds, run) => {
    expect(workRun(job(status), [], { nowMs: msAt(seconds) })).toEqual(run)
  })

  it('is absent when the Job is suspended', () => {
    expect(workRun(job({ startTime: at(0) }, { suspend: true }), [], { nowMs: msAt(120) })).toEqual(atIt)
  })

  it('is still reported when its deadline has passed', () => {
    const late = job({ startTime: at(0), ...over('DeadlineExceeded') })
    expect(workRun(late, [], { nowMs: msAt(3_600), limit: 'spec.deadline' })).toEqual({
      kind: 'failed',
      report: {
        outcome: 'Stopped',
        reason: 'DeadlineExceeded',
        message: `it took longer than spec.deadline; ${unmade}`,
      },
      endedAtMs: msAt(3_600),
    })
  })
})

const ended = (name: string, seconds: number, terminated: object, status: object = {}) =>
  object(
    name,
    {
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { finishedAt: at(seconds), ...terminated } } }],
      ...status,
    },
    { containers: [{ resources: { limits: { memory: '512Mi' } } }] },
  )
const killed = ended('second', 20, { reason: 'OOMKilled', exitCode: 137 })
const outOfMemory = {
  outcome: 'Interrupted',
  reason: 'OOMKilled',
  message: 'pod second was killed as it had no memory left (its limit is 512Mi)',
}
const evicted = object('third', { phase: 'Failed', reason: 'Evicted', message: 'low on memory', startTime: at(30) })
const wentAway = {
  outcome: 'Interrupted',
  reason: 'Evicted',
  message: 'pod third was ended by its node: low on memory',
}
const spoke = { outcome: 'Interrupted', reason: 'StoreUnavailable', message: 'm' } as const
const first = ended('first', 10, { message: reportText(spoke), exitCode: 1 })

describe('a worker that could not report', () => {
  it.each([
    ['was out of memory', [first, killed], outOfMemory],
    ['had to leave its node', [killed, evicted], wentAway],
    ['died, and nobody knows of what', [ended('x', 5, { reason: 'Error', exitCode: 137 })], undefined],
  ])('%s', (_what, pods, last) => {
    expect(workRun(job({ startTime: at(0), failed: 2 }), pods, { nowMs: msAt(120) })).toEqual({ kind: 'active', last })
  })

  it('is described by its own report when one exists', () => {
    const leaving = ended('first', 10, { message: reportText(spoke) }, { reason: 'Evicted' })
    expect(workRun(job({ failed: 1 }), [leaving], { nowMs: msAt(120) })).toEqual({ kind: 'active', last: spoke })
  })

  it('may have a successor although its Job creates no more pods', () => {
    const found = workRun(job({ failed: 7, ...over('BackoffLimitExceeded') }), [first, killed], { nowMs: msAt(3_600) })
    expect(found).toEqual({ kind: 'failed', report: outOfMemory, endedAtMs: msAt(3_600) })
  })
})
