// The kind of reconcile that a resource needs, decided from the cached object alone: by the operator's finalizer and
// the deletion timestamp. Invariant: the finalizer is added first and removed last (I4).
//
//                          | not being deleted | being deleted
//   without finalizer      | adopt, then run   | leave
//   with finalizer         | run               | clean
//
// The resource of a controller with `finalizer: false` never has one, and counts as having one while it is not being
// deleted. A resource with the finalizer and an outdated inventory is adopted again. A resource that is paused, or
// suspended by its spec, gets `pause` instead of adopt, run and clean.
import type { OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import type { EventReport } from './context.ts'
import { hasFinalizer, isAdopted } from './finalizer.ts'
import type { Inventory } from './inventory.ts'
import { otherShardEvent, otherShardOf } from './shard-mark.ts'
import { steeringOf, suspensionOf } from './steering.ts'

export type ReconcileAction =
  /** The object does not exist: drop its state in memory. */
  | { readonly kind: 'forget' }
  /**
   * The object is being deleted, and needs no cleanup by this operator; or another shard manages it, as the Event says.
   */
  | { readonly kind: 'leave'; readonly object: LiveObject; readonly event?: EventReport }
  | { readonly kind: 'clean'; readonly object: LiveObject }
  | { readonly kind: 'adopt'; readonly object: LiveObject }
  | { readonly kind: 'run'; readonly object: LiveObject }
  /** A user paused the resource: `pause` is a sentence about it. */
  | { readonly kind: 'pause'; readonly object: LiveObject; readonly pause: string }
  /** The controller's function threw `error`, so the pause is unknown and the resource is left unchanged. */
  | { readonly kind: 'fail'; readonly object: LiveObject; readonly error: unknown }

/** A reconcile of an existing resource. */
export type LiveAction = Exclude<ReconcileAction, { kind: 'forget' | 'leave' }>

export interface ReconcileRules {
  readonly identity: OperatorIdentity
  /** Returns undefined if the resource needs no metadata. */
  readonly inventoryOf: (object: LiveObject) => Inventory | undefined
  /** True if the spec suspends the resource. */
  readonly isSuspended: (object: LiveObject) => boolean
}

export function nextAction(
  object: LiveObject | undefined,
  { identity, inventoryOf, isSuspended }: ReconcileRules,
): ReconcileAction {
  if (object === undefined) return { kind: 'forget' }
  if (isBeingDeleted(object) && !hasFinalizer(object, identity)) return { kind: 'leave', object }
  const other = otherShardOf(object, identity)
  if (other !== undefined) return { kind: 'leave', object, event: otherShardEvent(other, identity) }
  try {
    const pause = steeringOf(object).pause ?? (isSuspended(object) ? suspensionOf(object) : undefined)
    if (pause !== undefined) return { kind: 'pause', object, pause }
  } catch (error) {
    // A deletion never waits for a failing function.
    if (!isBeingDeleted(object)) return { kind: 'fail', object, error }
  }
  if (isBeingDeleted(object)) return { kind: 'clean', object }
  const inventory = inventoryOf(object)
  const isMarked = inventory === undefined || isAdopted(object, inventory)
  return isMarked ? { kind: 'run', object } : { kind: 'adopt', object }
}
