// Status of a Deployment: counts of its ReplicaSets and the conditions Available, Progressing and ReplicaFailure.
// Source: k8s.io/kubernetes/pkg/controller/deployment/{sync,progress}.go.
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, optionalIntegerAt, structAt, structsAt, textAt, valueAt } from '../../built-in/field-walk.ts'
import { metadataNumber, metadataText } from '../../metadata.ts'
import { type DeploymentSets, replicasOf } from './deployment-scaling.ts'
import { maxUnavailable } from './deployment-sets.ts'
import { desiredReplicas } from './replica-set-plan.ts'

const noDeadline = 2_147_483_647

export interface StatusFacts extends DeploymentSets {
  readonly nowMs: number
  readonly timestamp: string
  /** True if the status judges progress: not while the Deployment is scaled, paused or deleted. */
  readonly isRollout: boolean
}

interface Claim {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

type Conditions = readonly JsonObject[]

export function deploymentStatus(facts: StatusFacts, conditions: Conditions): JsonObject {
  const { deployment, current, olds, isRollout } = facts
  const all = [...olds, ...(current === undefined ? [] : [current])]
  const sum = (key: string, sets = all) =>
    sets.reduce((total, set) => total + integerAt(structAt(set, 'status'), key), 0)
  const availableReplicas = sum('availableReplicas')
  const collisionCount = valueAt(structAt(deployment, 'status'), 'collisionCount')
  const counts = {
    observedGeneration: metadataNumber(deployment, 'generation') ?? 0,
    replicas: sum('replicas'),
    updatedReplicas: sum('replicas', current === undefined ? [] : [current]),
    readyReplicas: sum('readyReplicas'),
    availableReplicas,
    unavailableReplicas: Math.max(0, replicasOf(all) - availableReplicas),
    terminatingReplicas: sum('terminatingReplicas'),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  }
  const isAvailable = availableReplicas >= desiredReplicas(deployment) - maxUnavailable(deployment)
  const available = withClaim(facts, conditions, isAvailable ? availableClaim : unavailableClaim)
  const judged = isRollout ? withFailures(facts, withProgress(facts, available, counts), all) : available
  return { ...counts, ...(judged.length === 0 ? {} : { conditions: judged }) }
}

const availableClaim: Claim = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
}
const unavailableClaim: Claim = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
}

export function conditionsOf(deployment: JsonObject): Conditions {
  return structsAt(structAt(deployment, 'status'), 'conditions')
}

export function hasDeadline(deployment: JsonObject): boolean {
  return (deadlineSeconds(deployment) ?? noDeadline) !== noDeadline
}

/** True if all replicas are updated and available and no old ones remain, by this status. */
export function isComplete(deployment: JsonObject, status: JsonObject | undefined): boolean {
  const desired = desiredReplicas(deployment)
  return (
    ['updatedReplicas', 'replicas', 'availableReplicas'].every((key) => integerAt(status, key) === desired) &&
    integerAt(status, 'observedGeneration') >= (metadataNumber(deployment, 'generation') ?? 0)
  )
}

/** Returns the conditions with Progressing for the last action: set created, set found, or Deployment paused. */
export function withProgressing(
  facts: Pick<StatusFacts, 'timestamp'>,
  conditions: Conditions,
  claim: Omit<Claim, 'type'>,
) {
  return withClaim(facts, conditions, { type: 'Progressing', ...claim })
}

export function progressingOf(conditions: Conditions): JsonObject | undefined {
  return conditions.find((condition) => textAt(condition, 'type') === 'Progressing')
}

/** Returns the delay until a rollout without progress exceeds its deadline. */
export function deadlineMs(deployment: JsonObject, status: JsonObject, nowMs: number): number | undefined {
  const progressing = progressingOf(structsAt(status, 'conditions'))
  const seconds = deadlineSeconds(deployment)
  if (progressing === undefined || seconds === undefined || !hasDeadline(deployment)) return undefined
  if (isComplete(deployment, status) || textAt(progressing, 'reason') === 'ProgressDeadlineExceeded') return undefined
  return Math.max(0, Date.parse(textAt(progressing, 'lastUpdateTime')) + seconds * 1000 - nowMs) + 1_000
}

