// Container statuses as a kubelet writes them: state, last state, restarts, started, ready. Source: kubelet_pods.go
// convertToAPIContainerStatuses and prober_manager.go UpdatePodStatus.
import {
  type ContainerSpec,
  type ContainerStateStatus,
  type ContainerStatus,
  isSidecar,
  type PodObject,
  type TerminatedStatus,
} from './pod.ts'
import { type ContainerLife, containerLife, type Exit, isReady, isStarted, type PodLife } from './pod-life.ts'
import { isRestarted } from './pod-plan.ts'
import { goDuration, restartDueMs } from './restart-backoff.ts'

export interface StatusMoment {
  readonly pod: PodObject
  readonly life: PodLife
  /** All its containers end or have ended; no start is pending. */
  readonly isEnding: boolean
  readonly nowMs: number
}

/** Returns the statuses of init containers in the order of the spec, as a kubelet does. */
export function initContainerStatusesOf(moment: StatusMoment): readonly ContainerStatus[] {
  return (moment.pod.spec.initContainers ?? []).map((container) => {
    const life = containerLife(moment.life, container.name)
    const hasSucceeded = life.state.kind === 'exited' && life.state.exit.exitCode === 0
    const ready = isSidecar(container) ? isReady(life) : hasSucceeded
    return { ...statusOf(moment, container, life), ready }
  })
}

/** Returns the statuses of containers, sorted by name. */
export function containerStatusesOf(moment: StatusMoment): readonly ContainerStatus[] {
  return moment.pod.spec.containers
    .map((container) => statusOf(moment, container, containerLife(moment.life, container.name)))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

/** Formats a time as RFC 3339 in UTC with whole seconds. */
export function secondsTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

function statusOf(moment: StatusMoment, container: ContainerSpec, life: ContainerLife): ContainerStatus {
  const { name, image } = container
  const state = stateOf(moment, container, life)
  // A run that waits for its restart has ended: it is the last state.
  const last = state.waiting !== undefined && life.state.kind === 'exited' ? life.state.exit : life.previous
  const containerId = containerIdOf(life)
  return {
    name,
    state,
    lastState: last === undefined ? {} : { terminated: terminatedOf(last) },
    ready: isReady(life),
    started: isStarted(life),
    restartCount: life.restartCount,
    image,
    imageID: containerId === undefined ? '' : imageIdOf(image),
    ...(containerId === undefined ? {} : { containerID: `konverge://${containerId}` }),
    ...resourcesOf(container),
    ...mountsOf(container),
  }
}

function stateOf(moment: StatusMoment, container: ContainerSpec, life: ContainerLife): ContainerStateStatus {
  const { state } = life
  switch (state.kind) {
    case 'running':
      return { running: { startedAt: secondsTimestamp(state.startedAtMs) } }
    case 'exited':
      return backoffOf(moment, container, life, state.exit) ?? { terminated: terminatedOf(state.exit) }
    case 'starting':
      return { waiting: { reason: beginningOf(moment) } }
    case 'waiting': {
      const { trouble } = state
      return { waiting: trouble?.words ?? { reason: beginningOf(moment) } }
    }
  }
}

function beginningOf({ pod }: StatusMoment): string {
  return (pod.spec.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating'
}

/** Returns the CrashLoopBackOff state; undefined if no restart is pending. */
function backoffOf(
  { pod, isEnding, nowMs }: StatusMoment,
  container: ContainerSpec,
  { backoff }: ContainerLife,
  exit: Exit,
): ContainerStateStatus | undefined {
  if (isEnding || backoff === undefined || !isRestarted(pod, container, exit.exitCode)) return undefined
  if (nowMs >= restartDueMs(backoff, exit.finishedAtMs ?? nowMs)) return undefined
  const { namespace, name, uid } = pod.metadata
  const whose = `container=${container.name} pod=${name}_${namespace}(${uid})`
  const message = `back-off ${goDuration(backoff.delayMs)} restarting failed ${whose}`
  return { waiting: { reason: 'CrashLoopBackOff', message } }
}

function terminatedOf({ exitCode, reason, message, containerId, startedAtMs, finishedAtMs }: Exit): TerminatedStatus {
  return {
    exitCode,
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: startedAtMs === undefined ? null : secondsTimestamp(startedAtMs),
    finishedAt: finishedAtMs === undefined ? null : secondsTimestamp(finishedAtMs),
    ...(containerId === undefined ? {} : { containerID: `konverge://${containerId}` }),
  }
}

function containerIdOf({ state, previous }: ContainerLife): string | undefined {
  if (state.kind === 'running') return state.containerId
  return state.kind === 'exited' ? state.exit.containerId : previous?.containerId
}

/** Returns the image ID: the local node pulls no images, so the name replaces the digest. */
function imageIdOf(image: string): string {
  return `konverge://${image}`
}

function resourcesOf({ resources = {} }: ContainerSpec) {
  const { requests } = resources
  const allocated = requests === undefined || Object.keys(requests).length === 0 ? {} : { allocatedResources: requests }
  return { resources, ...allocated }
}

function mountsOf({ volumeMounts = [] }: ContainerSpec) {
  if (volumeMounts.length === 0) return {}
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true ? { readOnly, recursiveReadOnly: 'Disabled' } : {}),
    })),
  }
}

/** Returns the status of the named container, or undefined. */
export function statusNamed(statuses: readonly ContainerStatus[], name: string): ContainerStatus | undefined {
  return statuses.find((status) => status.name === name)
}
