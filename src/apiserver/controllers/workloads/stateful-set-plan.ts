// Next step of a StatefulSet, pod by pod in order of ordinals, or in parallel. Scaling comes before updating.
// An ordered set waits for each pod to be available. A pod that never becomes available therefore blocks the rollout.
// Source: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go.
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, optionalIntegerAt, structAt, structIn, textAt } from '../../built-in/field-walk.ts'
import { isTerminating, metadataNumber, metadataText } from '../../metadata.ts'
import { isStaleFor, retainingOwners } from './claim-retention.ts'
import { isAvailable, isFinished, isRunningAndReady, phaseOf } from './pod-state.ts'
import {
  claimsOf,
  firstOrdinal,
  hasIdentity,
  hasStorage,
  isInRange,
  memberPod,
  ordinalOf,
  replicasOf,
  revisionOf,
} from './stateful-set-pods.ts'

export type SetAction =
  | { readonly kind: 'create'; readonly pod: JsonObject; readonly ordinal: number }
  | { readonly kind: 'claim'; readonly pod: JsonObject; readonly ordinal: number }
  | { readonly kind: 'repair' | 'retain' | 'delete'; readonly pod: JsonObject }

export interface SetFacts {
  readonly set: JsonObject
  /** Members of the set. */
  readonly pods: readonly JsonObject[]
  readonly current: JsonObject
  readonly update: JsonObject
  readonly collisionCount: number
  readonly claim: (name: string) => JsonObject | undefined
  readonly nowMs: number
}

export interface SetPlan {
  readonly actions: readonly SetAction[]
  readonly status: JsonObject
}

/** An ordinal of the set with its pod, existing or to be created. */
interface Place {
  readonly pod: JsonObject
  readonly ordinal: number
  readonly isThere: boolean
}

export function statefulSetPlan(facts: SetFacts): SetPlan {
  const { set, pods } = facts
  if (isTerminating(set)) return { actions: [], status: statusOf(facts, 0) }
  const isOrdered = textAt(structAt(set, 'spec'), 'podManagementPolicy') !== 'Parallel'
  const places = placesOf(facts)
  const condemned = pods
    .filter((pod) => ordinalOf(set, pod) !== undefined && !isInRange(set, pod))
    .sort((left, right) => (ordinalOf(set, right) ?? 0) - (ordinalOf(set, left) ?? 0))
  const actions: SetAction[] = []
  const plan = (deleted = 0): SetPlan => ({ actions, status: statusOf(facts, deleted) })
  for (const place of places) {
    const step = placeStep(place, facts, isOrdered)
    actions.push(...step.actions)
    if (step.isBlocked && isOrdered) return plan()
  }
  for (const pod of condemned) if (hasClaimsToRetain(pod, facts)) actions.push({ kind: 'retain', pod })
  const firstUnavailable = [...places.map(({ pod }) => pod), ...condemned.toReversed()].find((pod) =>
    isUnavailable(pod, facts),
  )
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (isOrdered) return plan()
      continue
    }
    if (isOrdered && pod !== firstUnavailable && isUnavailable(pod, facts)) return plan()
    actions.push({ kind: 'delete', pod })
    if (isOrdered) return plan()
  }
  const outdated = outdatedPod(places, facts)
  if (outdated === undefined) return plan()
  actions.push({ kind: 'delete', pod: outdated })
  return plan(1)
}

function placesOf(facts: SetFacts): readonly Place[] {
  const { set, pods } = facts
  const first = firstOrdinal(set)
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]))
  return Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = first + index
    const pod = byOrdinal.get(ordinal)
    return pod === undefined
      ? { pod: memberPod(set, ordinal, revisionFor(ordinal, facts)), ordinal, isThere: false }
      : { pod, ordinal, isThere: true }
  })
}

/** Ordinals below the partition keep the old revision. */
function revisionFor(ordinal: number, { set, current, update }: SetFacts): JsonObject {
  const strategy = structIn(set, 'spec', 'updateStrategy')
  const rolling = structAt(strategy, 'rollingUpdate')
  const isOld =
    rolling === undefined
      ? textAt(strategy, 'type') === 'RollingUpdate' &&
        ordinal < firstOrdinal(set) + integerAt(structAt(set, 'status'), 'currentReplicas')
      : ordinal < firstOrdinal(set) + integerAt(rolling, 'partition')
  return isOld ? current : update
}

interface PlaceStep {
  readonly actions: readonly SetAction[]
  /** True if an ordered set waits and continues with no other pod. */
  readonly isBlocked: boolean
}

