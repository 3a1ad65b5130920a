// Next step of a Job: count finished pods, create missing ones, delete surplus ones, until the Job is complete or
// failed.
// The end has two conditions; the controller sets the second one when no pod runs any longer.
// Source: k8s.io/kubernetes/pkg/controller/job/job_controller.go.
import type { JsonObject } from '../../../base/json.ts'
import {
  integerAt,
  isTrueAt,
  mapAt,
  optionalIntegerAt,
  structAt,
  structsAt,
  textAt,
  valueAt,
} from '../../built-in/field-walk.ts'
import { isTerminating } from '../../metadata.ts'
import type { Report } from './event-recorder.ts'
import { backoffMs, hasFailed, indexesIn, indexOf, indexText, isCounted, isIndexed } from './job-pods.ts'
import { conditionOf, isActive, isFinished, isReady, phaseOf, restartsOf } from './pod-state.ts'

export interface JobFacts {
  readonly job: JsonObject
  readonly pods: readonly JsonObject[]
  readonly nowMs: number
  readonly timestamp: string
}

export interface JobPlan {
  /** Pods to create: a completion index for each, or undefined. */
  readonly create: readonly (number | undefined)[]
  readonly remove: readonly JsonObject[]
  /** Pods that this plan counts; the controller then releases them. */
  readonly counted: readonly JsonObject[]
  readonly status: JsonObject
  readonly reports: readonly Report[]
  readonly againAfterMs: number | undefined
}

interface End {
  readonly isComplete: boolean
  readonly reason: string
  readonly message: string
}

const reached: End = {
  isComplete: true,
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}
/** Number of pods that one reconcile creates or deletes at most. */
const burst = 500

export function isJobFinished(job: JsonObject): boolean {
  return ['Complete', 'Failed'].some((type) => textAt(conditionOf(job, type), 'status') === 'True')
}

/** Returns a policy that this server does not support. */
export function unsupportedPolicy(job: JsonObject): string | undefined {
  const spec = structAt(job, 'spec')
  return ['podFailurePolicy', 'successPolicy', 'backoffLimitPerIndex'].find((key) => valueAt(spec, key) !== undefined)
}

export function jobPlan(facts: JobFacts): JobPlan {
  const { job, pods, nowMs } = facts
  const counts = countsOf(facts)
  const active = pods.filter(isActive)
  const end = endOf(facts, counts)
  if (end !== undefined && !end.isComplete) return ended(facts, counts, { end, remove: active })
  const change = isTerminating(job) ? { create: [], remove: [] } : podChange(facts, counts, active)
  const left = active.length - change.remove.length + change.create.length
  const completions = completionsOf(job)
  const isDone = left === 0 && (completions === undefined ? counts.succeeded > 0 : counts.succeeded >= completions)
  if (isDone) return ended(facts, counts, { end: end ?? reached, remove: change.remove })
  const { conditions, report, restarts } = suspension(facts)
  const deadline = optionalIntegerAt(structAt(job, 'spec'), 'activeDeadlineSeconds')
  const startTime = startTimeOf(facts, restarts)
  const deadlineMs =
    deadline === undefined || startTime === undefined ? undefined : Date.parse(startTime) + deadline * 1000 - nowMs
  const waits = [deadlineMs, change.waitMs].filter((wait) => wait !== undefined)
  return {
    ...{ create: change.create, remove: change.remove, counted: counts.fresh },
    status: statusOf(facts, {
      counts,
      active,
      remove: change.remove,
      added: change.create.length,
      conditions,
      startTime,
    }),
    reports: report === undefined ? [] : [report],
    againAfterMs: waits.length === 0 ? undefined : Math.max(1, Math.min(...waits)),
  }
}

interface Counts {
  readonly succeeded: number
  readonly failed: number
  readonly completed: ReadonlySet<number>
  /** Finished pods that are not counted yet. */
  readonly fresh: readonly JsonObject[]
}

