// State of a pod's containers on this machine: starts, exits, probe results. Pure functions here record each fact;
// pod-plan.ts decides what to do. The states of a container:
//
//   waiting ──start──▶ starting ──▶ running ──(stop requested: stopping)──▶ exited ──restart──▶ starting …
//                         └─ start failed ─▶ waiting, with a reason and the time of the next attempt
import { assert } from '../base/assert.ts'
import {
  allContainersOf,
  type ContainerSpec,
  type ContainerStatus,
  type PodObject,
  type TerminatedStatus,
} from './pod.ts'
import {
  answeredProbe,
  freshProbe,
  type ProbeAnswer,
  type ProbeKind,
  type ProbeState,
  probeKinds,
  probeOf,
  requestedProbe,
} from './probe-state.ts'
import { backoffAfterRestart, type RestartBackoff } from './restart-backoff.ts'

export interface PodLife {
  readonly podIp: string
  /** Time when this node first received the pod. */
  readonly seenAtMs: number
  readonly containers: Readonly<Record<string, ContainerLife>>
}

export interface ContainerLife {
  readonly state: ContainerState
  /** Exit of the previous run. */
  readonly previous?: Exit
  readonly restartCount: number
  readonly backoff?: RestartBackoff
  readonly probes: Readonly<Partial<Record<ProbeKind, ProbeState>>>
}

export type ContainerState =
  | { readonly kind: 'waiting'; readonly trouble?: PodProblem }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly containerId: string; readonly startedAtMs: number; readonly stop?: Stop }
  | { readonly kind: 'exited'; readonly exit: Exit }

/** Failure of a container's start. */
export interface PodProblem {
  /** Waiting state to report; absent: that of a new pod. */
  readonly words?: { readonly reason: string; readonly message: string }
  readonly retryAtMs: number
}

export interface Exit {
  readonly containerId?: string
  readonly exitCode: number
  readonly reason: string
  readonly message?: string
  readonly startedAtMs?: number
  readonly finishedAtMs?: number
}

/** Stop of a running container. */
export interface Stop {
  readonly beganAtMs: number
  readonly graceMs: number
  readonly isKilled: boolean
}

/**
 * Returns the state of a pod that is new to this process. Facts from its status remain valid; containers that were
 * running have ended.
 */
export function beginLife(pod: PodObject, at: { readonly podIp: string; readonly nowMs: number }): PodLife {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  const containers = allContainersOf(pod).map(({ name }): [string, ContainerLife] => {
    const status = statuses.find((candidate) => candidate.name === name)
    return [name, status === undefined ? neverStarted : rememberedContainer(status, at.nowMs)]
  })
  return { podIp: at.podIp, seenAtMs: at.nowMs, containers: Object.fromEntries(containers) }
}

/** Returns the state of a container of this pod. */
export function containerLife(life: PodLife, name: string): ContainerLife {
  const container = life.containers[name]
  assert(container !== undefined, `container ${name} is one of the pod's`)
  return container
}

export function startingContainer(life: PodLife, name: string): PodLife {
  const { state, previous, ...kept } = containerLife(life, name)
  const before = state.kind === 'exited' ? state.exit : previous
  const next: ContainerLife = {
    ...kept,
    state: { kind: 'starting' },
    ...(before === undefined ? {} : { previous: before }),
  }
  return withContainer(life, name, state.kind === 'exited' ? { ...next, restartCount: kept.restartCount + 1 } : next)
}

export function startFailed(life: PodLife, name: string, trouble: PodProblem): PodLife {
  return withContainer(life, name, { ...containerLife(life, name), state: { kind: 'waiting', trouble } })
}

export interface Started {
  readonly spec: ContainerSpec
  readonly containerId: string
  readonly nowMs: number
}

export function startedContainer(life: PodLife, { spec, containerId, nowMs }: Started): PodLife {
  const container = containerLife(life, spec.name)
  const probes = probeKinds.flatMap((kind): [ProbeKind, ProbeState][] => {
    const probe = probeOf(spec, kind)
    return probe === undefined ? [] : [[kind, freshProbe(kind, probe, nowMs)]]
  })
  const finishedAtMs = container.previous?.finishedAtMs ?? nowMs
  const backoff =
    container.previous === undefined
      ? container.backoff
      : backoffAfterRestart(container.backoff, { finishedAtMs, nowMs })
  return withContainer(life, spec.name, {
    ...container,
    state: { kind: 'running', containerId, startedAtMs: nowMs },
    probes: Object.fromEntries(probes),
    ...(backoff === undefined ? {} : { backoff }),
  })
}

