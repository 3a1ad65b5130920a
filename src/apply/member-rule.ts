// Is this live object a child of this very parent? Its controller reference says so; where there can be none, in another
// namespace, cluster-scoped or meant to stay, the inventory label and our own managedFields together do. A copy of a child,
// or what a namesake of the parent left behind, is no member and is never deleted (I5).
import type { LiveObject } from '../object/object.ts'
import { controllerOf, isAppliedByUs, isControlledBy } from '../object/ownership.ts'
import { applySetId, partOfLabel, pruneAnnotation } from '../synth/membership.ts'

export function isMember(child: LiveObject, parent: LiveObject): boolean {
  if (controllerOf(child) !== undefined) return isControlledBy(child, parent)
  const { labels, annotations, namespace } = child.metadata
  const home = parent.metadata.namespace
  const canBeOwned = home === undefined || home === namespace
  const isRetained = annotations?.[pruneAnnotation] === 'disabled'
  return (!canBeOwned || isRetained) && isAppliedByUs(child) && labels?.[partOfLabel] === applySetId(parent)
}