function placeStep({ pod, ordinal, isThere }: Place, facts: SetFacts, isOrdered: boolean): PlaceStep {
  const { set } = facts
  if (!isThere) {
    const isKept = claimsOf(set, ordinal).some(({ name }) => {
      const claim = facts.claim(name)
      return claim !== undefined && isStaleFor(claim, set, { ...pod, apiVersion: 'v1', kind: 'Pod' })
    })
    return { actions: isKept ? [] : [{ kind: 'create', pod, ordinal }], isBlocked: true }
  }
  if (isFinished(pod)) return { actions: isTerminating(pod) ? [] : [{ kind: 'delete', pod }], isBlocked: true }
  const lacksClaim = claimsOf(set, ordinal).some(({ name }) => facts.claim(name) === undefined)
  const claims: readonly SetAction[] = phaseOf(pod) === 'Pending' && lacksClaim ? [{ kind: 'claim', pod, ordinal }] : []
  if (isOrdered && (isTerminating(pod) || !isRunningAndReady(pod) || isUnavailable(pod, facts)))
    return { actions: claims, isBlocked: true }
  const isRight = hasIdentity(set, pod) && hasStorage(set, pod) && !hasClaimsToRetain(pod, facts)
  return { actions: isRight ? claims : [...claims, { kind: 'repair', pod }], isBlocked: false }
}

function hasClaimsToRetain(pod: JsonObject, { set, claim }: SetFacts): boolean {
  return claimsOf(set, ordinalOf(set, pod) ?? -1).some(({ name }) => {
    const live = claim(name)
    return live !== undefined && retainingOwners(live, set, pod) !== undefined
  })
}

/** Returns the pod to delete for the update: the last one of an old revision, if all later ordinals are available. */
function outdatedPod(places: readonly Place[], facts: SetFacts): JsonObject | undefined {
  const strategy = structIn(facts.set, 'spec', 'updateStrategy')
  if (textAt(strategy, 'type') === 'OnDelete') return undefined
  const partition = integerAt(structAt(strategy, 'rollingUpdate'), 'partition')
  for (const { pod } of places.slice(partition).toReversed()) {
    if (revisionOf(pod) !== metadataText(facts.update, 'name') && !isTerminating(pod)) return pod
    if (isUnavailable(pod, facts)) return undefined
  }
  return undefined
}

function isUnavailable(pod: JsonObject, { set, nowMs }: SetFacts): boolean {
  return isTerminating(pod) || !isAvailable(pod, minReadySecondsOf(set), nowMs)
}

export function minReadySecondsOf(set: JsonObject): number {
  return integerAt(structAt(set, 'spec'), 'minReadySeconds')
}

function statusOf({ set, pods, current, update, collisionCount, nowMs }: SetFacts, deleted: number): JsonObject {
  const [currentRevision, updateRevision] = [metadataText(current, 'name'), metadataText(update, 'name')]
  const created = pods.filter((pod) => phaseOf(pod) !== '')
  const ready = created.filter(isRunningAndReady)
  const ofRevision = (name: string) => created.filter((pod) => !isTerminating(pod) && revisionOf(pod) === name).length
  const counts = {
    replicas: created.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySecondsOf(set), nowMs)).length,
    updatedReplicas: ofRevision(updateRevision),
  }
  const wanted = replicasOf(set)
  const isComplete =
    textAt(structIn(set, 'spec', 'updateStrategy'), 'type') === 'RollingUpdate' &&
    counts.updatedReplicas === wanted &&
    counts.readyReplicas === wanted &&
    counts.replicas === wanted
  return {
    observedGeneration: metadataNumber(set, 'generation') ?? 0,
    ...counts,
    currentReplicas: isComplete ? counts.updatedReplicas : ofRevision(currentRevision) - deleted,
    currentRevision: isComplete ? updateRevision : currentRevision,
    updateRevision,
    collisionCount,
  }
}

const compared = [
  'replicas',
  'currentReplicas',
  'readyReplicas',
  'updatedReplicas',
  'availableReplicas',
  'currentRevision',
  'updateRevision',
] as const

/** Returns the set with its status; the same reference if the status did not change. */
export function withSetStatus(set: JsonObject, status: JsonObject): JsonObject {
  const before = mapAt(set, 'status')
  const isSame =
    integerAt(status, 'observedGeneration') <= integerAt(before, 'observedGeneration') &&
    compared.every((key) => deepEqual(before[key] ?? zeroOf(status[key]), status[key])) &&
    optionalIntegerAt(before, 'collisionCount') !== undefined
  return isSame ? set : { ...set, status }
}

function zeroOf(value: unknown): number | string {
  return typeof value === 'string' ? '' : 0
}
