// Validation of a Job's status and its transitions. It is strict because external controllers may write it
// (`managedBy`).
// Fields that a write leaves unchanged are not validated again.
// Sources: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go, pkg/registry/batch/job/strategy.go.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, invalid, required } from '../field-error.ts'
import { nonNegatives } from './count-rules.ts'
import {
  type FieldErrors,
  integerAt,
  isTrueAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
} from './field-walk.ts'
import { commonIndex, countIndexes } from './job-indexes.ts'
import { isIndexed } from './job-spec.ts'
import { showList, showStruct, showText } from './shown-form.ts'

const uncountedForm = showStruct({
  Succeeded: ['succeeded', showList(showText)],
  Failed: ['failed', showList(showText)],
})
const conditionsPath = 'status.conditions'

export function isConditionTrue(status: Struct, type: string): boolean {
  return hasCondition(status, type, 'True')
}

export function jobStatusErrors(object: JsonObject, old: JsonObject): FieldErrors {
  const change = changeOf(object, old)
  return [
    ...nonNegatives(change.status, 'status', ['active', 'succeeded', 'failed', 'ready', 'terminating']),
    ...uncountedErrors(structAt(change.status, 'uncountedTerminatedPods')),
    ...outcomeErrors(change),
    ...completionTimeErrors(change),
    ...finishedErrors(change),
    ...indexesErrors(change),
    ...successErrors(change),
    ...transitionErrors(change),
  ]
}

/** New and old status, with the changes between them. */
interface StatusChange {
  readonly spec: JsonObject
  readonly status: JsonObject
  readonly oldStatus: JsonObject
  isFieldChanged(key: string): boolean
  isConditionChanged(type: string): boolean
  readonly isFinished: boolean
  readonly isFinishedChanged: boolean
}

function changeOf(object: JsonObject, old: JsonObject): StatusChange {
  const status = mapAt(object, 'status')
  const oldStatus = mapAt(old, 'status')
  const isFinished = isFinishedStatus(status)
  return {
    spec: mapAt(object, 'spec'),
    status,
    oldStatus,
    isFieldChanged: (key) => !deepEqual(valueAt(status, key) ?? null, valueAt(oldStatus, key) ?? null),
    isConditionChanged: (type) => isConditionTrue(status, type) !== isConditionTrue(oldStatus, type),
    isFinished,
    isFinishedChanged: isFinished !== isFinishedStatus(oldStatus),
  }
}

function isFinishedStatus(status: JsonObject): boolean {
  return isConditionTrue(status, 'Complete') || isConditionTrue(status, 'Failed')
}

