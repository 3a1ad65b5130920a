// Why does a replica not come up? Read from the pods' own words, so that `kubectl describe` of whose they are answers it. Pure.
import type { KubeObject } from '../../index.ts'
import { podConditionOf, recordOf, recordsAt } from './replica.ts'

/** What a kind calls a pod that crashes is its own; the others are the contract's reasons of Ready. */
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

/** What people should hear first, first. */
const gravity: readonly PodProblemReason[] = ['ImagePullFailed', 'CrashLooping', 'VolumePending', 'Unschedulable']

/** The gravest trouble of some pods; of two alike, the one of the pod whose name comes first. */
export function podProblemOf(pods: readonly KubeObject[], nowMs: number): PodProblem | undefined {
  const troubles = [...pods]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((pod) => lastingProblemOf(pod, nowMs) ?? [])
  return gravity.flatMap((reason) => troubles.find((trouble) => trouble.reason === reason) ?? [])[0]
}

/** A pod waits for its volume and for room every day; people want to hear of it when it lasts. Milliseconds. */
export const schedulingGraceMs = 120_000

function lastingProblemOf(pod: KubeObject, nowMs: number): PodProblem | undefined {
  const trouble = problemOf(pod)
  const isOfScheduling = trouble?.reason === 'VolumePending' || trouble?.reason === 'Unschedulable'
  const since = Date.parse(String(podConditionOf(pod, 'PodScheduled')?.['lastTransitionTime']))
  return isOfScheduling && nowMs - since < schedulingGraceMs ? undefined : trouble
}

/** The trouble of one pod; undefined for one that runs or only has not begun. */
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
