// Sizes of the ReplicaSets of a Deployment. In a rollout the current set grows within `maxSurge`, and old sets shrink
// within
// `maxUnavailable`. If the Deployment is scaled during a rollout, all sets change in proportion.
// Source: k8s.io/kubernetes/pkg/controller/deployment/{rolling,sync,recreate}.go.
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, structAt } from '../../built-in/field-walk.ts'
import { metadataText } from '../../metadata.ts'
import { byAge, isRolling, maxBeforeScale, maxSurge, maxUnavailable, scaledFor } from './deployment-sets.ts'
import { desiredReplicas } from './replica-set-plan.ts'

export interface Scaling {
  readonly set: JsonObject
  readonly replicas: number
  /** True if the set's annotations are written even though its size stays. */
  readonly isForced?: boolean
}

export interface DeploymentSets {
  readonly deployment: JsonObject
  /** The set with the Deployment's template. */
  readonly current: JsonObject | undefined
  readonly olds: readonly JsonObject[]
}

/** Returns the number of replicas that the current set may have. `present` is its present number. */
export function allowedReplicas({ deployment, olds }: DeploymentSets, present: number): number {
  const desired = desiredReplicas(deployment)
  if (!isRolling(deployment)) return desired
  const room = desired + maxSurge(deployment) - (replicasOf(olds) + present)
  return room <= 0 ? present : present + Math.min(room, desired - present)
}

/** Returns the next step of a rolling update: the current set grows, else the old ones shrink. */
export function rollingStep(sets: DeploymentSets & { readonly current: JsonObject }): readonly Scaling[] {
  const { deployment, current, olds } = sets
  const [present, desired] = [desiredReplicas(current), desiredReplicas(deployment)]
  if (present > desired) return [{ set: current, replicas: desired }]
  const grown = allowedReplicas(sets, present)
  if (grown !== present) return [{ set: current, replicas: grown }]
  const active = byAge(olds).filter((set) => desiredReplicas(set) > 0)
  const minAvailable = desired - maxUnavailable(deployment)
  const unavailable = present - availableOf(current)
  const room = replicasOf([...active, current]) - minAvailable - unavailable
  if (active.length === 0 || room <= 0) return []
  const sizes = new Map(active.map((set) => [set, desiredReplicas(set)]))
  // Unavailable pods go first, because they serve no requests.
  let left = room
  for (const set of active) {
    const broken = Math.min(left, Math.max(0, desiredReplicas(set) - availableOf(set)))
    sizes.set(set, desiredReplicas(set) - broken)
    left -= broken
  }
  let spare = [...active, current].reduce((sum, set) => sum + availableOf(set), 0) - minAvailable
  for (const set of active) {
    const size = sizes.get(set) ?? 0
    const gone = Math.max(0, Math.min(size, spare))
    sizes.set(set, size - gone)
    spare -= gone
  }
  return active.flatMap((set) => {
    const replicas = sizes.get(set) ?? 0
    return replicas === desiredReplicas(set) ? [] : [{ set, replicas }]
  })
}

/** True if the Deployment was scaled after its sets. */
export function isScaled({ deployment, current, olds }: DeploymentSets): boolean {
  return [...olds, ...(current === undefined ? [] : [current])].some((set) => {
    const wanted = scaledFor(set)
    return desiredReplicas(set) > 0 && wanted !== undefined && wanted !== desiredReplicas(deployment)
  })
}

/** Returns the sizes after the Deployment was scaled, or while it is paused. */
export function proportionalStep(sets: DeploymentSets): readonly Scaling[] {
  const { deployment, current, olds } = sets
  const desired = desiredReplicas(deployment)
  const all = [...olds, ...(current === undefined ? [] : [current])]
  const active = all.filter((set) => desiredReplicas(set) > 0)
  const [first, ...others] = active.length === 0 ? [current ?? byAge(olds).at(-1)] : active
  if (others.length === 0)
    return first === undefined || desiredReplicas(first) === desired ? [] : [{ set: first, replicas: desired }]
  if (current !== undefined && isSaturated(current, desired))
    return active.filter((set) => set !== current).map((set) => ({ set, replicas: 0 }))
  return isRolling(deployment) ? shares(deployment, active) : []
}

function shares(deployment: JsonObject, active: readonly JsonObject[]): readonly Scaling[] {
  const desired = desiredReplicas(deployment)
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0
  const toAdd = allowed - replicasOf(active)
  const oldestFirst = byAge(active)
  const inTurn = (toAdd > 0 ? oldestFirst.toReversed() : [...oldestFirst]).sort(
    (left, right) => desiredReplicas(right) - desiredReplicas(left),
  )
  let added = 0
  const sizes = inTurn.map((set) => {
    const share = toAdd === 0 || toAdd === added ? 0 : shareOf(set, deployment)
    const change = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added)
    if (toAdd !== 0) added += change
    return { set, replicas: desiredReplicas(set) + (toAdd === 0 ? 0 : change), isForced: true }
  })
  return sizes.map((size, index) =>
    index === 0 && toAdd !== 0 ? { ...size, replicas: Math.max(0, size.replicas + toAdd - added) } : size,
  )
}

/** Returns the change of a set's size that keeps its share of all replicas. */
function shareOf(set: JsonObject, deployment: JsonObject): number {
  const desired = desiredReplicas(deployment)
  const size = desiredReplicas(set)
  if (desired === 0) return -size
  const before = maxBeforeScale(set) || integerAt(structAt(deployment, 'status'), 'replicas')
  if (before === 0) return 0
  const exact = (size * (desired + maxSurge(deployment))) / before
  return Math.floor(exact + 0.5) - size
}

function isSaturated(set: JsonObject, desired: number): boolean {
  return desiredReplicas(set) === desired && scaledFor(set) === desired && availableOf(set) === desired
}

export function replicasOf(sets: readonly JsonObject[]): number {
  return sets.reduce((sum, set) => sum + desiredReplicas(set), 0)
}

function availableOf(set: JsonObject): number {
  return integerAt(structAt(set, 'status'), 'availableReplicas')
}

export function nameOf(set: JsonObject): string {
  return metadataText(set, 'name')
}
