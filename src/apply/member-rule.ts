// Decides whether a live object is a child of a parent, by its uid (I5). In the parent's namespace, the controller
// reference decides, or the marker and reference of one of several owners. Without a reference, the inventory label and
// managedFields decide. For a remote object, the inventory entry in the parent's status and the token decide. Users of
// its namespace can write everything else, including owner references. In another cluster all objects are remote. A
// copy of a child is no member.
import { isCoOwnedBy } from '../object/co-owner.ts'
import { partNamedBy } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import { controllerOf, isAppliedByUs, isControlledBy } from '../object/ownership.ts'
import { applySetId, ownedByLabel, partOfAnnotation, partOfLabel, pruneAnnotation } from '../synth/membership.ts'
import type { ChildCluster } from './child-cluster.ts'
import { isRecorded, isRemote } from './remote-children.ts'
import { isOfSibling, type MakerNames } from './sibling-rule.ts'

/** `cluster`: the cluster of the child, if it is not that of the parent. */
export function isMember(child: LiveObject, parent: LiveObject, cluster?: ChildCluster): boolean {
  if (isRemote(child, parent, cluster)) return isRecorded(child, parent, cluster)
  const controller = controllerOf(child)
  if (controller !== undefined && !isControlledBy(child, parent)) return false
  if (controller !== undefined || isCoOwnedBy(child, parent.metadata.uid)) return true
  return child.metadata.annotations?.[pruneAnnotation] === 'disabled' && isLabelled(child, parent)
}

/** The asking controller, and the cluster of its children. */
export interface Asking {
  readonly maker: MakerNames
  readonly cluster?: ChildCluster | undefined
}

/**
 * True for a member that no other controller of the kind created. Only the controller without a name records remote
 * children.
 */
export function isChildOf(child: LiveObject, parent: LiveObject, { maker, cluster }: Asking): boolean {
  if (!isMember(child, parent, cluster)) return false
  return isRemote(child, parent, cluster) || !isOfSibling(child, maker, parent)
}

/** For children in the parent's namespace. The annotation replaces a removed label. */
function isLabelled(child: LiveObject, parent: LiveObject): boolean {
  const { labels, annotations } = child.metadata
  const set = labels?.[partOfLabel] ?? annotations?.[partOfAnnotation]
  return isAppliedByUs(child) && set === applySetId(parent, partNamedBy(labels?.[ownedByLabel]))
}
