// In which order do the children of a deleted resource go? By the apply order stored on them, backwards, each wave waited
// for until it is gone; never by the constructs, which may no longer build (I6). What the garbage collector will take in
// any order, the first wave of same-namespace children, is left to it. What is to be retained stays.
import type { LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { applyOrderAnnotation, pruneAnnotation } from '../synth/membership.ts'

export type DeletionStep =
  /** Ask for these to be deleted; they are all of the highest wave that still exists. */
  | { readonly kind: 'delete'; readonly objects: readonly LiveObject[]; readonly on: string }
  | { readonly kind: 'wait'; readonly on: string }
  /** Nothing is left that has an order to keep. */
  | { readonly kind: 'done' }

export function nextDeletion(parent: LiveObject, children: readonly LiveObject[]): DeletionStep {
  const leaving = children.filter(({ metadata }) => metadata.annotations?.[pruneAnnotation] !== 'disabled')
  const ordered = leaving.filter((child) => orderOf(child) > 0 || !isCollected(parent, child))
  if (ordered.length === 0) return { kind: 'done' }
  const highest = Math.max(...ordered.map(orderOf))
  const wave = ordered.filter((child) => orderOf(child) === highest)
  const objects = wave.filter((child) => !isBeingDeleted(child))
  const on = `waiting for ${wave.map(describeWait).join(', ')} to be gone`
  return objects.length === 0 ? { kind: 'wait', on } : { kind: 'delete', objects, on }
}

/** A child without a readable order was applied by somebody older than us or edited: it goes last. */
function orderOf(child: LiveObject): number {
  const order = Number(child.metadata.annotations?.[applyOrderAnnotation])
  return Number.isInteger(order) && order > 0 ? order : 0
}

/** Does the garbage collector take it when the parent goes? Only within a namespace, and only by owner reference. */
function isCollected(parent: LiveObject, child: LiveObject): boolean {
  return (
    (parent.metadata.namespace === undefined || parent.metadata.namespace === child.metadata.namespace) &&
    (child.metadata.ownerReferences?.some(({ uid }) => uid === parent.metadata.uid) ?? false)
  )
}

function describeWait(child: LiveObject): string {
  const held = child.metadata.finalizers ?? []
  return describeRef(refOf(child)) + (held.length === 0 ? '' : ` (finalizer ${held.join(', ')})`)
}
