// Status of a simulated pod. It is Running and Ready at once, or after the delay in an annotation. With "missing" in an
// image tag it
// never becomes ready; a Job's pod succeeds. The statuses equal those of test/control-plane/kwok.
import { durationMs } from '../../../base/duration.ts'
import type { Json, JsonObject } from '../../../base/json.ts'
import { mapAt, structAt, structsAt, textAt } from '../../built-in/field-walk.ts'
import { metadataOf } from '../../metadata.ts'
import { controllerOf } from './membership.ts'
import { conditionOf, isReady, phaseOf } from './pod-state.ts'

export interface SimulationFacts {
  readonly pod: JsonObject
  readonly address: () => string
  readonly nowMs: number
  readonly timestamp: string
}

export interface Simulation {
  /** Undefined if the current status is correct. */
  readonly status: JsonObject | undefined
  readonly againAfterMs: number | undefined
}

const missingImage = /:[^/@]*missing/
const readyAfter = 'konverge.dev/ready-after'

export function simulationOf(facts: SimulationFacts): Simulation {
  const { pod, nowMs } = facts
  const phase = phaseOf(pod)
  const nothing = { status: undefined, againAfterMs: undefined }
  if (phase === 'Pending') {
    const isTold = structsAt(structAt(pod, 'status'), 'containerStatuses').length > 0
    if (isTold) return nothing
    if (imagesOf(pod, 'containers').some(isMissing) || imagesOf(pod, 'initContainers').some(isMissing))
      return { status: pendingStatus(facts), againAfterMs: undefined }
    const delayMs = delayOf(pod)
    return { status: runningStatus(facts, delayMs === 0), againAfterMs: delayMs === 0 ? undefined : delayMs }
  }
  if (phase !== 'Running') return nothing
  const leftMs = isReady(pod) ? 0 : startedMs(pod) + delayOf(pod) - nowMs
  if (leftMs > 0) return { status: undefined, againAfterMs: leftMs }
  if (controllerOf(pod)?.kind === 'Job') return { status: succeededStatus(facts), againAfterMs: undefined }
  return isReady(pod) ? nothing : { status: runningStatus(facts, true), againAfterMs: undefined }
}

function delayOf(pod: JsonObject): number {
  return durationMs(textAt(mapAt(metadataOf(pod), 'annotations'), readyAfter)) ?? 0
}

function startedMs(pod: JsonObject): number {
  return Date.parse(textAt(structAt(pod, 'status'), 'startTime'))
}

function runningStatus(facts: SimulationFacts, ready: boolean): JsonObject {
  const { pod, timestamp } = facts
  const before = mapAt(pod, 'status')
  const gates = structsAt(structAt(pod, 'spec'), 'readinessGates').map((gate) => textAt(gate, 'conditionType'))
  const startTime = textAt(before, 'startTime') || timestamp
  const unready = { status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status' }
  const podIP = textAt(before, 'podIP') || facts.address()
  return {
    ...before,
    phase: 'Running',
    conditions: merged(facts, {
      PodReadyToStartContainers: { status: 'True' },
      Initialized: { status: 'True' },
      ContainersReady: ready ? { status: 'True' } : unready,
      Ready: ready ? { status: 'True' } : unready,
      ...(ready ? Object.fromEntries(gates.map((gate) => [gate, { status: 'True' }])) : {}),
    }),
    containerStatuses: containersOf(pod, 'containers').map((container) => ({
      ...said(container, { ready, started: true }),
      state: { running: { startedAt: startTime } },
    })),
    ...initStatuses(pod, timestamp),
    ...{ podIP, podIPs: [{ ip: podIP }], startTime },
  }
}

function pendingStatus(facts: SimulationFacts): JsonObject {
  const { pod, timestamp } = facts
  const isInitialized = !imagesOf(pod, 'initContainers').some(isMissing)
  const unready = { status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status' }
  return {
    ...mapAt(pod, 'status'),
    phase: 'Pending',
    conditions: merged(facts, {
      PodReadyToStartContainers: { status: 'True' },
      Initialized: { status: isInitialized ? 'True' : 'False' },
      ContainersReady: unready,
      Ready: unready,
    }),
    containerStatuses: containersOf(pod, 'containers').map((container) => {
      if (isMissing(textAt(container, 'image')))
        return { ...said(container, { ready: false, started: false }), state: pullBackOff(container) }
      return isInitialized
        ? { ...said(container, { ready: true, started: true }), state: { running: { startedAt: timestamp } } }
        : { ...said(container, { ready: false, started: false }), state: { waiting: { reason: 'PodInitializing' } } }
    }),
    ...initStatuses(pod, timestamp),
    startTime: timestamp,
  }
}

function succeededStatus(facts: SimulationFacts): JsonObject {
  const { pod, timestamp } = facts
  const over = { status: 'False', reason: 'PodCompleted' }
  return {
    ...mapAt(pod, 'status'),
    phase: 'Succeeded',
    conditions: merged(facts, {
      Initialized: { status: 'True', reason: 'PodCompleted' },
      ContainersReady: over,
      Ready: over,
    }),
    containerStatuses: containersOf(pod, 'containers').map((container) => ({
      ...said(container, { ready: false, started: false }),
      state: completed(timestamp),
    })),
  }
}

function initStatuses(pod: JsonObject, timestamp: string): { readonly initContainerStatuses?: Json } {
  const containers = containersOf(pod, 'initContainers')
  if (containers.length === 0) return {}
  return {
    initContainerStatuses: containers.map((container) => {
      if (isMissing(textAt(container, 'image')))
        return { ...said(container, { ready: false, started: false }), state: pullBackOff(container) }
      return textAt(container, 'restartPolicy') === 'Always'
        ? { ...said(container, { ready: true, started: true }), state: { running: { startedAt: timestamp } } }
        : { ...said(container, { ready: true, started: false }), state: completed(timestamp) }
    }),
  }
}

function said(container: JsonObject, { ready, started }: { ready: boolean; started: boolean }): JsonObject {
  const [name, image] = [textAt(container, 'name'), textAt(container, 'image')]
  return { name, image, imageID: '', ready, started, restartCount: 0 }
}

function completed(timestamp: string): JsonObject {
  return { terminated: { exitCode: 0, reason: 'Completed', startedAt: timestamp, finishedAt: timestamp } }
}

function pullBackOff(container: JsonObject): JsonObject {
  const message = `Back-off pulling image ${JSON.stringify(textAt(container, 'image'))}`
  return { waiting: { reason: 'ImagePullBackOff', message } }
}

/** Keeps conditions of other types. A condition with an unchanged status keeps its lastTransitionTime. */
function merged(
  { pod, timestamp }: SimulationFacts,
  claims: Readonly<Record<string, JsonObject>>,
): readonly JsonObject[] {
  const others = structsAt(structAt(pod, 'status'), 'conditions').filter(
    (condition) => !Object.hasOwn(claims, textAt(condition, 'type')),
  )
  const ours = Object.entries(claims).map(([type, claim]) => {
    const before = conditionOf(pod, type)
    const isSame = before !== undefined && textAt(before, 'status') === textAt(claim, 'status')
    return { type, ...claim, lastTransitionTime: isSame ? textAt(before, 'lastTransitionTime') : timestamp }
  })
  return [...others, ...ours]
}

function containersOf(pod: JsonObject, key: string): readonly JsonObject[] {
  return structsAt(structAt(pod, 'spec'), key)
}

function imagesOf(pod: JsonObject, key: string): readonly string[] {
  return containersOf(pod, key).map((container) => textAt(container, 'image'))
}

function isMissing(image: string): boolean {
  return missingImage.test(image)
}
