// Parts of one start of a CronJob: the Job with its name, and the texts of its scheduled time.
// Source: k8s.io/kubernetes/pkg/controller/cronjob/utils.go, getJobFromTemplate2.
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, structAt, structIn, textAt } from '../../built-in/field-walk.ts'
import { metadataText } from '../../metadata.ts'
import { isJobFinished } from './job-plan.ts'
import { controllerReference } from './membership.ts'
import { conditionOf } from './pod-state.ts'
import type { ZoneOffset } from './zone-offset.ts'

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** Returns a name that is unique for each minute, so that no start happens twice. */
export function jobNameOf(cronJob: JsonObject, startMs: number): string {
  return `${metadataText(cronJob, 'name')}-${Math.floor(startMs / 60_000)}`
}

export function startedJob(
  cronJob: JsonObject,
  { startMs, offset }: { readonly startMs: number; readonly offset: ZoneOffset },
): JsonObject {
  const template = structIn(cronJob, 'spec', 'jobTemplate')
  const metadata = structAt(template, 'metadata')
  return {
    metadata: {
      name: jobNameOf(cronJob, startMs),
      namespace: metadataText(cronJob, 'namespace'),
      labels: mapAt(metadata, 'labels'),
      annotations: { ...mapAt(metadata, 'annotations'), [scheduledAnnotation]: zonedTime(startMs, offset) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: mapAt(template, 'spec'),
  }
}

/** Returns an RFC 3339 text in the time zone. */
function zonedTime(ms: number, offset: ZoneOffset): string {
  const minutes = Math.trunc(offset(ms) / 60_000)
  const shown = new Date(ms + offset(ms)).toISOString().slice(0, 19)
  if (minutes === 0) return `${shown}Z`
  const twoDigits = (value: number) => String(Math.trunc(value)).padStart(2, '0')
  return `${shown}${minutes < 0 ? '-' : '+'}${twoDigits(Math.abs(minutes) / 60)}:${twoDigits(Math.abs(minutes) % 60)}`
}

/** Returns an RFC 1123 text with a numeric zone. */
export function wordyTime(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000')
}

export function referenceToJob(job: JsonObject): JsonObject {
  return {
    ...{ kind: 'Job', apiVersion: 'batch/v1' },
    ...{ namespace: metadataText(job, 'namespace'), name: metadataText(job, 'name') },
    ...{ uid: metadataText(job, 'uid'), resourceVersion: metadataText(job, 'resourceVersion') },
  }
}

/** Returns the finished Jobs above the history limits, by start time. */
export function surplusJobs(cronJob: JsonObject, jobs: readonly JsonObject[]): readonly JsonObject[] {
  const spec = mapAt(cronJob, 'spec')
  const ended = (type: string) => jobs.filter((job) => endOf(job) === type)
  return [
    ...oldest(ended('Complete'), integerAt(spec, 'successfulJobsHistoryLimit')),
    ...oldest(ended('Failed'), integerAt(spec, 'failedJobsHistoryLimit')),
  ]
}

/** Returns `Complete` or `Failed`; undefined for a running Job. */
export function endOf(job: JsonObject): 'Complete' | 'Failed' | undefined {
  if (!isJobFinished(job)) return undefined
  return textAt(conditionOf(job, 'Complete'), 'status') === 'True' ? 'Complete' : 'Failed'
}

function oldest(jobs: readonly JsonObject[], kept: number): readonly JsonObject[] {
  // A Job without a start time sorts last.
  const startOf = (job: JsonObject) =>
    `${textAt(structAt(job, 'status'), 'startTime') || '~'} ${metadataText(job, 'name')}`
  const inOrder = [...jobs].sort((left, right) => (startOf(left) < startOf(right) ? -1 : 1))
  return inOrder.slice(0, Math.max(0, jobs.length - kept))
}
