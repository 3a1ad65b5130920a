// Reports of a worker's Job and its pods: the newest termination message, and the conditions of the Job. Pure.
import { type Condition, findCondition, type LiveObject, valueAt } from '../../index.ts'
import { type KilledTry, killedTry } from './killed-try.ts'

/**
 * `read`: undefined if no worker wrote the text. For a worker that was killed without a report, the pod's status is the
 * report.
 */
export function lastWord<Report>(
  pods: readonly LiveObject[],
  read: (text: string | undefined) => Report | undefined,
): { readonly report: Report | KilledTry; readonly endedAtMs: number } | undefined {
  const words = pods.flatMap((pod) => {
    const terminated = terminatedIn(pod, 'containerStatuses') ?? failedFirstStep(pod)
    const report = read(terminated?.message) ?? killedTry(pod)
    // An evicted pod may have no status of its container left.
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

/** A worker has one container, and one init container if its work has two steps. */
function terminatedIn(
  pod: LiveObject,
  statuses: 'containerStatuses' | 'initContainerStatuses',
): Terminated | undefined {
  // The status of a Pod.
  const found = valueAt(pod, 'status', statuses) as readonly ContainerStatus[] | undefined
  return found?.[0]?.state?.terminated
}

/** The success of a first step does not complete the work. */
function failedFirstStep(pod: LiveObject): Terminated | undefined {
  const terminated = terminatedIn(pod, 'initContainerStatuses')
  return terminated === undefined || terminated.exitCode === 0 ? undefined : terminated
}

interface ContainerStatus {
  readonly state?: { readonly terminated?: Terminated }
}

/** Undefined unless the condition is True. */
export function jobCondition({ status }: LiveObject, type: string): Condition | undefined {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] } // The status of a Job.
  const found = findCondition(conditions, type)
  return found?.status === 'True' ? found : undefined
}

/** True while the pod runs, or may still start. */
export function isAtWork(pod: LiveObject): boolean {
  return !['Succeeded', 'Failed'].includes(String(valueAt(pod, 'status', 'phase')))
}

/** Milliseconds since the epoch; 0 if the text is no timestamp. */
export function millisecondsAt(timestamp: string | undefined): number {
  const ms = Date.parse(timestamp ?? '')
  return Number.isNaN(ms) ? 0 : ms
}
