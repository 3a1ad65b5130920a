// Decisions of the ReplicaSet controller: the numbers of pods to create or delete, and the status.
// Source: k8s.io/kubernetes/pkg/controller/replicaset.
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, structAt, structIn, structsAt, textAt } from '../../built-in/field-walk.ts'
import { isTerminating, labelsOf, metadataNumber } from '../../metadata.ts'
import { byDeletionRank } from './deletion-rank.ts'
import { isAvailable, isReady } from './pod-state.ts'

/** Number of pods that one reconcile creates or deletes at most. */
const burst = 500

export interface ReplicaPlan {
  readonly missing: number
  readonly surplus: readonly JsonObject[]
}

/**
 * Returns the pods to create and delete. `active` are the set's active pods, `related` those of all sets of the same
 * owner.
 */
export function replicaPlan(
  set: JsonObject,
  active: readonly JsonObject[],
  { related, nowMs }: { readonly related: () => readonly JsonObject[]; readonly nowMs: number },
): ReplicaPlan {
  const missing = desiredReplicas(set) - active.length
  if (isTerminating(set) || missing === 0) return { missing: 0, surplus: [] }
  if (missing > 0) return { missing: Math.min(missing, burst), surplus: [] }
  return { missing: 0, surplus: byDeletionRank(active, related(), nowMs).slice(0, Math.min(-missing, burst)) }
}

export function desiredReplicas(set: JsonObject): number {
  return integerAt(structAt(set, 'spec'), 'replicas')
}

export interface ReplicaStatusFacts {
  readonly active: readonly JsonObject[]
  readonly terminating: readonly JsonObject[]
  /** Error of the last plan. */
  readonly failure: string | undefined
  readonly nowMs: number
  readonly timestamp: string
}

/** Returns the set with its status; the same reference if the status did not change. */
export function withReplicaStatus(set: JsonObject, facts: ReplicaStatusFacts): JsonObject {
  const { active, terminating, nowMs } = facts
  const minReadySeconds = integerAt(structAt(set, 'spec'), 'minReadySeconds')
  const templateLabels = Object.entries(mapAt(structIn(set, 'spec', 'template', 'metadata'), 'labels'))
  const before = mapAt(set, 'status')
  const conditions = conditionsOf(set, facts)
  const { conditions: _, ...rest } = before
  const status = {
    ...rest,
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => templateLabels.every(([key, value]) => labelsOf(pod)[key] === value))
      .length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length,
    terminatingReplicas: terminating.length,
    observedGeneration: metadataNumber(set, 'generation') ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  }
  return deepEqual(status, before) ? set : { ...set, status }
}

/** Sets the condition ReplicaFailure while pods cannot be created or deleted. */
function conditionsOf(set: JsonObject, { active, failure, timestamp }: ReplicaStatusFacts): readonly JsonObject[] {
  const before = structsAt(structAt(set, 'status'), 'conditions')
  const others = before.filter((condition) => textAt(condition, 'type') !== 'ReplicaFailure')
  if (failure === undefined) return others
  if (others.length < before.length) return before
  const reason = active.length < desiredReplicas(set) ? 'FailedCreate' : 'FailedDelete'
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp, reason, message: failure },
  ]
}