function hasCondition(status: Struct, type: string, value: string): boolean {
  return structsAt(status, 'conditions').some(
    (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === value,
  )
}

function uncountedErrors(uncounted: Struct): FieldErrors {
  const seen = new Set<string>()
  return ['succeeded', 'failed'].flatMap((key) =>
    textsAt(uncounted, key).flatMap((uid, index): FieldError[] => {
      const path = `status.uncountedTerminatedPods.${key}[${index}]`
      if (uid === '') return [invalid(path, uid, 'must not be empty')]
      if (seen.has(uid)) return [duplicate(path, uid)]
      seen.add(uid)
      return []
    }),
  )
}

/** Rejects conditions that contradict each other. */
function outcomeErrors({ status, isConditionChanged, isFieldChanged }: StatusChange): FieldErrors {
  const isComplete = isConditionTrue(status, 'Complete')
  const isFailed = isConditionTrue(status, 'Failed')
  const isTarget = isConditionTrue(status, 'FailureTarget')
  const isMet = isConditionTrue(status, 'SuccessCriteriaMet')
  const isCompleteChanged = isConditionChanged('Complete')
  const isFailedChanged = isConditionChanged('Failed')
  const faults: string[] = []
  if ((isCompleteChanged || isFailedChanged) && isComplete && isFailed)
    faults.push('cannot set Complete=True and Failed=true conditions')
  if ((isCompleteChanged || isConditionChanged('FailureTarget')) && isComplete && isTarget)
    faults.push('cannot set Complete=True and FailureTarget=true conditions')
  if ((isFailedChanged || isFieldChanged('failedIndexes')) && isFailed && !isTarget)
    faults.push('cannot set Failed=True condition without the FailureTarget=true condition')
  if ((isCompleteChanged || isConditionChanged('SuccessCriteriaMet')) && isComplete && !isMet)
    faults.push('cannot set Complete=True condition without the SuccessCriteriaMet=true condition')
  return faults.map((fault) => invalid(conditionsPath, undefined, fault))
}

function completionTimeErrors({ status, isConditionChanged, isFieldChanged }: StatusChange): FieldErrors {
  const path = 'status.completionTime'
  const completed = optionalTextAt(status, 'completionTime')
  const started = optionalTextAt(status, 'startTime')
  const isComplete = isConditionTrue(status, 'Complete')
  const isJudged = isConditionChanged('Complete') || isFieldChanged('completionTime')
  const isOrderJudged = isFieldChanged('startTime') || isFieldChanged('completionTime')
  const isTooEarly = completed !== undefined && started !== undefined && Date.parse(completed) < Date.parse(started)
  return [
    ...(isJudged && completed !== undefined && !isComplete
      ? [invalid(path, completed, 'cannot set completionTime when there is no Complete=True condition')]
      : noErrors),
    ...(isJudged && completed === undefined && isComplete
      ? [required(path, 'completionTime is required for Complete jobs')]
      : noErrors),
    ...(isOrderJudged && isTooEarly ? [invalid(path, completed, 'must be equal to or after `startTime`')] : noErrors),
  ]
}

function finishedErrors(change: StatusChange): FieldErrors {
  const { spec, status, isFieldChanged, isFinished, isFinishedChanged } = change
  const isJudged = (key: string): boolean => isFinished && (isFinishedChanged || isFieldChanged(key))
  const active = integerAt(status, 'active')
  const terminating = integerAt(status, 'terminating')
  const uncounted = structAt(status, 'uncountedTerminatedPods')
  const hasUncounted = textsAt(uncounted, 'failed').length + textsAt(uncounted, 'succeeded').length > 0
  const hasNothingToDo = isTrueAt(spec, 'suspend') && optionalIntegerAt(spec, 'completions') === 0
  const hasStarted = valueAt(status, 'startTime') !== undefined
  return [
    ...(isJudged('active') && active > 0
      ? [invalid('status.active', active, 'active>0 is invalid for finished job')]
      : noErrors),
    ...(isJudged('startTime') && !hasNothingToDo && !hasStarted
      ? [required('status.startTime', 'startTime is required for finished job')]
      : noErrors),
    ...(isJudged('uncountedTerminatedPods') && hasUncounted
      ? [invalid('status.uncountedTerminatedPods', uncountedForm(uncounted), 'must be empty for finished job')]
      : noErrors),
    ...(isJudged('terminating') && terminating > 0
      ? [invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job')]
      : noErrors),
  ]
}

function indexesErrors({ spec, status, isFieldChanged }: StatusChange): FieldErrors {
  const completedPath = 'status.completedIndexes'
  const failedPath = 'status.failedIndexes'
  const completions = optionalIntegerAt(spec, 'completions')
  const completed = textAt(status, 'completedIndexes')
  const failed = optionalTextAt(status, 'failedIndexes')
  const isCompletedChanged = isFieldChanged('completedIndexes')
  const isFailedChanged = isFieldChanged('failedIndexes')
  const hasIndexLimit = valueAt(spec, 'backoffLimitPerIndex') !== undefined
  const common =
    completions === undefined || failed === undefined ? undefined : commonIndex(completed, failed, completions)
  const ready = integerAt(status, 'ready')
  return [
    ...(isCompletedChanged && completions !== undefined
      ? unreadableErrors(completed, completions, 'completedIndexes')
      : noErrors),
    ...(isFailedChanged && completions !== undefined && hasIndexLimit && failed !== undefined
      ? unreadableErrors(failed, completions, 'failedIndexes')
      : noErrors),
    ...(isCompletedChanged && completed !== '' && !isIndexed(spec)
      ? [invalid(completedPath, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode')]
      : noErrors),
    ...(isFailedChanged && failed !== undefined && !hasIndexLimit
      ? [invalid(failedPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null')]
      : noErrors),
    ...((isFailedChanged || isCompletedChanged) && common !== undefined
      ? [invalid(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${common}`)]
      : noErrors),
    ...((isFieldChanged('ready') || isFieldChanged('active')) &&
    valueAt(status, 'ready') !== undefined &&
    ready > integerAt(status, 'active')
      ? [invalid('status.ready', ready, 'cannot set more ready pods than active')]
      : noErrors),
  ]
}

function unreadableErrors(text: string, completions: number, key: string): FieldErrors {
  const counted = countIndexes(text, completions)
  return typeof counted === 'number'
    ? noErrors
    : [invalid(`status.${key}`, text, `error parsing ${key}: ${counted.fault}`)]
}

function successErrors({ spec, status }: StatusChange): FieldErrors {
  const isMet = isConditionTrue(status, 'SuccessCriteriaMet')
  const faults: string[] = []
  if (isMet && isConditionTrue(status, 'Failed'))
    faults.push('cannot set SuccessCriteriaMet=True and Failed=true conditions')
  if (isMet && isConditionTrue(status, 'FailureTarget'))
    faults.push('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')
  if (structAt(spec, 'successPolicy') !== undefined && !isMet && isConditionTrue(status, 'Complete'))
    faults.push('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')
  return faults.map((fault) => invalid(conditionsPath, undefined, fault))
}

/** Rejects the reset of fields and conditions that are final. */
function transitionErrors({ spec, status, oldStatus, isFieldChanged }: StatusChange): FieldErrors {
  const disabled = ['Failed', 'Complete', 'FailureTarget'].filter(
    (type) => isConditionTrue(oldStatus, type) && !isConditionTrue(status, type),
  )
  const isScalable =
    isIndexed(spec) && optionalIntegerAt(spec, 'completions') === optionalIntegerAt(spec, 'parallelism')
  const isMet = isConditionTrue(status, 'SuccessCriteriaMet')
  const wasMet = isConditionTrue(oldStatus, 'SuccessCriteriaMet')
  const isResuming = isConditionTrue(oldStatus, 'Suspended') && hasCondition(status, 'Suspended', 'False')
  const startTime = valueAt(status, 'startTime') ?? null
  const completionTime = valueAt(status, 'completionTime')
  const wasStarted = valueAt(oldStatus, 'startTime') !== undefined
  const wasCompleted = valueAt(oldStatus, 'completionTime') !== undefined
  return [
    ...disabled.map((type) => invalid(conditionsPath, undefined, `cannot disable the terminal ${type}=True condition`)),
    ...decreaseErrors(status, oldStatus, 'failed'),
    ...(isScalable ? noErrors : decreaseErrors(status, oldStatus, 'succeeded')),
    ...(completionTime !== undefined && wasCompleted && isFieldChanged('completionTime')
      ? [invalid('status.completionTime', completionTime, 'field is immutable')]
      : noErrors),
    ...(isFieldChanged('startTime') && !isResuming && wasStarted && !isTrueAt(spec, 'suspend')
      ? [invalid('status.startTime', startTime, 'field is immutable for unsuspended job once set')]
      : noErrors),
    ...(wasMet && !isMet
      ? [invalid(conditionsPath, undefined, 'cannot disable the SuccessCriteriaMet=True condition')]
      : noErrors),
    ...(isConditionTrue(oldStatus, 'Complete') && !wasMet && isMet
      ? [
          invalid(
            conditionsPath,
            undefined,
            'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
          ),
        ]
      : noErrors),
  ]
}

function decreaseErrors(status: JsonObject, oldStatus: JsonObject, key: string): FieldErrors {
  const count = integerAt(status, key)
  return count < integerAt(oldStatus, key)
    ? [invalid(`status.${key}`, count, `cannot decrease the ${key} counter`)]
    : noErrors
}