function withProgress(facts: StatusFacts, conditions: Conditions, status: JsonObject): Conditions {
  const { deployment, current, timestamp } = facts
  if (!hasDeadline(deployment)) return without(conditions, 'Progressing')
  const before = progressingOf(conditions)
  const isDone =
    integerAt(status, 'replicas') === integerAt(status, 'updatedReplicas') &&
    textAt(progressingOf(conditionsOf(deployment)), 'reason') === 'NewReplicaSetAvailable'
  if (isDone) return conditions
  const what =
    current === undefined
      ? `Deployment "${metadataText(deployment, 'name')}"`
      : `ReplicaSet "${metadataText(current, 'name')}"`
  if (isComplete(deployment, status)) {
    const message = `${what} has successfully progressed.`
    return withProgressing(facts, conditions, { status: 'True', reason: 'NewReplicaSetAvailable', message })
  }
  if (getsOn(mapAt(deployment, 'status'), status)) {
    const claim = { status: 'True', reason: 'ReplicaSetUpdated', message: `${what} is progressing.` } as const
    const wasTrue = before !== undefined && textAt(before, 'status') === 'True'
    const lastTransitionTime = wasTrue ? textAt(before, 'lastTransitionTime') : timestamp
    const condition = { type: 'Progressing', ...claim, lastUpdateTime: timestamp, lastTransitionTime }
    return [...without(conditions, 'Progressing'), condition]
  }
  if (!isTimedOut(facts, before)) return conditions
  const message = `${what} has timed out progressing.`
  return withProgressing(facts, conditions, { status: 'False', reason: 'ProgressDeadlineExceeded', message })
}

function getsOn(before: JsonObject, now: JsonObject): boolean {
  const olds = (status: JsonObject) => integerAt(status, 'replicas') - integerAt(status, 'updatedReplicas')
  const grew = (key: string) => integerAt(now, key) > integerAt(before, key)
  return ['updatedReplicas', 'readyReplicas', 'availableReplicas'].some(grew) || olds(now) < olds(before)
}

function isTimedOut({ deployment, nowMs }: StatusFacts, progressing: JsonObject | undefined): boolean {
  const reason = textAt(progressing, 'reason')
  if (progressing === undefined || reason === 'NewReplicaSetAvailable') return false
  if (reason === 'ProgressDeadlineExceeded') return true
  const seconds = deadlineSeconds(deployment) ?? 0
  return Date.parse(textAt(progressing, 'lastUpdateTime')) + seconds * 1000 < nowMs
}

/** Copies the ReplicaFailure condition of a set; the current set comes first. */
function withFailures(facts: StatusFacts, conditions: Conditions, sets: readonly JsonObject[]): Conditions {
  const failure = [...(facts.current === undefined ? [] : [facts.current]), ...sets]
    .flatMap((set) => structsAt(structAt(set, 'status'), 'conditions'))
    .find((condition) => textAt(condition, 'type') === 'ReplicaFailure')
  if (failure === undefined) return without(conditions, 'ReplicaFailure')
  const { type, status, reason, message, lastTransitionTime = '' } = failure
  const before = conditions.find((condition) => textAt(condition, 'type') === 'ReplicaFailure')
  if (before !== undefined && before['status'] === status && before['reason'] === reason) return conditions
  const told = { type, status, reason, message, lastTransitionTime, lastUpdateTime: lastTransitionTime }
  return [...without(conditions, 'ReplicaFailure'), told]
}

/** Keeps a condition with the same status and reason. An unchanged status keeps its lastTransitionTime. */
function withClaim({ timestamp }: Pick<StatusFacts, 'timestamp'>, conditions: Conditions, claim: Claim): Conditions {
  const before = conditions.find((condition) => textAt(condition, 'type') === claim.type)
  const isSame = before !== undefined && textAt(before, 'status') === claim.status
  if (isSame && textAt(before, 'reason') === claim.reason) return conditions
  const lastTransitionTime = isSame ? textAt(before, 'lastTransitionTime') : timestamp
  return [...without(conditions, claim.type), { ...claim, lastUpdateTime: timestamp, lastTransitionTime }]
}

function without(conditions: Conditions, type: string): Conditions {
  return conditions.filter((condition) => textAt(condition, 'type') !== type)
}

function deadlineSeconds(deployment: JsonObject): number | undefined {
  return optionalIntegerAt(structAt(deployment, 'spec'), 'progressDeadlineSeconds')
}
