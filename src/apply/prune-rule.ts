// Decides whether a child may be deleted: only what is certainly ours, what has no other owner, and what holds no data. Pruning and deletion
// leave the rest where it is, and wait for none of it (I5). Of a remote child the record in its parent decides, because users of its namespace
// can write the annotations and owner references that decide at home.
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

/** Can a member be deleted, or released to its other owners? Not what is to be retained, nor what has an owner besides the parent that no resource declares. */
export function isExpendable(child: LiveObject, parent: LiveObject, cluster?: ChildCluster): boolean {
  const { apiVersion, kind, metadata } = child
  if (keptKinds.has(groupKindOf({ apiVersion, kind }))) return false
  const isKept = metadata.annotations?.[pruneAnnotation] === 'disabled'
  if (isRemote(child, parent, cluster)) {
    // Without a word in the record, the annotation counts where a controller built on konverge declared it.
    const isDeclared = isKept && isFieldAppliedByUs(child, 'metadata', 'annotations', pruneAnnotation)
    return !(recordOf(child, parent, cluster)?.retained ?? isDeclared)
  }
  // An object that stays with its other owners is not deleted, so nothing keeps a part of it.
  if (departureOf(child, parent) === 'release' && isCoOwnedBy(child, parent.metadata.uid)) return true
  const { ownerReferences = [] } = metadata
  const isSoleOwner = ownerReferences.every(({ uid }) => uid === parent.metadata.uid)
  return !isKept && (isSoleOwner || isCoOwnedBy(child, parent.metadata.uid))
}

/** What to do about a child that the constructs no longer declare: `going` means that it is on its way out already. */
export function pruneVerdict(
  child: LiveObject,
  parent: LiveObject,
  cluster?: ChildCluster,
): 'prune' | 'going' | 'keep' {
  if (!isMember(child, parent, cluster) || !isExpendable(child, parent, cluster)) return 'keep'
  return isBeingDeleted(child) ? 'going' : 'prune'
}
