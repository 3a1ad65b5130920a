// Table of `kubectl get pods`. The status column follows from phase, conditions and containers, init containers first.
// Source: printPod in kubernetes/pkg/printers/internalversion/printers.go.
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, isTrueAt, type Struct, structAt, structIn, structsAt, textAt, valueAt } from '../field-walk.ts'
import type { Cell } from './cell.ts'
import { shownAge } from './shown-time.ts'

export function podCells(pod: JsonObject, nowMs: number): readonly Cell[] {
  const spec = structAt(pod, 'spec')
  const status = structAt(pod, 'status')
  const { reason, ready, total, restarts, lastRestart } = progress(pod)
  const shownRestarts =
    restarts !== 0 && lastRestart !== undefined ? `${restarts} (${shownAge(lastRestart, nowMs)} ago)` : `${restarts}`
  return [
    textAt(structAt(pod, 'metadata'), 'name'),
    `${ready}/${total}`,
    reason,
    shownRestarts,
    shownAge(valueAt(structAt(pod, 'metadata'), 'creationTimestamp'), nowMs),
    textAt(structsAt(status, 'podIPs')[0], 'ip') || '<none>',
    textAt(spec, 'nodeName') || '<none>',
    textAt(status, 'nominatedNodeName') || '<none>',
    readinessGates(spec, status),
  ]
}

interface Progress {
  readonly reason: string
  readonly ready: number
  readonly total: number
  readonly restarts: number
  /** End of the run before the last restart. */
  readonly lastRestart: string | undefined
}

function progress(pod: JsonObject): Progress {
  const spec = structAt(pod, 'spec')
  const status = structAt(pod, 'status')
  const initContainers = structsAt(spec, 'initContainers')
  const sidecars = initContainers.filter(isSidecar).length
  const phase = textAt(status, 'phase')
  const isGated = structsAt(status, 'conditions').some(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'SchedulingGated',
  )
  const start = isGated ? 'SchedulingGated' : textAt(status, 'reason') || phase
  const initial = initProgress(initContainers, structsAt(status, 'initContainerStatuses'), start)
  const isInitialized = textAt(conditionOf(status, 'Initialized'), 'status') === 'True'
  const running = initial.isInitializing && !isInitialized ? initial : runProgress(status, initial)
  return {
    ...running,
    reason: endReason(pod, phase) ?? running.reason,
    total: structsAt(spec, 'containers').length + sidecars,
  }
}

interface Stage {
  readonly reason: string
  readonly ready: number
  readonly restarts: number
  readonly lastRestart: string | undefined
}

interface InitStage extends Stage {
  readonly isInitializing: boolean
  /** Sums of the init containers that keep running. */
  readonly sidecars: Pick<Stage, 'restarts' | 'lastRestart'>
}

function initProgress(containers: readonly JsonObject[], statuses: readonly JsonObject[], start: string): InitStage {
  const byName = new Map(containers.map((container) => [textAt(container, 'name'), container]))
  let ready = 0
  let restarts = 0
  let lastRestart: string | undefined
  let sidecars: Pick<Stage, 'restarts' | 'lastRestart'> = { restarts: 0, lastRestart: undefined }
  for (const [index, status] of statuses.entries()) {
    const sidecar = byName.get(textAt(status, 'name'))
    const isOneOfThem = sidecar !== undefined && isSidecar(sidecar)
    restarts += integerAt(status, 'restartCount')
    lastRestart = later(lastRestart, lastEnd(status))
    if (isOneOfThem)
      sidecars = {
        restarts: sidecars.restarts + integerAt(status, 'restartCount'),
        lastRestart: later(sidecars.lastRestart, lastEnd(status)),
      }
    const terminated = structIn(status, 'state', 'terminated')
    if (terminated !== undefined && integerAt(terminated, 'exitCode') === 0) continue
    if (isOneOfThem && isTrueAt(status, 'started')) {
      if (isTrueAt(status, 'ready')) ready++
      continue
    }
    const reason = `Init:${initReason(status, `${index}/${containers.length}`)}`
    return { reason, ready, restarts, lastRestart, sidecars, isInitializing: true }
  }
  return { reason: start, ready, restarts, lastRestart, sidecars, isInitializing: false }
}

function initReason(status: JsonObject, place: string): string {
  const terminated = structIn(status, 'state', 'terminated')
  if (terminated !== undefined) return endOf(terminated)
  const waiting = textAt(structIn(status, 'state', 'waiting'), 'reason')
  return waiting !== '' && waiting !== 'PodInitializing' ? waiting : place
}

function runProgress(status: Struct, initial: InitStage): Stage {
  let { reason, ready } = initial
  let { restarts, lastRestart } = initial.sidecars
  let hasRunning = false
  let errorReason = ''
  for (const container of structsAt(status, 'containerStatuses').toReversed()) {
    restarts += integerAt(container, 'restartCount')
    lastRestart = later(lastRestart, lastEnd(container))
    const state = structAt(container, 'state')
    const waiting = textAt(structAt(state, 'waiting'), 'reason')
    const terminated = structAt(state, 'terminated')
    if (waiting !== '') reason = waiting
    else if (terminated !== undefined) {
      reason = endOf(terminated)
      if (integerAt(terminated, 'exitCode') !== 0) errorReason = reason
    } else if (isTrueAt(container, 'ready') && structAt(state, 'running') !== undefined) {
      hasRunning = true
      ready++
    }
  }
  if (reason === 'Completed') {
    const isReady = structsAt(status, 'conditions').some(
      (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
    )
    if (hasRunning && isReady) reason = 'Running'
    else if (errorReason !== '') reason = errorReason
    else if (hasRunning) reason = 'NotReady'
  }
  return { reason, ready, restarts, lastRestart }
}

/** Returns the status of a pod that is being deleted. */
function endReason(pod: JsonObject, phase: string): string | undefined {
  if (valueAt(structAt(pod, 'metadata'), 'deletionTimestamp') === undefined) return undefined
  if (textAt(structAt(pod, 'status'), 'reason') === 'NodeLost') return 'Unknown'
  return phase === 'Failed' || phase === 'Succeeded' ? undefined : 'Terminating'
}

function endOf(terminated: JsonObject): string {
  const reason = textAt(terminated, 'reason')
  if (reason !== '') return reason
  const signal = integerAt(terminated, 'signal')
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${integerAt(terminated, 'exitCode')}`
}

function isSidecar(container: JsonObject): boolean {
  return textAt(container, 'restartPolicy') === 'Always'
}

function lastEnd(status: JsonObject): string | undefined {
  const text = textAt(structIn(status, 'lastState', 'terminated'), 'finishedAt')
  return text === '' ? undefined : text
}

/** Timestamps in the same format compare as texts. */
function later(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left < right ? right : left
}

function conditionOf(status: Struct, type: string): Struct {
  return structsAt(status, 'conditions').find((condition) => textAt(condition, 'type') === type)
}

function readinessGates(spec: Struct, status: Struct): string {
  const gates = structsAt(spec, 'readinessGates')
  if (gates.length === 0) return '<none>'
  const open = gates.filter((gate) => textAt(conditionOf(status, textAt(gate, 'conditionType')), 'status') === 'True')
  return `${open.length}/${gates.length}`
}
