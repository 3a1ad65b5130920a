// Is this live object a child of this very parent? Its controller reference says so; where there can be none, in another
// namespace, cluster-scoped or meant to stay, the inventory label and our own managedFields together do; an annotation stands in
// for a label that was taken off. A copy of a child, or one that bears the label of another set, is no member (I5).
import type { LiveObject } from '../object/object.ts'
import { controllerOf, isAppliedByUs, isControlledBy } from '../object/ownership.ts'
import { applySetId, partOfAnnotation, partOfLabel, pruneAnnotation } from '../synth/membership.ts'

export function isMember(child: LiveObject, parent: LiveObject): boolean {
  if (controllerOf(child) !== undefined) return isControlledBy(child, parent)
  const { labels, annotations, namespace } = child.metadata
  const home = parent.metadata.namespace
  const canBeOwned = home === undefined || home === namespace
  const isRetained = annotations?.[pruneAnnotation] === 'disabled'
  const set = labels?.[partOfLabel] ?? annotations?.[partOfAnnotation]
  return (!canBeOwned || isRetained) && isAppliedByUs(child) && set === applySetId(parent)
}
