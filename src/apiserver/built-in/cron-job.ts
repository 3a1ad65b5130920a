// Kind CronJob: a schedule and a template of Jobs.
// Sources: k8s.io/kubernetes/pkg/apis/batch/{v1/defaults.go,validation}, pkg/registry/batch/cronjob/strategy.go.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { byteLength, dnsSubdomainName } from '../name-rules.ts'
import { nonNegatives } from './count-rules.ts'
import { scheduleFault } from './cron-schedule.ts'
import {
  type FieldErrors,
  isTrueAt,
  mapAt,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  structIn,
  textAt,
  withDefaults,
  withEmbedded,
  withField,
} from './field-walk.ts'
import { jobSpecWarnings, withJobTemplateDefaults } from './job.ts'
import { jobSpecErrors } from './job-spec.ts'
import {
  asNew,
  changedMetadataErrors,
  isGenerationChanged,
  type KindRules,
  keepStatus,
  newMetadataErrors,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'
import { shownSelector } from './label-selector.ts'
import { podNameWarnings } from './replica-set.ts'
import { isTimeZone, timeZoneErrors } from './time-zone.ts'

/** A Job's name adds eleven characters and has at most 63. */
const maxNameBytes = 52
const jobPath = 'spec.jobTemplate.spec'

export const cronJobRules: KindRules = {
  ...usualRules,
  setDefaults: (object) => withEmbedded(object, 'spec', specDefaults),
  prepareForCreate: (object) => asNew(object, {}),
  prepareForUpdate: keepStatus,
  validateCreate: (object) => {
    const name = textAt(structAt(object, 'metadata'), 'name')
    return [
      ...newMetadataErrors(object, dnsSubdomainName),
      ...specErrors(mapAt(object, 'spec'), undefined),
      ...(byteLength(name) > maxNameBytes
        ? [invalid('metadata.name', name, `must be no more than ${maxNameBytes} characters`)]
        : noErrors),
    ]
  },
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...specErrors(mapAt(object, 'spec'), mapAt(old, 'spec')),
  ],
  warningsOnCreate: (object) => [...podNameWarnings(object), ...jobSpecWarnings(jobSpecOf(object), jobPath, undefined)],
  warningsOnUpdate: (object, old) => [
    ...(isGenerationChanged(object, old) ? jobSpecWarnings(jobSpecOf(object), jobPath, jobSpecOf(old)) : []),
    ...(textAt(structAt(object, 'spec'), 'schedule').includes('TZ')
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : []),
  ],
  resetFields: statusIsReset,
  status: statusSteps(() => noErrors),
}

function specDefaults(spec: JsonObject): JsonObject {
  const jobbed = withEmbedded(spec, 'jobTemplate', (job) => withEmbedded(job, 'spec', withJobTemplateDefaults))
  const policed = textAt(jobbed, 'concurrencyPolicy') === '' ? withField(jobbed, 'concurrencyPolicy', 'Allow') : jobbed
  return withDefaults(policed, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 })
}

function jobSpecOf(object: JsonObject): JsonObject {
  return mapAt(structIn(object, 'spec', 'jobTemplate'), 'spec')
}

function specErrors(spec: JsonObject, oldSpec: Struct): FieldErrors {
  const zone = optionalTextAt(spec, 'timeZone')
  const isZoneJudged = oldSpec === undefined || zone !== optionalTextAt(oldSpec, 'timeZone')
  return [
    ...scheduleErrors(spec, oldSpec),
    ...nonNegatives(spec, 'spec', ['startingDeadlineSeconds']),
    ...(isZoneJudged && zone !== undefined ? timeZoneErrors(zone, 'spec.timeZone') : noErrors),
    ...concurrencyErrors(textAt(spec, 'concurrencyPolicy'), 'spec.concurrencyPolicy'),
    ...jobTemplateErrors(mapAt(structAt(spec, 'jobTemplate'), 'spec')),
    ...nonNegatives(spec, 'spec', ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
  ]
}

function scheduleErrors(spec: JsonObject, oldSpec: Struct): FieldErrors {
  const path = 'spec.schedule'
  const schedule = textAt(spec, 'schedule')
  if (schedule === '') return [required(path)]
  const fault = scheduleFault(schedule, isTimeZone)
  const hadZone = textAt(oldSpec, 'schedule').includes('TZ')
  return [
    ...(fault === undefined ? noErrors : [invalid(path, schedule, fault)]),
    ...zoneErrors(spec, schedule, hadZone),
  ]
}

/** A time zone inside the schedule is valid only if the stored schedule has one already. */
function zoneErrors(spec: JsonObject, schedule: string, hadZone: boolean): FieldError[] {
  const path = 'spec.schedule'
  if (!schedule.includes('TZ')) return []
  if (!hadZone) return [invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
  return optionalTextAt(spec, 'timeZone') === undefined
    ? []
    : [invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')]
}

function concurrencyErrors(policy: string, path: string): FieldErrors {
  const known = ['Allow', 'Forbid', 'Replace']
  if (known.includes(policy)) return noErrors
  return [policy === '' ? required(path) : notSupported(path, policy, known)]
}

function jobTemplateErrors(job: JsonObject): FieldErrors {
  const selector = structAt(job, 'selector')
  return [
    ...jobSpecErrors(job, jobPath),
    ...(selector === undefined
      ? noErrors
      : [invalid(`${jobPath}.selector`, shownSelector(selector), '`selector` will be auto-generated')]),
    ...(isTrueAt(job, 'manualSelector')
      ? [notSupported(`${jobPath}.manualSelector`, true, ['nil', 'false'])]
      : noErrors),
  ]
}
