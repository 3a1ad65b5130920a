// May this child be deleted because the constructs no longer declare it? Only what is certainly ours and holds no data.
import type { LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { isControlledBy } from '../object/ownership.ts'
import { groupKindOf } from '../object/resource.ts'
import { pruneAnnotation } from '../synth/membership.ts'

/** Kinds whose deletion loses data or takes other objects along: never pruned by default. */
const keptKinds: ReadonlySet<string> = new Set([
  'PersistentVolumeClaim',
  'Namespace',
  'CustomResourceDefinition.apiextensions.k8s.io',
])

export function isPrunable(child: LiveObject, parent: LiveObject): boolean {
  return (
    isControlledBy(child, parent) &&
    !isBeingDeleted(child) &&
    !keptKinds.has(groupKindOf(child)) &&
    child.metadata.annotations?.[pruneAnnotation] !== 'disabled'
  )
}
