// Decision of the disruption controller: the number of allowed disruptions, and the budget's status.
// Source: k8s.io/kubernetes/pkg/controller/disruption.
import { deepEqual, type Json, type JsonObject } from '../../../base/json.ts'
import { mapAt, structAt, structsAt, textAt, valueAt } from '../../built-in/field-walk.ts'
import { isTerminating, metadataNumber, metadataText } from '../../metadata.ts'
import { isReady } from './pod-state.ts'
import { scaledValue } from './scaled-value.ts'

/** Time after which an evicted pod that is not deleted counts as undisrupted again. */
const deletionTimeoutMs = 120_000

export interface DisruptionFacts {
  readonly budget: JsonObject
  readonly pods: readonly JsonObject[]
  /** Sum of the desired replicas of the pods' controllers; undefined if one of them is unknown. */
  readonly expectedScale: number | undefined
  /** Reason for an unknown scale. */
  readonly fault: string
  readonly nowMs: number
  readonly timestamp: string
}

export interface DisruptionPlan {
  /** The same reference if the status did not change. */
  readonly budget: JsonObject
  readonly againAfterMs: number | undefined
}

export function disruptionPlan(facts: DisruptionFacts): DisruptionPlan {
  const { budget, pods } = facts
  const spec = structAt(budget, 'spec')
  const counts = expectedCounts(facts, spec)
  if (counts === undefined) return { budget: failed(facts), againAfterMs: undefined }
  const { expectedPods, desiredHealthy } = counts
  const { disruptedPods, againAfterMs } = disruptedOf(facts)
  const currentHealthy = pods.filter(
    (pod) => !isTerminating(pod) && !Object.hasOwn(disruptedPods, metadataText(pod, 'name')) && isReady(pod),
  ).length
  const room = currentHealthy - desiredHealthy
  const disruptionsAllowed = expectedPods <= 0 || room <= 0 ? 0 : room
  const before = mapAt(budget, 'status')
  const observedGeneration = metadataNumber(budget, 'generation') ?? 0
  const isAllowed = disruptionsAllowed > 0
  const status = {
    ...{ observedGeneration, disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods },
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    conditions: withCondition(facts, {
      ...{ status: isAllowed ? 'True' : 'False', reason: isAllowed ? 'SufficientPods' : 'InsufficientPods' },
      ...{ message: '', observedGeneration },
    }),
  }
  return { budget: deepEqual(before, status) ? budget : { ...budget, status }, againAfterMs }
}

function expectedCounts(
  { pods, expectedScale }: DisruptionFacts,
  spec: JsonObject | undefined,
): { readonly expectedPods: number; readonly desiredHealthy: number } | undefined {
  const maxUnavailable = valueAt(spec, 'maxUnavailable')
  const minAvailable = valueAt(spec, 'minAvailable')
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return { expectedPods: pods.length, desiredHealthy: minAvailable }
  if (maxUnavailable === undefined && minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 }
  if (expectedScale === undefined) return undefined
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaledValue(minAvailable, expectedScale, 'up')
      : Math.max(0, expectedScale - scaledValue(maxUnavailable, expectedScale, 'up'))
  return { expectedPods: expectedScale, desiredHealthy }
}

/** Returns the evicted pods that are not deleted yet, and the time at which the first of them expires. */
function disruptedOf({ budget, pods, nowMs }: DisruptionFacts) {
  const noted = mapAt(structAt(budget, 'status'), 'disruptedPods')
  const disruptedPods: Record<string, Json> = {}
  let againAfterMs: number | undefined
  for (const pod of pods) {
    const name = metadataText(pod, 'name')
    const at = textAt(noted, name)
    const leftMs = Date.parse(at) + deletionTimeoutMs - nowMs
    if (at === '' || isTerminating(pod) || leftMs <= 0) continue
    disruptedPods[name] = at
    againAfterMs = Math.min(againAfterMs ?? leftMs, leftMs)
  }
  return { disruptedPods, againAfterMs }
}

function failed(facts: DisruptionFacts): JsonObject {
  const { budget, fault } = facts
  const before = mapAt(budget, 'status')
  const observedGeneration = valueAt(before, 'observedGeneration') ?? 0
  const condition = { status: 'False', reason: 'SyncFailed', message: fault, observedGeneration }
  const status = { ...before, disruptionsAllowed: 0, conditions: withCondition(facts, condition) }
  return deepEqual(before, status) ? budget : { ...budget, status }
}

/** As meta.SetStatusCondition: lastTransitionTime is the time of the last change of the status. */
function withCondition({ budget, timestamp }: DisruptionFacts, claim: JsonObject): readonly JsonObject[] {
  const type = 'DisruptionAllowed'
  const conditions = structsAt(structAt(budget, 'status'), 'conditions')
  const before = conditions.find((condition) => textAt(condition, 'type') === type)
  const isSame = before !== undefined && textAt(before, 'status') === textAt(claim, 'status')
  const condition = {
    type,
    ...claim,
    lastTransitionTime: isSame ? textAt(before, 'lastTransitionTime') : timestamp,
  }
  return before === undefined ? [...conditions, condition] : conditions.map((one) => (one === before ? condition : one))
}
