// CronJob controller: creates Jobs at their scheduled times and deletes old Jobs. Source:
// k8s.io/kubernetes/pkg/controller/cronjob.
import { type Clock, timestampAt } from '../../../base/clock.ts'
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { parseSchedule } from '../../built-in/cron-schedule.ts'
import { isTrueAt, mapAt, optionalTextAt, structAt, structsAt, textAt, withField } from '../../built-in/field-walk.ts'
import { isTimeZone } from '../../built-in/time-zone.ts'
import { isTerminating, metadataText } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { StatusError } from '../../status-error.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { endOf, jobNameOf, referenceToJob, startedJob, surplusJobs, wordyTime } from './cron-job-parts.ts'
import {
  deadlineOf,
  dueStart,
  lastScheduleTimeOf,
  type NextTime,
  nextStartDelayMs,
  noSuchTime,
} from './cron-job-starts.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient } from './kind-client.ts'
import { controllerKeys, isControlledBy } from './membership.ts'
import { isNamespaceGoing } from './pod-maker.ts'
import { nextScheduled } from './schedule-time.ts'
import { utcOffset, type ZoneOffset, zoneOffset } from './zone-offset.ts'

/** State of one reconcile of a CronJob. The controller writes `status` at the end if it changed. */
interface JobObservation {
  readonly cronJob: JsonObject
  readonly jobs: readonly JsonObject[]
  readonly nowMs: number
  active: readonly JsonObject[]
  lastScheduleTime: string
  lastSuccessfulTime: string
}

interface Times {
  readonly next: NextTime
  readonly offset: ZoneOffset
}