function countsOf({ job, pods }: JobFacts): Counts {
  const status = structAt(job, 'status')
  const fresh = pods.filter((pod) => !isCounted(pod) && (phaseOf(pod) === 'Succeeded' || hasFailed(pod)))
  const successes = fresh.filter((pod) => phaseOf(pod) === 'Succeeded')
  const failed = integerAt(status, 'failed') + fresh.length - successes.length
  if (!isIndexed(job))
    return { succeeded: integerAt(status, 'succeeded') + successes.length, failed, completed: new Set(), fresh }
  const completions = completionsOf(job) ?? 0
  const indexes = successes.flatMap((pod) => indexOf(pod) ?? [])
  const all = [...indexesIn(textAt(status, 'completedIndexes')), ...indexes].filter((index) => index < completions)
  const completed = new Set(all)
  return { succeeded: completed.size, failed, completed, fresh }
}

function endOf({ job, pods, nowMs }: JobFacts, { failed }: Counts): End | undefined {
  if (textAt(conditionOf(job, 'SuccessCriteriaMet'), 'status') === 'True') return reached
  const told = conditionOf(job, 'FailureTarget')
  if (textAt(told, 'status') === 'True')
    return { isComplete: false, reason: textAt(told, 'reason'), message: textAt(told, 'message') }
  const spec = structAt(job, 'spec')
  const limit = integerAt(spec, 'backoffLimit')
  if (failed > limit || hasRestartedTooOften(job, pods, limit))
    return {
      isComplete: false,
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    }
  const deadline = optionalIntegerAt(spec, 'activeDeadlineSeconds')
  const startTime = textAt(structAt(job, 'status'), 'startTime')
  if (deadline === undefined || startTime === '' || isSuspended(job)) return undefined
  if (nowMs - Date.parse(startTime) < deadline * 1000) return undefined
  return { isComplete: false, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
}

function hasRestartedTooOften(job: JsonObject, pods: readonly JsonObject[], limit: number): boolean {
  const template = mapAt(structAt(job, 'spec'), 'template')
  if (textAt(structAt(template, 'spec'), 'restartPolicy') !== 'OnFailure') return false
  const restarts = pods.filter((pod) => !isFinished(pod)).reduce((sum, pod) => sum + restartsOf(pod), 0)
  return limit === 0 ? restarts > 0 : restarts >= limit
}

interface PodChange {
  readonly create: readonly (number | undefined)[]
  readonly remove: readonly JsonObject[]
  readonly waitMs?: number
}

function podChange({ job, pods, nowMs }: JobFacts, counts: Counts, active: readonly JsonObject[]): PodChange {
  if (isSuspended(job)) return { create: [], remove: active }
  const parallelism = integerAt(structAt(job, 'spec'), 'parallelism')
  const completions = completionsOf(job)
  const wanted =
    completions === undefined
      ? counts.succeeded > 0
        ? active.length
        : parallelism
      : Math.max(0, Math.min(parallelism, completions - counts.succeeded))
  const surplus = surplusPods(job, active, wanted, counts)
  if (surplus.length > 0) return { create: [], remove: surplus.slice(0, burst) }
  const isPatient = textAt(structAt(job, 'spec'), 'podReplacementPolicy') === 'Failed'
  const terminating = isPatient ? pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length : 0
  const missing = Math.min(burst, wanted - active.length - terminating)
  if (missing <= 0) return { create: [], remove: [] }
  const waitMs = backoffMs(pods, nowMs)
  if (waitMs > 0) return { create: [], remove: [], waitMs }
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => undefined), remove: [] }
  const taken = new Set([...counts.completed, ...active.map(indexOf)])
  const free = Array.from({ length: completions ?? 0 }, (_, index) => index).filter((index) => !taken.has(index))
  return { create: free.slice(0, missing), remove: [] }
}

/** Returns the surplus pods: first those of a completed or duplicate index, then those with the least progress. */
function surplusPods(
  job: JsonObject,
  active: readonly JsonObject[],
  wanted: number,
  { completed }: Counts,
): readonly JsonObject[] {
  const seen = new Set<number>()
  const doubles = isIndexed(job)
    ? active.filter((pod) => {
        const index = indexOf(pod)
        if (index === undefined || index >= (completionsOf(job) ?? 0) || completed.has(index) || seen.has(index))
          return true
        seen.add(index)
        return false
      })
    : []
  const others = active.filter((pod) => !doubles.includes(pod))
  const inTurn = [...others].sort((left, right) => Number(isReady(left)) - Number(isReady(right)))
  return [...doubles, ...inTurn.slice(0, Math.max(0, others.length - wanted))]
}

