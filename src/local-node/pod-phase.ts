// Phase of a pod. Source: kubelet_pods.go getPhase, with the feature gates of 1.36.

import { statusNamed } from './container-status.ts'
import type { ContainerSpec, ContainerStatus, PodObject, PodPhase } from './pod.ts'
import { isSidecar } from './pod.ts'
import { isRestarted } from './pod-plan.ts'

export interface PhaseFacts {
  readonly pod: PodObject
  readonly init: readonly ContainerStatus[]
  readonly containers: readonly ContainerStatus[]
  /** No container runs or will start, whatever the restart policy. */
  readonly isOver: boolean
}

/** Returns the phase. The caller keeps a final phase. */
export function phaseOf({ pod, init, containers, isOver }: PhaseFacts): PodPhase {
  const initSpecs = pod.spec.initContainers ?? []
  const regularInit = initSpecs.filter((spec) => !isSidecar(spec)).map((spec) => initStage(pod, spec, init))
  if (regularInit.includes('failed for good')) return 'Failed'
  const hasBegun = containers.some(
    ({ state, lastState }) => state.waiting === undefined || lastState.terminated !== undefined,
  )
  const sidecars = initSpecs.filter(isSidecar).map((spec) => statusNamed(init, spec.name))
  if (regularInit.includes('pending')) return 'Pending'
  if (!hasBegun && sidecars.some(isPendingSidecar)) return 'Pending'
  if ([...containers, ...sidecars].some(isFirstWait)) return 'Pending'
  const isAnyRunning = [...containers, ...sidecars].some((status) => status?.state.running !== undefined)
  if (isAnyRunning) return 'Running'
  const ends = containers.flatMap(({ state, lastState }) => state.terminated ?? lastState.terminated ?? [])
  if (ends.length === 0) return 'Pending'
  const hasSucceeded = ends.every(({ exitCode }) => exitCode === 0)
  const isRestarting = pod.spec.containers.some((spec) => {
    const status = statusNamed(containers, spec.name)
    const end = status?.state.terminated ?? status?.lastState.terminated
    return end !== undefined && isRestarted(pod, spec, end.exitCode)
  })
  if (!isOver && isRestarting) return 'Running'
  return hasSucceeded ? 'Succeeded' : 'Failed'
}

type InitStage = 'passed' | 'pending' | 'failed' | 'failed for good'

function initStage(pod: PodObject, spec: ContainerSpec, statuses: readonly ContainerStatus[]): InitStage {
  const status = statusNamed(statuses, spec.name)
  if (status === undefined || status.state.running !== undefined) return 'pending'
  const end = status.state.terminated ?? status.lastState.terminated
  if (end === undefined) return 'pending'
  if (end.exitCode === 0) return 'passed'
  return isRestarted(pod, spec, end.exitCode) ? 'failed' : 'failed for good'
}

function isPendingSidecar(status: ContainerStatus | undefined): boolean {
  if (status === undefined) return true
  return status.state.running !== undefined ? !status.started : isFirstWait(status)
}

function isFirstWait(status: ContainerStatus | undefined): boolean {
  return status?.state.waiting !== undefined && status.lastState.terminated === undefined
}
