// Pods of a Job: their templates, results, completion indexes, and the backoff after failures.
// Source: k8s.io/kubernetes/pkg/controller/job/{indexed_job_utils,backoff_utils}.go.
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, structAt, structIn, structsAt, textAt } from '../../built-in/field-walk.ts'
import { finalizersOf, isTerminating, labelsOf, metadataOf, metadataText, withMetadata } from '../../metadata.ts'
import { conditionOf, phaseOf } from './pod-state.ts'
import { templatePod } from './template-pod.ts'

/** Finalizer that keeps a pod until the Job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'
const indexKey = 'batch.kubernetes.io/job-completion-index'
const firstBackoffMs = 10_000
const longestBackoffMs = 600_000

/** Returns the pod for a completion index; undefined means a pod without an index. */
export function jobPod(job: JsonObject, index: number | undefined): JsonObject {
  const pod = templatePod(job)
  const tracked = withMetadata(pod, { finalizers: [...new Set([...finalizersOf(pod), trackingFinalizer])] })
  if (index === undefined) return tracked
  const name = `${metadataText(job, 'name')}-${index}`
  const spec = mapAt(tracked, 'spec')
  const indexed = withMetadata(tracked, {
    generateName: `${name}-`,
    labels: { ...labelsOf(pod), [indexKey]: String(index) },
    annotations: { ...mapAt(metadataOf(pod), 'annotations'), [indexKey]: String(index) },
  })
  const withIndex = (key: string) => {
    const containers = structsAt(spec, key)
    return containers.length === 0 ? {} : { [key]: containers.map(withIndexVariable) }
  }
  return { ...indexed, spec: { ...spec, hostname: name, ...withIndex('containers'), ...withIndex('initContainers') } }
}

export function isIndexed(job: JsonObject): boolean {
  return textAt(structAt(job, 'spec'), 'completionMode') === 'Indexed'
}

export function indexOf(pod: JsonObject): number | undefined {
  const text = textAt(mapAt(metadataOf(pod), 'annotations'), indexKey)
  return text === '' ? undefined : Number(text)
}

/** True for a failed pod, and for a pod that is deleted before it succeeded. */
export function hasFailed(pod: JsonObject): boolean {
  return phaseOf(pod) === 'Failed' || (isTerminating(pod) && phaseOf(pod) !== 'Succeeded')
}

export function isCounted(pod: JsonObject): boolean {
  return !finalizersOf(pod).includes(trackingFinalizer)
}

/** Returns the milliseconds until new pods may be created after the last failures. */
export function backoffMs(pods: readonly JsonObject[], nowMs: number): number {
  const ended = pods
    .filter((pod) => phaseOf(pod) === 'Succeeded' || hasFailed(pod))
    .map((pod) => ({ failed: hasFailed(pod), atMs: endedMs(pod) }))
    .sort((left, right) => left.atMs - right.atMs)
  const lastSuccess = ended.findLastIndex(({ failed }) => !failed)
  const failures = ended.slice(lastSuccess + 1)
  const last = failures.at(-1)
  if (last === undefined) return 0
  const waitMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(failures.length - 1, 10))
  return Math.max(0, last.atMs + waitMs - nowMs)
}

/** Parses `0-2,5` to its numbers. */
export function indexesIn(text: string): ReadonlySet<number> {
  const indexes = new Set<number>()
  for (const part of text === '' ? [] : text.split(',')) {
    const [first = 0, last = first] = part.split('-').map(Number)
    for (let index = first; index <= last; index++) indexes.add(index)
  }
  return indexes
}

/** Formats numbers as `0-2,5`: two consecutive numbers are listed, three or more form a range. */
export function indexText(indexes: Iterable<number>): string {
  const ranges: { first: number; last: number }[] = []
  for (const index of [...indexes].sort((left, right) => left - right)) {
    const range = ranges.at(-1)
    if (range !== undefined && range.last === index - 1) range.last = index
    else ranges.push({ first: index, last: index })
  }
  return ranges
    .map(({ first, last }) => {
      if (first === last) return String(first)
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`
    })
    .join(',')
}

function withIndexVariable(container: JsonObject): JsonObject {
  const env = structsAt(container, 'env')
  if (env.some((variable) => textAt(variable, 'name') === 'JOB_COMPLETION_INDEX')) return container
  const fieldRef = { apiVersion: 'v1', fieldPath: `metadata.labels['${indexKey}']` }
  return { ...container, env: [...env, { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef } }] }
}

function endedMs(pod: JsonObject): number {
  const ends = structsAt(structAt(pod, 'status'), 'containerStatuses').map((status) =>
    Date.parse(textAt(structIn(status, 'state', 'terminated'), 'finishedAt')),
  )
  const known = ends.filter((end) => !Number.isNaN(end))
  if (known.length > 0) return Math.max(...known)
  const changed = textAt(conditionOf(pod, 'Ready'), 'lastTransitionTime') || metadataText(pod, 'deletionTimestamp')
  return Date.parse(changed || metadataText(pod, 'creationTimestamp'))
}
