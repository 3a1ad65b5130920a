// May this child be deleted? Only what is certainly ours, what nobody else owns too, and what holds no data: pruning and
// deletion leave the rest where it is, and wait for none of it (I5).
import { isCoOwnedBy } from '../object/co-owner.ts'
import { keptKinds } from '../object/kept-kinds.ts'
import type { LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { groupKindOf } from '../object/resource.ts'
import { pruneAnnotation } from '../synth/membership.ts'
import type { ChildCluster } from './child-cluster.ts'
import { isMember } from './member-rule.ts'

/** Can a member be deleted, or released to its other owners? Not what is to be retained, nor what has an owner besides the parent that no resource declares. */
export function isExpendable(child: LiveObject, parent: LiveObject): boolean {
  const { apiVersion, kind, metadata } = child
  const { ownerReferences = [], annotations } = metadata
  return (
    (isCoOwnedBy(child, parent.metadata.uid) || ownerReferences.every(({ uid }) => uid === parent.metadata.uid)) &&
    !keptKinds.has(groupKindOf({ apiVersion, kind })) &&
    annotations?.[pruneAnnotation] !== 'disabled'
  )
}

/** What to do about a child that the constructs no longer declare: `going` means that it is on its way out already. */
export function pruneVerdict(
  child: LiveObject,
  parent: LiveObject,
  cluster?: ChildCluster,
): 'prune' | 'going' | 'keep' {
  if (!isMember(child, parent, cluster) || !isExpendable(child, parent)) return 'keep'
  return isBeingDeleted(child) ? 'going' : 'prune'
}
