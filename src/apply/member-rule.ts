// Tells whether a live object is a child of this very parent (I5). In the parent's namespace its controller reference says so; where
// there is none, the inventory label and our own managedFields do. Of a remote object the record in the parent's status and the token
// decide: users of its namespace can write everything else, which is corrected. A copy of a child is no member.
import type { LiveObject } from '../object/object.ts'
import { controllerOf, isAppliedByUs, isControlledBy } from '../object/ownership.ts'
import { applySetId, partOfAnnotation, partOfLabel, pruneAnnotation } from '../synth/membership.ts'
import { isRecorded, isRemote } from './remote-children.ts'

export function isMember(child: LiveObject, parent: LiveObject): boolean {
  const controller = controllerOf(child)
  if (controller !== undefined && !isControlledBy(child, parent)) return false
  if (isRemote(child, parent)) return isRecorded(child, parent)
  if (controller !== undefined) return true
  return child.metadata.annotations?.[pruneAnnotation] === 'disabled' && isLabelled(child, parent)
}

/** At home. The annotation stands in for a label that was removed. */
function isLabelled(child: LiveObject, parent: LiveObject): boolean {
  const { labels, annotations } = child.metadata
  return isAppliedByUs(child) && (labels?.[partOfLabel] ?? annotations?.[partOfAnnotation]) === applySetId(parent)
}
