// Is this object ready, and if not, why? One pure answer for every kind: what is common to all (deletion, a status about
// an older generation, Reconciling, Stalled), then the kind's own rule, then the Ready condition. Source: kstatus; where
// it errs on the side of ready, this does not.
import { messageOf } from '../base/errors.ts'
import { isBeingDeleted, type KubeObject, type LiveObject, valueAt } from '../object/object.ts'
import { groupKindOf, groupOf } from '../object/resource.ts'
import type { ReadyPredicate } from '../synth/field-policies.ts'
import { byCondition, isBuiltInGroup, readinessRules } from './built-in-readiness.ts'
import {
  conditionSaid,
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
  /** False for a kind without a status subresource, as discovery tells: it is ready when it exists. Default: not known. */
  readonly hasStatus?: boolean | undefined
  /** Instead of the rule of the kind; all have to hold. */
  readonly predicates?: readonly ReadyPredicate[]
}

/**
 * How ready a live object is. Costs a look at its status.
 *
 * A custom resource is ready by its condition Ready, or Available where it has no Ready. One that has neither is
 * `unknown`, never ready: its controller may not have looked at it yet. kstatus calls it current.
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

/** A predicate is somebody else's code: one that promises, or says nothing, is not ready. */
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
  const said = conditionSaid(object, 'Ready') ?? conditionSaid(object, 'Available')
  if (said !== undefined) {
    // True of an older generation is not true of this one.
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