/** Sets the conditions of the end: FailureTarget or SuccessCriteriaMet while pods run, then Failed or Complete. */
function ended(
  facts: JobFacts,
  counts: Counts,
  { end, remove }: { readonly end: End; readonly remove: readonly JsonObject[] },
): JobPlan {
  const { job, pods, timestamp } = facts
  const { reason, message, isComplete } = end
  const [announced, final] = isComplete ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed']
  const stillThere = remove.length > 0 || pods.some((pod) => isTerminating(pod) && !isFinished(pod))
  const condition = (type: string) => ({
    ...{ type, status: 'True', lastProbeTime: timestamp, lastTransitionTime: timestamp, reason, message },
  })
  const before = structsAt(structAt(job, 'status'), 'conditions')
  const isTold = before.some((one) => textAt(one, 'type') === announced)
  const conditions = [...before, ...(isTold ? [] : [condition(announced)]), ...(stillThere ? [] : [condition(final)])]
  const active = pods.filter(isActive)
  const startTime = startTimeOf(facts, false)
  const status = statusOf(facts, { counts, active, remove, added: 0, conditions, startTime })
  const report: Report = isComplete
    ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
    : { type: 'Warning', reason, message }
  return {
    ...{ create: [], remove, counted: counts.fresh },
    status: stillThere || !isComplete ? status : { ...status, completionTime: timestamp },
    reports: stillThere ? [] : [report],
    againAfterMs: undefined,
  }
}

interface StatusParts {
  readonly counts: Counts
  readonly active: readonly JsonObject[]
  readonly remove: readonly JsonObject[]
  readonly added: number
  readonly conditions: readonly JsonObject[]
  readonly startTime: string | undefined
}

function statusOf({ job, pods }: JobFacts, parts: StatusParts): JsonObject {
  const { counts, active, remove, added, conditions, startTime } = parts
  const { startTime: _, conditions: __, ...before } = mapAt(job, 'status')
  const stay = active.filter((pod) => !remove.includes(pod))
  const text = indexText(counts.completed)
  return {
    ...before,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    active: stay.length + added,
    ready: stay.filter(isReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length + remove.length,
    ...{ succeeded: counts.succeeded, failed: counts.failed, uncountedTerminatedPods: {} },
    ...(text === '' ? {} : { completedIndexes: text }),
  }
}

/** A Job gets its start time when it is not suspended, and a new one when it is resumed. */
function startTimeOf({ job, timestamp }: JobFacts, restarts: boolean): string | undefined {
  const before = textAt(structAt(job, 'status'), 'startTime')
  if (isSuspended(job)) return undefined
  return before === '' || restarts ? timestamp : before
}

interface Suspension {
  readonly conditions: readonly JsonObject[]
  readonly report: Report | undefined
  readonly restarts: boolean
}

function suspension({ job, timestamp }: JobFacts): Suspension {
  const conditions = structsAt(structAt(job, 'status'), 'conditions')
  const told = conditionOf(job, 'Suspended')
  const status = isSuspended(job) ? 'True' : 'False'
  // A Job that was never suspended has no Suspended condition.
  if (textAt(told, 'status') === status || (told === undefined && status === 'False'))
    return { conditions, report: undefined, restarts: false }
  const [reason, message] = isSuspended(job) ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed']
  const condition = {
    type: 'Suspended',
    status,
    lastProbeTime: timestamp,
    lastTransitionTime: timestamp,
    reason,
    message,
  }
  const others = conditions.filter((one) => one !== told)
  const report: Report = { type: 'Normal', reason: isSuspended(job) ? 'Suspended' : 'Resumed', message }
  return { conditions: [...others, condition], report, restarts: !isSuspended(job) }
}

function isSuspended(job: JsonObject): boolean {
  return isTrueAt(structAt(job, 'spec'), 'suspend')
}

function completionsOf(job: JsonObject): number | undefined {
  return optionalIntegerAt(structAt(job, 'spec'), 'completions')
}
