// What kind of turn does a resource need? Decided from the cached object alone, in one match of "has our finalizer" and "is
// being deleted": finalizer first and last (I4).
//
//                      | not being deleted | being deleted
//   without our mark   | adopt, then run   | leave
//   with our mark      | run               | clean
//
// The resource of a controller with `finalizer: false` is never marked, and counts as marked while it is not being deleted.
// A resource that is paused, or suspended by its spec, gets none of adopt, run and clean, but pause.
import type { OperatorIdentity } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import type { EventReport } from './context.ts'
import { hasFinalizer, isAdopted } from './finalizer.ts'
import type { Inventory } from './inventory.ts'
import { otherShardEvent, otherShardOf } from './shard-mark.ts'
import { steeringOf, suspensionOf } from './steering.ts'

export type Turn =
  /** There is no such object: drop what memory keeps of it. */
  | { readonly kind: 'forget' }
  /** On its way out, and no business of ours: we have cleaned up, or never began; or managed by another shard, as the Event says. */
  | { readonly kind: 'leave'; readonly object: LiveObject; readonly event?: EventReport }
  | { readonly kind: 'clean'; readonly object: LiveObject }
  | { readonly kind: 'adopt'; readonly object: LiveObject }
  | { readonly kind: 'run'; readonly object: LiveObject }
  /** Somebody asked to leave it alone: `pause` says so. */
  | { readonly kind: 'pause'; readonly object: LiveObject; readonly pause: string }
  /** Whether it is to be left alone cannot be told, so that it is: `error` is what the controller's function threw. */
  | { readonly kind: 'fail'; readonly object: LiveObject; readonly error: unknown }

/** A turn that a resource takes part in. */
export type LiveTurn = Exclude<Turn, { kind: 'forget' | 'leave' }>

export interface TurnRules {
  readonly identity: OperatorIdentity
  /** Undefined: the resource needs no marks. */
  readonly inventoryOf: (object: LiveObject) => Inventory | undefined
  /** Does its own spec ask to leave it alone? */
  readonly isSuspended: (object: LiveObject) => boolean
}

export function nextTurn(object: LiveObject | undefined, { identity, inventoryOf, isSuspended }: TurnRules): Turn {
  if (object === undefined) return { kind: 'forget' }
  if (isBeingDeleted(object) && !hasFinalizer(object, identity)) return { kind: 'leave', object }
  const other = otherShardOf(object, identity)
  if (other !== undefined) return { kind: 'leave', object, event: otherShardEvent(other, identity) }
  try {
    const pause = steeringOf(object).pause ?? (isSuspended(object) ? suspensionOf(object) : undefined)
    if (pause !== undefined) return { kind: 'pause', object, pause }
  } catch (error) {
    // A deletion never hangs on a function that fails.
    if (!isBeingDeleted(object)) return { kind: 'fail', object, error }
  }
  if (isBeingDeleted(object)) return { kind: 'clean', object }
  const inventory = inventoryOf(object)
  const isMarked = inventory === undefined || isAdopted(object, inventory)
  return isMarked ? { kind: 'run', object } : { kind: 'adopt', object }
}
