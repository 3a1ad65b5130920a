// Finds why a replica does not start, from the pods' status. `kubectl describe` of their resource then shows it. Pure.
import type { KubeObject } from '../../index.ts'
import { podConditionOf, recordOf, recordsAt } from './replica.ts'

/** Each kind has its own reason for a crashing pod. The others are reasons of Ready in the contract. */
export type PodProblemReason = 'ImagePullFailed' | 'CrashLooping' | 'VolumePending' | 'Unschedulable'

export interface PodProblem {
  readonly reason: PodProblemReason
  /** One sentence that names the pod. */
  readonly message: string
}

const pullFailures = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
])

/** Reasons by severity, most severe first. */
const gravity: readonly PodProblemReason[] = ['ImagePullFailed', 'CrashLooping', 'VolumePending', 'Unschedulable']

/** Returns the most severe problem of some pods; of two alike, that of the pod whose name comes first. */
export function podProblemOf(pods: readonly KubeObject[], nowMs: number): PodProblem | undefined {
  const troubles = [...pods]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((pod) => lastingProblemOf(pod, nowMs) ?? [])
  return gravity.flatMap((reason) => troubles.find((trouble) => trouble.reason === reason) ?? [])[0]
}

/** Normal waiting time of a pod for its volume or a node; a longer wait is reported. Milliseconds. */
export const schedulingGraceMs = 120_000

function lastingProblemOf(pod: KubeObject, nowMs: number): PodProblem | undefined {
  const trouble = problemOf(pod)
  const isOfScheduling = trouble?.reason === 'VolumePending' || trouble?.reason === 'Unschedulable'
  const since = Date.parse(String(podConditionOf(pod, 'PodScheduled')?.['lastTransitionTime']))
  return isOfScheduling && nowMs - since < schedulingGraceMs ? undefined : trouble
}

/** Returns the problem of one pod. Undefined if it runs, or has only not started. */
export function problemOf(pod: KubeObject): PodProblem | undefined {
  const { name } = pod.metadata
  for (const container of recordsAt(pod, 'status', 'containerStatuses')) {
    const { reason, message } = recordOf(recordOf(container.state).waiting)
    const said = typeof message === 'string' && message !== '' ? `: ${message}` : ''
    if (typeof reason !== 'string') continue
    if (pullFailures.has(reason))
      return { reason: 'ImagePullFailed', message: `pod ${name} cannot get image ${container.image}${said}` }
    if (reason === 'CrashLoopBackOff')
      return { reason: 'CrashLooping', message: `pod ${name} crashes again and again${said}` }
  }
  const scheduled = podConditionOf(pod, 'PodScheduled')
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined
  const message = String(scheduled.message ?? 'no node takes it')
  const reason = /persistentvolumeclaim|volume/i.test(message) ? 'VolumePending' : 'Unschedulable'
  return { reason, message: `pod ${name} cannot be scheduled: ${message}` }
}
