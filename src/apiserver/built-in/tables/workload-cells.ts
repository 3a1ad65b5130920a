// Tables of workloads other than pods in `kubectl get`. Source: kubernetes/pkg/printers/internalversion/printers.go.
import type { JsonObject } from '../../../base/json.ts'
import {
  integerAt,
  mapAt,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structIn,
  structsAt,
  textAt,
  valueAt,
} from '../field-walk.ts'
import type { Cell, Cells } from './cell.ts'
import { age, name, slashed } from './common-cells.ts'
import { selectorText, shownLabels, shownSelector } from './shown-selector.ts'
import { humanDuration, shownAge } from './shown-time.ts'

/** Returns names and images of the containers, as two cells. */
function containers(template: Struct): readonly Cell[] {
  const all = structsAt(structAt(template, 'spec'), 'containers')
  return ['name', 'image'].map((key) => all.map((container) => textAt(container, key)).join(','))
}

const replicaSet: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const status = structAt(object, 'status')
  return [
    name(object),
    integerAt(spec, 'replicas'),
    integerAt(status, 'replicas'),
    integerAt(status, 'readyReplicas'),
    age(object, nowMs),
    ...containers(structAt(spec, 'template')),
    shownSelector(structAt(spec, 'selector')),
  ]
}

const deployment: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const status = structAt(object, 'status')
  return [
    name(object),
    `${integerAt(status, 'readyReplicas')}/${integerAt(spec, 'replicas')}`,
    integerAt(status, 'updatedReplicas'),
    integerAt(status, 'availableReplicas'),
    age(object, nowMs),
    ...containers(structAt(spec, 'template')),
    selectorText(structAt(spec, 'selector')),
  ]
}

const statefulSet: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const ready = integerAt(structAt(object, 'status'), 'readyReplicas')
  return [
    name(object),
    `${ready}/${integerAt(spec, 'replicas')}`,
    age(object, nowMs),
    ...containers(structAt(spec, 'template')),
  ]
}

const daemonSet: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const status = structAt(object, 'status')
  const counts = [
    'desiredNumberScheduled',
    'currentNumberScheduled',
    'numberReady',
    'updatedNumberScheduled',
    'numberAvailable',
  ]
  return [
    name(object),
    ...counts.map((key) => integerAt(status, key)),
    shownLabels(mapAt(structIn(spec, 'template', 'spec'), 'nodeSelector')),
    age(object, nowMs),
    ...containers(structAt(spec, 'template')),
    shownSelector(structAt(spec, 'selector')),
  ]
}

/** The first true condition of this list is the Job's status. */
const jobConditions = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']

const job: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  return [
    name(object),
    jobStatus(object),
    completions(object),
    jobDuration(structAt(object, 'status'), nowMs),
    age(object, nowMs),
    ...containers(structAt(spec, 'template')),
    shownSelector(structAt(spec, 'selector')),
  ]
}

function jobStatus(job: JsonObject): string {
  const conditions = structsAt(structAt(job, 'status'), 'conditions')
  const isTrue = (type: string) =>
    textAt(
      conditions.find((condition) => textAt(condition, 'type') === type),
      'status',
    ) === 'True'
  if (isTrue('Complete')) return 'Complete'
  if (isTrue('Failed')) return 'Failed'
  if (valueAt(structAt(job, 'metadata'), 'deletionTimestamp') !== undefined) return 'Terminating'
  return jobConditions.find(isTrue) ?? 'Running'
}

function completions(job: JsonObject): string {
  const spec = structAt(job, 'spec')
  const succeeded = integerAt(structAt(job, 'status'), 'succeeded')
  const wanted = optionalIntegerAt(spec, 'completions')
  if (wanted !== undefined) return `${succeeded}/${wanted}`
  const parallelism = integerAt(spec, 'parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration(status: Struct, nowMs: number): string {
  const start = optionalTextAt(status, 'startTime')
  if (start === undefined) return ''
  const end = optionalTextAt(status, 'completionTime')
  return humanDuration((end === undefined ? nowMs : Date.parse(end)) - Date.parse(start))
}

const cronJob: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const status = structAt(object, 'status')
  const jobSpec = structIn(spec, 'jobTemplate', 'spec')
  const isSuspended = valueAt(spec, 'suspend')
  const last = valueAt(status, 'lastScheduleTime')
  return [
    name(object),
    textAt(spec, 'schedule'),
    optionalTextAt(spec, 'timeZone') ?? '<none>',
    isSuspended === undefined ? '<unset>' : isSuspended === true ? 'True' : 'False',
    structsAt(status, 'active').length,
    last === undefined ? '<none>' : shownAge(last, nowMs),
    age(object, nowMs),
    ...containers(structAt(jobSpec, 'template')),
    shownSelector(structAt(jobSpec, 'selector')),
  ]
}

const controllerRevision: Cells = (object, nowMs) => {
  const owners = structsAt(structAt(object, 'metadata'), 'ownerReferences')
  const controller = owners.find((owner) => valueAt(owner, 'controller') === true)
  const revision = valueAt(object, 'revision')
  return [
    name(object),
    controller === undefined ? '<none>' : controllerName(controller),
    typeof revision === 'bigint' ? revision : integerAt(object, 'revision'),
    age(object, nowMs),
  ]
}

function controllerName(owner: JsonObject): string {
  const [, group = ''] = /^(.*)\//.exec(textAt(owner, 'apiVersion')) ?? []
  const kind = [textAt(owner, 'kind'), ...(group === '' ? [] : [group])].join('.').toLowerCase()
  return kind === '' ? textAt(owner, 'name') : slashed(kind, textAt(owner, 'name'))
}

const disruptionBudget: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const shown = (key: string) => String(valueAt(spec, key) ?? 'N/A')
  return [
    name(object),
    shown('minAvailable'),
    shown('maxUnavailable'),
    integerAt(structAt(object, 'status'), 'disruptionsAllowed'),
    age(object, nowMs),
  ]
}

export const workloadCells: Readonly<Record<string, Cells>> = {
  ControllerRevision: controllerRevision,
  CronJob: cronJob,
  DaemonSet: daemonSet,
  Deployment: deployment,
  Job: job,
  PodDisruptionBudget: disruptionBudget,
  ReplicaSet: replicaSet,
  StatefulSet: statefulSet,
}
