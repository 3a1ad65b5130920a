// Events that name objects that stay although the inventory entry of a remote child is removed. The object is a
// retained child, or no child. Invariant: no entry of an existing object is removed without an Event. Pure.
import { nameList } from '../base/name-list.ts'
import type { EventReport } from '../object/event-report.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { tokenAnnotation } from '../synth/membership.ts'
import type { ChildCluster } from './child-cluster.ts'
import { describeCluster } from './child-cluster.ts'
import { isExpendable } from './prune-rule.ts'
import { entriesIn, type InventoryEntry, isEntryOf, isRecorded, isRemote, isSamePlace } from './remote-children.ts'

/** Number of objects in the note, which holds 1,024 bytes. */
const namedObjects = 2

/** Objects of a resource, and the cluster of its children. */
export interface LeftObjects {
  readonly parent: LiveObject
  readonly objects: readonly LiveObject[]
  readonly cluster?: ChildCluster | undefined
}

/** Undefined: there are no such objects. */
export function leftAloneEvent({ parent, objects, cluster }: LeftObjects): EventReport | undefined {
  const why = `it is not a child of ${describeRef(refOf(parent))}, because it lacks the annotation ${tokenAnnotation} that the operator recorded`
  return objects.length === 0 ? undefined : eventOf('Warning', objects, `${describeCluster(cluster)} stays: ${why}`)
}

/** Names the children among the objects that are never deleted; undefined: there are none. */
export function retainedEvent({ parent, objects, cluster }: LeftObjects): EventReport | undefined {
  const retained = objects.filter((child) => {
    const isChild = isRemote(child, parent, cluster) && isRecorded(child, parent, cluster)
    return isChild && !isExpendable(child, parent, cluster)
  })
  const what = `${describeCluster(cluster)} stays, because it is retained, and is a child of ${describeRef(refOf(parent))} no longer`
  return retained.length === 0 ? undefined : eventOf('Normal', retained, what)
}

/** Returns the objects with the name of a child whose entry `inventory` no longer contains. */
export function unrecorded(
  { parent, objects, cluster }: LeftObjects,
  inventory: readonly InventoryEntry[],
): readonly LiveObject[] {
  const dropped = entriesIn(cluster, parent).filter((entry) => !inventory.some((left) => isSamePlace(left, entry)))
  return objects.filter((object) => dropped.some((entry) => isEntryOf(entry, object)))
}

function eventOf(type: EventReport['type'], objects: readonly LiveObject[], what: string): EventReport {
  const names = objects.map((object) => describeRef(refOf(object)))
  const note = `${nameList(names, namedObjects)}${what}; delete it if nothing uses it`
  return { type, reason: 'LeftAlone', action: 'Delete', note }
}
