// Status of a pod: all fields that a kubelet writes, from the facts on this machine. A final phase never changes.
// Source: kubelet_pods.go generateAPIPodStatus.
import type { JsonObject } from '../base/json.ts'
import { containerStatusesOf, initContainerStatusesOf, secondsTimestamp } from './container-status.ts'
import type { PodObject, PodPhase } from './pod.ts'
import { podConditionsOf } from './pod-conditions.ts'
import type { PodLife } from './pod-life.ts'
import { phaseOf } from './pod-phase.ts'
import { endingOf } from './pod-plan.ts'

export interface StatusFacts {
  readonly pod: PodObject
  readonly life: PodLife
  readonly hostIp: string
  /** No container runs or will start. */
  readonly isOver: boolean
  readonly nowMs: number
}

/** Returns the node's fields of the status; other fields stay unchanged. */
export function podStatusOf({ pod, life, hostIp, isOver, nowMs }: StatusFacts): JsonObject {
  const now = secondsTimestamp(nowMs)
  const ending = endingOf(pod, life, nowMs)
  const moment = { pod, life, isEnding: ending !== undefined, nowMs }
  const init = initContainerStatusesOf(moment)
  const containers = containerStatusesOf(moment)
  const phase = ending?.failure === undefined ? phaseOf({ pod, init, containers, isOver }) : 'Failed'
  const verdict = lastPhaseOf(pod) ?? (isOver && !isLastPhase(phase) ? 'Failed' : phase)
  // A pod must not appear completed while one of its processes runs.
  const isEarly = isLastPhase(verdict) && !isOver
  const podIp = pod.spec.hostNetwork === true ? hostIp : life.podIp
  const { generation } = pod.metadata
  const status = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: isEarly ? (pod.status?.phase ?? 'Pending') : verdict,
    conditions: podConditionsOf({ pod, phase: verdict, init, containers, isSetUp: !isOver, now }),
    ...(isEarly ? {} : ending?.failure),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime: pod.status?.startTime ?? now,
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: containers,
  }
  // Sound: its parts are plain JSON; interfaces have no index signature.
  return status as unknown as JsonObject
}

/** Returns the final phase of a pod, which never changes; undefined if it is not final. */
function lastPhaseOf({ status }: PodObject): PodPhase | undefined {
  return isLastPhase(status?.phase) ? status?.phase : undefined
}

function isLastPhase(phase: PodPhase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}
