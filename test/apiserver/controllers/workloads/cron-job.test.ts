import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KindClient } from '../../../../src/apiserver/controllers/workloads/kind-client.ts'
import type { JsonObject } from '../../../../src/base/json.ts'
import { at, type ClusterStage, clusterStage, namespace } from './cluster-stage.ts'

let stage: ClusterStage
let cronJobs: KindClient
let jobs: KindClient
/** Start time of the clock. */
let beginMs: number

const minuteMs = 60_000

beforeEach(() => {
  stage = clusterStage()
  cronJobs = stage.kind('batch/v1', 'CronJob')
  jobs = stage.kind('batch/v1', 'Job')
  beginMs = stage.clock.now()
})

afterEach(() => stage.cluster.stop())

describe('a CronJob', () => {
  it('starts a job at each scheduled time, and reports running and finished jobs', async () => {
    create({ schedule: '*/5 * * * *' }, '1m')
    await untilMinute(5)
    const [job] = jobs.list(namespace)
    const start = startOf(5)
    expect(at(job, 'metadata')).toMatchObject({
      name: `tick-${start / minuteMs}`,
      labels: { app: 'tick' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': timeOf(start) },
      ownerReferences: [{ kind: 'CronJob', name: 'tick', controller: true, blockOwnerDeletion: true }],
    })
    expect(at(cronJob(), 'status')).toEqual({
      active: [
        {
          ...{ kind: 'Job', apiVersion: 'batch/v1', namespace, name: `tick-${start / minuteMs}` },
          ...{ uid: at(job, 'metadata', 'uid'), resourceVersion: expect.any(String) },
        },
      ],
      lastScheduleTime: timeOf(start),
    })
    await untilMinute(7)
    const completionTime = at(jobs.list(namespace)[0], 'status', 'completionTime')
    expect(at(cronJob(), 'status')).toEqual({ lastScheduleTime: timeOf(start), lastSuccessfulTime: completionTime })
    expect(stage.eventsOf('tick')).toEqual([
      `SuccessfulCreate: Created job tick-${start / minuteMs}`,
      `SawCompletedJob: Saw completed job: tick-${start / minuteMs}, condition: Complete`,
    ])
  })

  it('follows the clock of its time zone', async () => {
    // 03:30 in Kathmandu is 21:45 of UTC.
    create({ schedule: '30 3 * * *', timeZone: 'Asia/Kathmandu' }, '1m')
    await stage.clock.advance(24 * 60 * minuteMs)
    const annotations = jobs.list(namespace).map((job) => at(job, 'metadata', 'annotations'))
    const zoned = expect.stringMatching(/T03:30:00\+05:45$/)
    expect(annotations).toEqual([{ 'batch.kubernetes.io/cronjob-scheduled-timestamp': zoned }])
  })

  it.each<{ policy: string; names: readonly number[]; event: string }>([
    { policy: 'Allow', names: [1, 2, 3], event: 'SuccessfulCreate: Created job' },
    {
      ...{ policy: 'Forbid', names: [1] },
      event: 'JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
    },
    { policy: 'Replace', names: [3], event: 'SuccessfulCreate: Created job' },
  ])('with the policy $policy runs jobs concurrently or not', async ({ policy, names, event }) => {
    create({ schedule: '* * * * *', concurrencyPolicy: policy }, '1h')
    await untilMinute(3)
    expect(jobs.list(namespace).map((job) => at(job, 'metadata', 'name'))).toEqual(
      names.map((minute) => `tick-${startOf(minute) / minuteMs}`),
    )
    expect((at(cronJob(), 'status', 'active') as JsonObject[]).length).toBe(names.length)
    expect(stage.eventsOf('tick').at(-1)).toContain(event)
  })

  it('keeps the last of its finished jobs', async () => {
    create({ schedule: '* * * * *', successfulJobsHistoryLimit: 2 }, '1s')
    await untilMinute(5)
    await stage.clock.advance(30_000)
    expect(jobs.list(namespace).map((job) => at(job, 'metadata', 'name'))).toEqual(
      [4, 5].map((minute) => `tick-${startOf(minute) / minuteMs}`),
    )
    expect(stage.eventsOf('tick')).toContain(`SuccessfulDelete: Deleted job tick-${startOf(1) / minuteMs}`)
  })

  it('starts nothing while suspended, and then runs only the newest missed time', async () => {
    create({ schedule: '* * * * *', suspend: true }, '1h')
    await untilMinute(200)
    expect(jobs.list(namespace)).toEqual([])
    change({ suspend: false })
    await stage.settle()
    expect(at(jobs.list(namespace)[0], 'metadata', 'name')).toBe(`tick-${startOf(200) / minuteMs}`)
    expect(stage.eventsOf('tick')[0]).toBe(
      'TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    )
  })

  it('starts no job after its starting deadline', async () => {
    create({ schedule: '0 * * * *', suspend: true, startingDeadlineSeconds: 60 }, '1h')
    await stage.clock.advance(startOf(0) + 65 * minuteMs - beginMs)
    change({ suspend: false })
    await stage.settle()
    expect(jobs.list(namespace)).toEqual([])
    await stage.clock.advance(56 * minuteMs)
    expect(jobs.list(namespace)).toHaveLength(1)
  })

  it('ignores missed times of a previous schedule', async () => {
    create({ schedule: '0 0 1 1 *' }, '1h')
    await untilMinute(3)
    change({ schedule: '* * * * *' })
    await stage.settle()
    expect(jobs.list(namespace)).toEqual([])
    await stage.clock.advance(minuteMs)
    expect(at(jobs.list(namespace)[0], 'metadata', 'name')).toBe(`tick-${startOf(4) / minuteMs}`)
  })

  it('reports a schedule whose day never occurs', async () => {
    create({ schedule: '59 23 31 2 *' }, '1h')
    await stage.settle()
    expect(stage.eventsOf('tick')).toEqual([
      'InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second',
    ])
  })

  it('reports a deleted job, and warns of a job that it did not create', async () => {
    create({ schedule: '* * * * *', concurrencyPolicy: 'Forbid' }, '1h')
    await untilMinute(1)
    const [first = {}] = jobs.list(namespace)
    jobs.delete(first, { propagationPolicy: 'Background' })
    await stage.settle()
    const name = String(at(first, 'metadata', 'name'))
    expect(stage.eventsOf('tick').at(-1)).toBe(`MissingJob: Active job went missing: ${name}`)
    const { ownerReferences } = first['metadata'] as JsonObject
    const spec = at(cronJob(), 'spec', 'jobTemplate', 'spec') ?? {}
    jobs.create(namespace, { metadata: { name: 'other', namespace, ownerReferences: ownerReferences ?? [] }, spec })
    await stage.settle()
    const warning = 'UnexpectedJob: Saw a job that the controller did not create or forgot: other'
    expect(stage.eventsOf('tick').at(-1)).toBe(warning)
  })
})

/** Creates a CronJob whose pods succeed after `runs`. */
function create(spec: JsonObject, runs: string): void {
  const annotations = { 'konverge.dev/ready-after': runs }
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work:1' }] },
  }
  const jobTemplate = { metadata: { labels: { app: 'tick' } }, spec: { template } }
  cronJobs.create(namespace, { metadata: { name: 'tick', namespace }, spec: { jobTemplate, ...spec } })
}

function change(spec: JsonObject): void {
  cronJobs.update(cronJob(), (live) => ({ ...live, spec: { ...(live['spec'] as JsonObject), ...spec } }))
}

function cronJob(): JsonObject {
  return cronJobs.get(namespace, 'tick') ?? {}
}

/** Returns the start of a minute, counted from the last whole hour. */
function startOf(minute: number): number {
  return Math.floor(beginMs / (60 * minuteMs)) * 60 * minuteMs + minute * minuteMs
}

function untilMinute(minute: number): Promise<void> {
  return stage.clock.advance(startOf(minute) + 200 - stage.clock.now())
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}