export class CronJobController implements ServerController {
  readonly name = 'cronjob-controller'
  readonly #clock: Clock
  readonly #cronJobs: KindClient
  readonly #jobs: KindClient
  readonly #events: EventRecorder
  /** Cached UTC offsets by time zone name. */
  readonly #offsets = new Map<string, ZoneOffset>()
  /** Keys of CronJobs whose schedule changed: starts that the new schedule missed in the past do not run. */
  readonly #rescheduled = new Set<string>()

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#cronJobs = new KindClient(client, 'batch/v1', 'CronJob')
    this.#jobs = new KindClient(client, 'batch/v1', 'Job')
    this.#events = new EventRecorder({ client, clock, component: this.name })
  }

  keysFor(entry: LogEntry): readonly string[] {
    const { shelf, namespace, name } = entry.place
    if (shelf === 'jobs.batch') return controllerKeys(entry, 'batch/v1', 'CronJob')
    if (shelf !== 'cronjobs.batch' || entry.kind === 'deleted') return []
    const key = `${namespace}/${name}`
    if (entry.kind === 'changed' && isRescheduled(entry.before.object, entry.now.object)) this.#rescheduled.add(key)
    return [key]
  }

  reconcile(key: string): number | undefined {
    const cronJob = this.#cronJobs.at(key)
    const isRescheduled = this.#rescheduled.delete(key)
    if (cronJob === undefined) return undefined
    if (isRescheduled) return this.#untilNext(cronJob)
    const status = structAt(cronJob, 'status')
    const look: JobObservation = {
      cronJob,
      jobs: this.#jobsOf(cronJob),
      nowMs: this.#clock.now(),
      active: structsAt(status, 'active'),
      lastScheduleTime: lastScheduleTimeOf(cronJob),
      lastSuccessfulTime: textAt(status, 'lastSuccessfulTime'),
    }
    for (const job of surplusJobs(cronJob, look.jobs)) this.#delete(look, job)
    try {
      return this.#keep(look)
    } finally {
      this.#writeStatus(look)
    }
  }

  #jobsOf(cronJob: JsonObject): readonly JsonObject[] {
    return this.#jobs.controlledBy(metadataText(cronJob, 'uid'))
  }

  #untilNext(cronJob: JsonObject): number | undefined {
    const times = this.#timesOf(cronJob)
    return times === undefined ? undefined : nextStartDelayMs(cronJob, this.#clock.now(), times.next)
  }

  #keep(look: JobObservation): number | undefined {
    const { cronJob, nowMs } = look
    this.#lookAtJobs(look)
    if (isTerminating(cronJob) || !this.#isZoneKnown(cronJob)) return undefined
    if (isTrueAt(structAt(cronJob, 'spec'), 'suspend')) return undefined
    const times = this.#timesOf(cronJob)
    if (times === undefined) return undefined
    const due = dueStart(cronJob, nowMs, times.next)
    if (due === 'none') {
      const schedule = textAt(structAt(cronJob, 'spec'), 'schedule')
      this.#events.warning(cronJob, 'InvalidSchedule', `invalid schedule: ${schedule} : ${noSuchTime}`)
      return undefined
    }
    if (due.areTooMany)
      this.#events.warning(
        cronJob,
        'TooManyMissedTimes',
        'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
      )
    if (due.startMs !== undefined && this.#mayStart(look, due.startMs)) this.#start(look, due.startMs, times)
    return nextStartDelayMs(withStatus(look), nowMs, times.next)
  }

  /** Updates the status from the Jobs. */
  #lookAtJobs(look: JobObservation): void {
    const { cronJob, jobs } = look
    for (const job of jobs) {
      const [uid, name] = [metadataText(job, 'uid'), metadataText(job, 'name')]
      const isListed = look.active.some((one) => textAt(one, 'uid') === uid)
      const end = endOf(job)
      if (end === undefined) {
        const message = `Saw a job that the controller did not create or forgot: ${name}`
        if (!isListed) this.#events.warning(cronJob, 'UnexpectedJob', message)
        continue
      }
      if (isListed) {
        look.active = without(look.active, uid)
        this.#events.normal(cronJob, 'SawCompletedJob', `Saw completed job: ${name}, condition: ${end}`)
      }
      const completionTime = textAt(structAt(job, 'status'), 'completionTime')
      if (end === 'Complete' && completionTime > look.lastSuccessfulTime) look.lastSuccessfulTime = completionTime
    }
    const there = new Set(jobs.map((job) => metadataText(job, 'uid')))
    for (const { uid, name } of look.active.map((one) => ({ uid: textAt(one, 'uid'), name: textAt(one, 'name') }))) {
      if (there.has(uid) || this.#jobs.get(metadataText(cronJob, 'namespace'), name) !== undefined) continue
      this.#events.normal(cronJob, 'MissingJob', `Active job went missing: ${name}`)
      look.active = without(look.active, uid)
    }
  }

  #mayStart(look: JobObservation, startMs: number): boolean {
    const { cronJob, nowMs } = look
    const deadlineSeconds = deadlineOf(cronJob)
    if (deadlineSeconds !== undefined && startMs + deadlineSeconds * 1_000 < nowMs) {
      this.#events.warning(cronJob, 'MissSchedule', `Missed scheduled time to start a job: ${wordyTime(startMs)}`)
      return false
    }
    const name = jobNameOf(cronJob, startMs)
    const isStarted = look.active.some((one) => textAt(one, 'name') === name)
    if (isStarted || look.lastScheduleTime === timestampAt(startMs)) return false
    if (policyOf(cronJob) !== 'Forbid' || look.active.length === 0) return true
    const why = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    this.#events.normal(cronJob, 'JobAlreadyActive', why)
    return false
  }

  /** Throws StatusError. */
  #start(look: JobObservation, startMs: number, { offset }: Times): void {
    const { cronJob } = look
    const namespace = metadataText(cronJob, 'namespace')
    if (policyOf(cronJob) === 'Replace')
      for (const { name } of look.active.map((one) => ({ name: textAt(one, 'name') }))) {
        const job = this.#jobs.get(namespace, name)
        if (job !== undefined) this.#delete(look, job)
      }
    const job = this.#create(cronJob, startedJob(cronJob, { startMs, offset }))
    if (job === undefined || look.active.some((one) => textAt(one, 'uid') === metadataText(job, 'uid'))) return
    look.active = [...look.active, referenceToJob(job)]
    look.lastScheduleTime = timestampAt(startMs)
  }

  /** Returns undefined if the name belongs to a Job of another owner. Throws StatusError. */
  #create(cronJob: JsonObject, job: JsonObject): JsonObject | undefined {
    const namespace = metadataText(cronJob, 'namespace')
    const there = this.#jobs.get(namespace, metadataText(job, 'name'))
    if (there !== undefined) return isControlledBy(there, cronJob) ? there : undefined
    try {
      const created = this.#jobs.create(namespace, job)
      this.#events.normal(cronJob, 'SuccessfulCreate', `Created job ${metadataText(created, 'name')}`)
      return created
    } catch (thrown) {
      if (thrown instanceof StatusError && !isNamespaceGoing(thrown))
        this.#events.warning(cronJob, 'FailedCreate', `Error creating job: ${thrown.parts.message}`)
      throw thrown
    }
  }

  #delete(look: JobObservation, job: JsonObject): void {
    this.#jobs.delete(job, { propagationPolicy: 'Background' })
    look.active = without(look.active, metadataText(job, 'uid'))
    this.#events.normal(look.cronJob, 'SuccessfulDelete', `Deleted job ${metadataText(job, 'name')}`)
  }

  #writeStatus(look: JobObservation): void {
    const { status } = withStatus(look)
    if (deepEqual(mapAt(look.cronJob, 'status'), status ?? {})) return
    this.#cronJobs.updateStatus(look.cronJob, (live) => withField(live, 'status', status ?? {}))
  }

  #isZoneKnown(cronJob: JsonObject): boolean {
    const zone = optionalTextAt(structAt(cronJob, 'spec'), 'timeZone')
    if (zone === undefined || isTimeZone(zone)) return true
    const message = `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`
    this.#events.warning(cronJob, 'UnknownTimeZone', message)
    return false
  }

  /** Returns undefined for an invalid schedule; validation stores none. */
  #timesOf(cronJob: JsonObject): Times | undefined {
    const spec = structAt(cronJob, 'spec')
    const parsed = parseSchedule(textAt(spec, 'schedule'))
    if ('fault' in parsed) return undefined
    const zone = optionalTextAt(spec, 'timeZone') ?? ''
    const offset = this.#offsets.get(zone) ?? (isTimeZone(zone) ? zoneOffset(zone) : utcOffset)
    this.#offsets.set(zone, offset)
    return { offset, next: (afterMs) => nextScheduled(parsed.schedule, afterMs, offset) }
  }
}

function isRescheduled(before: JsonObject, now: JsonObject): boolean {
  const scheduleOf = (cronJob: JsonObject) => {
    const spec = structAt(cronJob, 'spec')
    return [textAt(spec, 'schedule'), optionalTextAt(spec, 'timeZone') ?? null]
  }
  return !deepEqual(scheduleOf(before), scheduleOf(now))
}

function policyOf(cronJob: JsonObject): string {
  return textAt(structAt(cronJob, 'spec'), 'concurrencyPolicy')
}

function without(active: readonly JsonObject[], uid: string): readonly JsonObject[] {
  return active.filter((one) => textAt(one, 'uid') !== uid)
}

function withStatus({ cronJob, active, lastScheduleTime, lastSuccessfulTime }: JobObservation): JsonObject {
  return withField(cronJob, 'status', {
    ...(active.length === 0 ? {} : { active }),
    ...(lastScheduleTime === '' ? {} : { lastScheduleTime }),
    ...(lastSuccessfulTime === '' ? {} : { lastSuccessfulTime }),
  })
}