/** Records an exit. After a signal, `exitCode` is 128 plus its number, as in a shell. */
export function exitedContainer(
  life: PodLife,
  name: string,
  { exitCode, message, nowMs }: { readonly exitCode: number; readonly message?: string; readonly nowMs: number },
): PodLife {
  const container = containerLife(life, name)
  const { state } = container
  if (state.kind !== 'running') return life
  const exit: Exit = {
    containerId: state.containerId,
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    ...(message === undefined ? {} : { message }),
    startedAtMs: state.startedAtMs,
    finishedAtMs: nowMs,
  }
  return withContainer(life, name, { ...container, state: { kind: 'exited', exit }, probes: {} })
}

export function stoppingContainer(life: PodLife, name: string, graceMs: number, nowMs: number): PodLife {
  return withStop(life, name, (stop) => ({ isKilled: false, beganAtMs: stop?.beganAtMs ?? nowMs, graceMs }))
}

export function killedContainer(life: PodLife, name: string, nowMs: number): PodLife {
  return withStop(life, name, (stop) => ({ beganAtMs: nowMs, graceMs: 0, ...stop, isKilled: true }))
}

export function probeRequested(life: PodLife, name: string, kind: ProbeKind): PodLife {
  const container = containerLife(life, name)
  const state = container.probes[kind]
  assert(state !== undefined, `the ${kind} probe that is asked is one of the container's`)
  return withContainer(life, name, { ...container, probes: { ...container.probes, [kind]: requestedProbe(state) } })
}

/** Records a probe result. A result for an earlier run of the container is ignored. */
export function probeAnswered(
  life: PodLife,
  name: string,
  answer: ProbeAnswer & { readonly containerId: string; readonly nowMs: number },
): PodLife {
  const container = containerLife(life, name)
  const state = container.probes[answer.kind]
  const isSameRun = container.state.kind === 'running' && container.state.containerId === answer.containerId
  if (state === undefined || !isSameRun) return life
  const probes = { ...container.probes, [answer.kind]: answeredProbe(state, answer) }
  return withContainer(life, name, { ...container, probes })
}

/** Returns whether the container runs and has passed its startup probe, so that dependents can start. */
export function isStarted({ state, probes }: ContainerLife): boolean {
  return state.kind === 'running' && (probes.startup === undefined || probes.startup.verdict === 'success')
}

export function isReady(container: ContainerLife): boolean {
  const { readiness } = container.probes
  return isStarted(container) && (readiness === undefined || readiness.verdict === 'success')
}

const neverStarted: ContainerLife = { state: { kind: 'waiting' }, restartCount: 0, probes: {} }

/**
 * Returns the exit of a run whose end the node did not observe. Source: kubelet_pods.go, convertToAPIContainerStatuses.
 */
function unseenExit({ state, containerID }: ContainerStatus, nowMs: number): Exit {
  const startedAtMs = msOf(state.running?.startedAt)
  return {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    finishedAtMs: nowMs,
    ...(containerID === undefined ? {} : { containerId: bareId(containerID) }),
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
  }
}

function rememberedContainer(status: ContainerStatus, nowMs: number): ContainerLife {
  const { state, lastState, restartCount } = status
  const previous = lastState.terminated === undefined ? {} : { previous: exitOf(lastState.terminated) }
  const kept = { restartCount, probes: {}, ...previous }
  if (state.terminated !== undefined) return { ...kept, state: { kind: 'exited', exit: exitOf(state.terminated) } }
  if (state.running !== undefined) return { ...kept, state: { kind: 'exited', exit: unseenExit(status, nowMs) } }
  // The container had ended and waited for its restart, so its next start counts as a restart.
  if (lastState.terminated !== undefined) {
    return { restartCount, probes: {}, state: { kind: 'exited', exit: exitOf(lastState.terminated) } }
  }
  return { ...kept, state: { kind: 'waiting' } }
}

function exitOf({ exitCode, reason, message, startedAt, finishedAt, containerID }: TerminatedStatus): Exit {
  const startedAtMs = msOf(startedAt)
  const finishedAtMs = msOf(finishedAt)
  return {
    exitCode,
    reason: reason ?? 'Error',
    ...(message === undefined ? {} : { message }),
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
    ...(finishedAtMs === undefined ? {} : { finishedAtMs }),
    ...(containerID === undefined ? {} : { containerId: bareId(containerID) }),
  }
}

/** Returns the ID in `konverge://<id>`. */
function bareId(containerId: string): string {
  return containerId.slice(containerId.indexOf('//') + 2)
}

function msOf(timestamp: string | null | undefined): number | undefined {
  return timestamp === undefined || timestamp === null ? undefined : Date.parse(timestamp)
}

function withStop(life: PodLife, name: string, next: (stop: Stop | undefined) => Stop): PodLife {
  const container = containerLife(life, name)
  const { state } = container
  if (state.kind !== 'running') return life
  return withContainer(life, name, { ...container, state: { ...state, stop: next(state.stop) } })
}

function withContainer(life: PodLife, name: string, container: ContainerLife): PodLife {
  return { ...life, containers: { ...life.containers, [name]: container } }
}
