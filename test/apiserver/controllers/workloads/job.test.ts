import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KindClient } from '../../../../src/apiserver/controllers/workloads/kind-client.ts'
import type { JsonObject } from '../../../../src/base/json.ts'
import { at, type ClusterStage, clusterStage, namespace, template } from './cluster-stage.ts'

let stage: ClusterStage
let jobs: KindClient
let pods: KindClient

beforeEach(() => {
  stage = clusterStage()
  jobs = stage.kind('batch/v1', 'Job')
  pods = stage.kind('v1', 'Pod')
})

afterEach(() => stage.cluster.stop())

describe('a Job', () => {
  it('runs its completions with limited parallelism, and reports completion', async () => {
    create({ completions: 3, parallelism: 2 }, '1s')
    await stage.settle()
    expect(stage.podNames()).toHaveLength(2)
    expect(at(job(), 'status')).toMatchObject({ active: 2, ready: 0, terminating: 0 })
    await stage.clock.advance(10_000)
    expect(at(job(), 'status')).toMatchObject({
      ...{ succeeded: 3, completionTime: expect.any(String) },
      conditions: [
        { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached' },
        { type: 'Complete', status: 'True', reason: 'CompletionsReached' },
      ],
    })
    expect(pods.list(namespace).every((pod) => at(pod, 'metadata', 'finalizers') === undefined)).toBe(true)
    expect(stage.eventsOf('work').at(-1)).toBe('Completed: Job completed')
  })

  it('runs one pod for each index', async () => {
    create({ completions: 3, parallelism: 3, completionMode: 'Indexed' })
    await stage.settle()
    expect(stage.podNames().map((name) => name.slice(0, 7))).toEqual(['work-0-', 'work-1-', 'work-2-'])
    const [pod] = pods.list(namespace)
    expect(at(pod, 'spec', 'hostname')).toBe('work-0')
    expect(at(pod, 'metadata', 'annotations', 'batch.kubernetes.io/job-completion-index')).toBe('0')
    expect(at(job(), 'status', 'completedIndexes')).toBe('0-2')
  })

  it('retries with growing backoff, and fails at its backoff limit', async () => {
    create({ backoffLimit: 1 }, '1h')
    await stage.settle()
    fail()
    await stage.clock.advance(9_000)
    expect(stage.podNames()).toHaveLength(1)
    expect(at(job(), 'status', 'failed')).toBe(1)
    await stage.clock.advance(2_000)
    expect(stage.podNames()).toHaveLength(2)
    fail()
    await stage.settle()
    expect(at(job(), 'status')).toMatchObject({
      failed: 2,
      conditions: [
        { type: 'FailureTarget', reason: 'BackoffLimitExceeded' },
        { type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' },
      ],
    })
  })

  it('deletes its pods after its active deadline', async () => {
    create({ activeDeadlineSeconds: 5 }, '1h')
    await stage.clock.advance(6_000)
    expect(stage.podNames()).toEqual([])
    expect(at(job(), 'status', 'conditions', 1)).toMatchObject({ type: 'Failed', reason: 'DeadlineExceeded' })
  })

  it('runs no pod while it is suspended', async () => {
    create({ suspend: true }, '1h')
    await stage.settle()
    expect(stage.podNames()).toEqual([])
    expect(at(job(), 'status', 'conditions', 0)).toMatchObject({ type: 'Suspended', status: 'True' })
    jobs.update(job(), (live) => ({ ...live, spec: { ...(live['spec'] as JsonObject), suspend: false } }))
    await stage.settle()
    expect(stage.podNames()).toHaveLength(1)
    expect(at(job(), 'status', 'conditions', 0)).toMatchObject({ type: 'Suspended', status: 'False' })
  })

  it('is deleted with its pods after its TTL', async () => {
    create({ ttlSecondsAfterFinished: 10 })
    await stage.clock.advance(9_000)
    expect(jobs.list(namespace)).toHaveLength(1)
    await stage.clock.advance(3_000)
    expect(jobs.list(namespace)).toEqual([])
    expect(stage.podNames()).toEqual([])
  })

  it('creates no pod for an unsupported policy, and reports it', async () => {
    const onExitCodes = { operator: 'In', values: [1] }
    create({ podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }] } })
    await stage.settle()
    expect(stage.podNames()).toEqual([])
    expect(stage.eventsOf('work')[0]).toMatch(/^NotServed: spec\.podFailurePolicy/)
  })
})

function create(spec: JsonObject, readyAfter?: string): void {
  const made = template('work', 'work:1', { restartPolicy: 'Never' })
  const annotations = readyAfter === undefined ? {} : { 'konverge.dev/ready-after': readyAfter }
  const metadata = { ...(made['metadata'] as JsonObject), annotations }
  jobs.create(namespace, { metadata: { name: 'work', namespace }, spec: { ...spec, template: { ...made, metadata } } })
}

function job(): JsonObject {
  return jobs.get(namespace, 'work') ?? {}
}

/** Makes every running pod fail. */
function fail(): void {
  for (const pod of pods.list(namespace))
    if (at(pod, 'status', 'phase') === 'Running')
      pods.updateStatus(pod, (live) => ({ ...live, status: { ...(live['status'] as JsonObject), phase: 'Failed' } }))
}
