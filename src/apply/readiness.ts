// Readiness of any object, and the reason if it is not ready. Pure. The order is: common rules (deletion, a status of
// an older generation, Reconciling, Stalled), the kind's own rule, the Ready condition. Source: kstatus; in doubt
// kstatus answers ready, and this module does not.
import { messageOf } from '../base/errors.ts'
import { isBeingDeleted, type KubeObject, type LiveObject, valueAt } from '../object/object.ts'
import { groupKindOf, groupOf } from '../object/resource.ts'
import type { ReadyPredicate } from '../synth/field-policies.ts'
import { byCondition, isBuiltInGroup, readinessRules } from './built-in-readiness.ts'
import {
  conditionContent,
  conditionsOf,
  conditionTrue,
  failed,
  isOlder,
  notObserved,
  numberAt,
  progressing,
  type Readiness,
  ready,
} from './readiness-verdict.ts'

export type { Readiness } from './readiness-verdict.ts'

export interface ReadinessOptions {
  /** False for a kind without a status subresource, by discovery: it is ready when it exists. Default: not known. */
  readonly hasStatus?: boolean | undefined
  /** Predicates that replace the rule of the kind; all have to hold. */
  readonly predicates?: readonly ReadyPredicate[]
}

/**
 * Returns the readiness of a live object, by its status.
 *
 * A custom resource is ready by its condition Ready, or Available if it has no Ready. A resource with neither is
 * `unknown`, never ready: its controller may not have seen it yet. kstatus calls it current.
 */
export function readinessOf(object: LiveObject, { hasStatus, predicates = [] }: ReadinessOptions = {}): Readiness {
  const inAnyCase = notReadyInAnyCase(object)
  if (inAnyCase !== undefined) return inAnyCase
  if (predicates.length > 0) return byPredicates(object, predicates)
  const reported = stalledOrReconciling(object)
  if (reported !== undefined) return reported
  const rule = readinessRules.get(groupKindOf(object))
  if (rule !== undefined) return rule(object)
  if (hasStatus === false) return ready('Exists', 'exists')
  return byReadyCondition(object)
}

function byPredicates(object: LiveObject, predicates: readonly ReadyPredicate[]): Readiness {
  for (const predicate of predicates) {
    try {
      const said = predicate(object)
      const isReady = typeof said === 'boolean' ? said : said.ready === true
      if (!isReady) return progressing('NotReady', messageIn(said) ?? 'is not ready by its own predicate')
    } catch (thrown) {
      return progressing('PredicateFailed', `the predicate of its readiness threw: ${messageOf(thrown)}`)
    }
  }
  return ready('Ready', 'is ready')
}

/** A predicate is the author's code: a promise, or no answer, counts as not ready. */
function messageIn(said: ReturnType<ReadyPredicate>): string | undefined {
  return typeof said === 'boolean' ? undefined : said.message
}

function stalledOrReconciling(object: KubeObject): Readiness | undefined {
  const stalled = conditionTrue(object, 'Stalled')
  if (stalled !== undefined) {
    return isOlder(object, stalled.observedGeneration) ? notObserved() : failed(stalled.reason, stalled.message)
  }
  const reconciling = conditionTrue(object, 'Reconciling')
  return reconciling === undefined ? undefined : progressing(reconciling.reason, reconciling.message)
}

function notReadyInAnyCase(object: KubeObject): Readiness | undefined {
  if (isBeingDeleted(object)) return { kind: 'terminating', reason: 'Terminating', message: terminatingMessage(object) }
  return isOlder(object, numberAt(object, 'status', 'observedGeneration')) ? notObserved() : undefined
}

function byReadyCondition(object: KubeObject): Readiness {
  const said = conditionContent(object, 'Ready') ?? conditionContent(object, 'Available')
  if (said !== undefined) {
    // A condition of an older generation does not hold for this one.
    return isOlder(object, said.observedGeneration) ? notObserved() : byCondition(said)
  }
  if (isBuiltInGroup(groupOf(object.apiVersion))) return ready('Exists', 'exists')
  if (conditionsOf(object).length > 0)
    return unknown('NoReadyCondition', 'has conditions, but neither Ready nor Available')
  if (valueAt(object, 'status') !== undefined) return unknown('NoConditions', 'has a status without conditions')
  return unknown('NoStatus', 'has no status, so its controller may not have seen it')
}

function terminatingMessage({ metadata: { finalizers = [] } }: KubeObject): string {
  return finalizers.length === 0 ? 'is being deleted' : `is being deleted and waits for ${finalizers.join(', ')}`
}

function unknown(reason: string, message: string): Readiness {
  return { kind: 'unknown', reason, message }
}
