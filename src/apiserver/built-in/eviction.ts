// Decision of the pods/eviction subresource, from the pod's phase and the one budget that covers the pod.
// The handler carries it out: first the budget's status, then the deletion.
// Source: k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go.
import type { JsonObject } from '../../base/json.ts'
import { forbiddenRequest, StatusError } from '../status-error.ts'
import { integerAt, mapAt, type Struct, structAt, structsAt, textAt, valueAt, withField } from './field-walk.ts'
import { LabelMatcher } from './label-selector.ts'

export type Eviction =
  /** `atResourceVersion`: delete only if the pod is unchanged, because it may have become healthy since. */
  | { readonly kind: 'delete'; readonly atResourceVersion: boolean }
  /** First write the budget with one disruption less, then delete the pod. */
  | { readonly kind: 'deleteWithin'; readonly budget: JsonObject }
  | { readonly kind: 'refuse'; readonly error: StatusError }

/** Maximum number of unconfirmed evictions. */
const maxDisruptedPods = 2_000
const refusal = "Cannot evict pod as it would violate the pod's disruption budget."
const budgetResource = { group: 'policy', resource: 'poddisruptionbudget' }

/** `budgets` are all budgets of the pod's namespace; `timestamp` is the current time in the format of metadata. */
export function decideEviction(pod: JsonObject, budgets: readonly JsonObject[], timestamp: string): Eviction {
  const phase = textAt(structAt(pod, 'status'), 'phase')
  const isEnding = valueAt(structAt(pod, 'metadata'), 'deletionTimestamp') !== undefined
  if (phase === 'Succeeded' || phase === 'Failed' || isEnding) return { kind: 'delete', atResourceVersion: false }
  if (phase === 'Pending') return { kind: 'delete', atResourceVersion: true }
  const [budget, ...others] = budgets.filter((one) => covers(one, pod))
  if (others.length > 0) return { kind: 'refuse', error: tooManyBudgets() }
  if (budget === undefined) return { kind: 'delete', atResourceVersion: false }
  if (isFreeOf(budget, pod)) return { kind: 'delete', atResourceVersion: true }
  const error = budgetRefusal(budget)
  if (error !== undefined) return { kind: 'refuse', error }
  return { kind: 'deleteWithin', budget: withDisruption(budget, textAt(structAt(pod, 'metadata'), 'name'), timestamp) }
}

/** A budget with an empty selector covers every pod; one without a selector covers none. */
function covers(budget: JsonObject, pod: JsonObject): boolean {
  const matcher = LabelMatcher.of(structAt(structAt(budget, 'spec'), 'selector'))
  return matcher?.matches(mapAt(structAt(pod, 'metadata'), 'labels')) ?? false
}

/**
 * A pod that is not ready is evictable without a disruption if its budget's policy allows it, or if the budget is met
 * without it.
 */
function isFreeOf(budget: JsonObject, pod: JsonObject): boolean {
  if (hasCondition(structAt(pod, 'status'), 'Ready')) return false
  if (textAt(structAt(budget, 'spec'), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true
  const status = structAt(budget, 'status')
  const desired = integerAt(status, 'desiredHealthy')
  return desired > 0 && integerAt(status, 'currentHealthy') >= desired
}

function hasCondition(status: Struct, type: string): boolean {
  return structsAt(status, 'conditions').some(
    (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True',
  )
}

function budgetRefusal(budget: JsonObject): StatusError | undefined {
  const metadata = structAt(budget, 'metadata')
  const status = structAt(budget, 'status')
  const name = textAt(metadata, 'name')
  const allowed = integerAt(status, 'disruptionsAllowed')
  if (integerAt(status, 'observedGeneration') < integerAt(metadata, 'generation'))
    return tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10)
  if (allowed < 0) return forbiddenRequest(budgetResource, name, 'pdb disruptions allowed is negative')
  if (Object.keys(mapAt(status, 'disruptedPods')).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    return forbiddenRequest(budgetResource, name, why)
  }
  return allowed === 0 ? tooManyRequests(exhaustedText(name, status), 0) : undefined
}

function exhaustedText(name: string, status: Struct): string {
  const condition = structsAt(status, 'conditions').find((one) => textAt(one, 'type') === 'DisruptionAllowed')
  const [reason, message] = [textAt(condition, 'reason'), textAt(condition, 'message')]
  const isExplained = textAt(condition, 'status') === 'False' && message !== ''
  const [current, desired] = [integerAt(status, 'currentHealthy'), integerAt(status, 'desiredHealthy')]
  const refused = `The disruption budget ${name} does not allow evicting pods currently`
  if (isExplained && reason === 'SyncFailed') return `${refused} because it failed sync: ${message}`
  if (current <= desired)
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
  return isExplained ? `${refused} (${reason}): ${message}` : refused
}

function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: refusal,
    details: {
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
      causes: [{ reason: 'DisruptionBudget', message }],
    },
  })
}

function tooManyBudgets(): StatusError {
  return new StatusError({
    code: 500,
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  })
}

/** Returns the budget with one disruption less, and the pod in `disruptedPods`. */
function withDisruption(budget: JsonObject, podName: string, timestamp: string): JsonObject {
  const status = mapAt(budget, 'status')
  const allowed = integerAt(status, 'disruptionsAllowed') - 1
  const noted = {
    ...status,
    disruptionsAllowed: allowed,
    disruptedPods: { ...mapAt(status, 'disruptedPods'), [podName]: timestamp },
  }
  return withField(budget, 'status', allowed === 0 ? withExhaustion(noted, timestamp) : noted)
}

function withExhaustion(status: JsonObject, timestamp: string): JsonObject {
  const conditions = structsAt(status, 'conditions')
  const before = conditions.find((one) => textAt(one, 'type') === 'DisruptionAllowed')
  const isFlipped = textAt(before, 'status') !== 'False'
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: integerAt(status, 'observedGeneration'),
    lastTransitionTime: isFlipped ? timestamp : textAt(before, 'lastTransitionTime'),
    reason: 'InsufficientPods',
    message: '',
  }
  const kept = conditions.map((one) => (one === before ? condition : one))
  return withField(status, 'conditions', before === undefined ? [...conditions, condition] : kept)
}
