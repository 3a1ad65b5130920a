// Order in which the children of a deleted resource are deleted: the stored apply order in reverse, each wave after the
// previous one is gone. Invariant: the order never comes from the constructs, which may no longer build (I6).
// The garbage collector deletes the first wave of children in the same namespace, unless several resources own them.
// The operator deletes remote children itself: an owner reference from a user would keep them from the collector.
// Retained children stay.
import type { ChildCluster } from '../apply/child-cluster.ts'
import { isExpendable } from '../apply/prune-rule.ts'
import { isRemote } from '../apply/remote-children.ts'
import { isCoOwned } from '../object/co-owner.ts'
import type { LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { orderOf } from '../synth/membership.ts'

export type DeletionStep =
  /** Delete these objects, all of the highest wave that still exists. */
  | { readonly kind: 'delete'; readonly objects: readonly LiveObject[]; readonly on: string }
  | { readonly kind: 'wait'; readonly on: string }
  /** No child with an order is left. */
  | { readonly kind: 'done' }

export interface DeletionInput {
  readonly parent: LiveObject
  readonly children: readonly LiveObject[]
  /**
   * The cluster of the children, if it is not the cluster of the parent: its garbage collector does not know the
   * parent.
   */
  readonly cluster?: ChildCluster | undefined
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
}

export function nextDeletion({ parent, children, cluster, nowMs }: DeletionInput): DeletionStep {
  const ordered = children
    .filter((child) => isExpendable(child, parent, cluster))
    .filter((child) => {
      const isOurs = isRemote(child, parent, cluster) || isCoOwned(child) || !isCollected(parent, child)
      return isOurs || orderOf(child, parent) > 0
    })
  if (ordered.length === 0) return { kind: 'done' }
  const highest = Math.max(...ordered.map((child) => orderOf(child, parent)))
  const wave = ordered.filter((child) => orderOf(child, parent) === highest)
  const objects = wave.filter((child) => !isBeingDeleted(child))
  const on = waitSentence(wave, nowMs)
  return objects.length === 0 ? { kind: 'wait', on } : { kind: 'delete', objects, on }
}

/** `waiting for Service default/a: finalizer cloud.dev/balancer, 4 m; Secret default/b`, until they are gone. */
export function waitSentence(objects: readonly LiveObject[], nowMs: number): string {
  return `waiting for ${objects.map((object) => describeWait(object, nowMs)).join('; ')}`
}

/**
 * True if the garbage collector deletes the child after the parent: only within a namespace, and only by owner
 * reference.
 */
function isCollected(parent: LiveObject, child: LiveObject): boolean {
  return (
    (parent.metadata.namespace === undefined || parent.metadata.namespace === child.metadata.namespace) &&
    (child.metadata.ownerReferences?.some(({ uid }) => uid === parent.metadata.uid) ?? false)
  )
}

function describeWait(child: LiveObject, nowMs: number): string {
  const { finalizers = [], deletionTimestamp } = child.metadata
  const held = finalizers.length === 0 ? [] : [`finalizer ${finalizers.join(' and ')}`]
  const age = deletionTimestamp === undefined ? undefined : describeAge(nowMs - Date.parse(deletionTimestamp))
  const why = [...held, ...(age === undefined ? [] : [age])].join(', ')
  return describeRef(refOf(child)) + (why === '' ? '' : `: ${why}`)
}

/** `4 m`, `20 m`, `3 h`, `2 d`: coarser with age, because every change is a status write. Undefined below a minute. */
function describeAge(ageMs: number): string | undefined {
  const minutes = Math.floor(ageMs / 60_000)
  if (!(minutes >= 1)) return undefined
  if (minutes < 10) return `${minutes} m`
  if (minutes < 60) return `${Math.floor(minutes / 10) * 10} m`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}
