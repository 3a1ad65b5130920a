// Which status does a pod have? The whole of what a kubelet writes, from the facts on this machine. A phase that was the last
// stays. Source: kubelet_pods.go generateAPIPodStatus.
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
  /** Nothing runs and nothing ever will. */
  readonly isOver: boolean
  readonly nowMs: number
}

/** The fields that are the node's; what else the status holds is not touched. */
export function podStatusOf({ pod, life, hostIp, isOver, nowMs }: StatusFacts): JsonObject {
  const now = secondsTimestamp(nowMs)
  const ending = endingOf(pod, life, nowMs)
  const moment = { pod, life, isEnding: ending !== undefined, nowMs }
  const init = initContainerStatusesOf(moment)
  const containers = containerStatusesOf(moment)
  const phase = ending?.failure === undefined ? phaseOf({ pod, init, containers, isOver }) : 'Failed'
  const verdict = lastPhaseOf(pod) ?? (isOver && !isLastPhase(phase) ? 'Failed' : phase)
  // Nobody may take a pod for ended while a process of its still runs.
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

/** No pod leaves such a phase. */
function lastPhaseOf({ status }: PodObject): PodPhase | undefined {
  return isLastPhase(status?.phase) ? status?.phase : undefined
}

function isLastPhase(phase: PodPhase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}
