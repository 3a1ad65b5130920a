// What a worker's Job and its pods report: the newest termination message, and the conditions of the Job. Pure.
import { type Condition, findCondition, type LiveObject, valueAt } from '../../index.ts'
import { type KilledTry, killedTry } from './killed-try.ts'

/** `read`: undefined for what no worker wrote; for one that was killed before it could, its node speaks. */
export function lastWord<Report>(
  pods: readonly LiveObject[],
  read: (text: string | undefined) => Report | undefined,
): { readonly report: Report | KilledTry; readonly endedAtMs: number } | undefined {
  const words = pods.flatMap((pod) => {
    const terminated = terminatedIn(pod, 'containerStatuses') ?? failedFirstStep(pod)
    const report = read(terminated?.message) ?? killedTry(pod)
    // A pod that was told to go may have no word of its container left.
    const endedAt = terminated?.finishedAt ?? valueAt(pod, 'status', 'startTime')
    return report === undefined ? [] : [{ report, endedAtMs: millisecondsAt(String(endedAt)) }]
  })
  return words.toSorted((left, right) => right.endedAtMs - left.endedAtMs)[0]
}

interface Terminated {
  readonly message?: string
  readonly finishedAt?: string
  readonly exitCode?: number
}

/** A worker has one container, and one init container where its work has two steps. */
function terminatedIn(
  pod: LiveObject,
  statuses: 'containerStatuses' | 'initContainerStatuses',
): Terminated | undefined {
  // The status of a Pod.
  const found = valueAt(pod, 'status', statuses) as readonly ContainerStatus[] | undefined
  return found?.[0]?.state?.terminated
}

/** That a first step has ended well says nothing of the work. */
function failedFirstStep(pod: LiveObject): Terminated | undefined {
  const terminated = terminatedIn(pod, 'initContainerStatuses')
  return terminated === undefined || terminated.exitCode === 0 ? undefined : terminated
}

interface ContainerStatus {
  readonly state?: { readonly terminated?: Terminated }
}

/** Undefined unless it is True. */
export function jobCondition({ status }: LiveObject, type: string): Condition | undefined {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] } // The status of a Job.
  const found = findCondition(conditions, type)
  return found?.status === 'True' ? found : undefined
}

/** Is this pod still at work, or about to be? */
export function isAtWork(pod: LiveObject): boolean {
  return !['Succeeded', 'Failed'].includes(String(valueAt(pod, 'status', 'phase')))
}

/** Since the epoch; 0 for what is no timestamp. */
export function millisecondsAt(timestamp: string | undefined): number {
  const ms = Date.parse(timestamp ?? '')
  return Number.isNaN(ms) ? 0 : ms
}
