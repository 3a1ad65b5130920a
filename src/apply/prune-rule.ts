// Decides whether a child may be deleted: only certain children without other owners and without data. Pruning and
// deletion leave the others, and do not wait for them (I5). For a remote child the inventory entry in its parent
// decides. Users of its namespace can write the annotations and owner references that decide in the parent's namespace.
import { isCoOwnedBy } from '../object/co-owner.ts'
import { keptKinds } from '../object/kept-kinds.ts'
import type { LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { isFieldAppliedByUs } from '../object/ownership.ts'
import { groupKindOf } from '../object/resource.ts'
import { pruneAnnotation } from '../synth/membership.ts'
import type { ChildCluster } from './child-cluster.ts'
import { departureOf } from './co-owner-rule.ts'
import { isMember } from './member-rule.ts'
import { isRemote, recordOf } from './remote-children.ts'

/**
 * True if a member can be deleted, or released to its other owners. False for a retained child, and for one with an
 * owner besides the parent that no resource declares.
 */
export function isExpendable(child: LiveObject, parent: LiveObject, cluster?: ChildCluster): boolean {
  const { apiVersion, kind, metadata } = child
  if (keptKinds.has(groupKindOf({ apiVersion, kind }))) return false
  const isKept = metadata.annotations?.[pruneAnnotation] === 'disabled'
  if (isRemote(child, parent, cluster)) {
    // Without the field in the entry, the annotation counts if a controller built on konverge declared it.
    const isDeclared = isKept && isFieldAppliedByUs(child, 'metadata', 'annotations', pruneAnnotation)
    return !(recordOf(child, parent, cluster)?.retained ?? isDeclared)
  }
  // An object that stays with its other owners is not deleted, so nothing protects a part of it.
  if (departureOf(child, parent) === 'release' && isCoOwnedBy(child, parent.metadata.uid)) return true
  const { ownerReferences = [] } = metadata
  const isSoleOwner = ownerReferences.every(({ uid }) => uid === parent.metadata.uid)
  return !isKept && (isSoleOwner || isCoOwnedBy(child, parent.metadata.uid))
}

/**
 * Returns the verdict about a child that the constructs no longer declare: `going` means that it is already being
 * deleted.
 */
export function pruneVerdict(
  child: LiveObject,
  parent: LiveObject,
  cluster?: ChildCluster,
): 'prune' | 'going' | 'keep' {
  if (!isMember(child, parent, cluster) || !isExpendable(child, parent, cluster)) return 'keep'
  return isBeingDeleted(child) ? 'going' : 'prune'
}
