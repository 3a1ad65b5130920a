// Reasons why the children of a resource in another cluster can neither be applied nor deleted now. The cluster is
// unreachable, or the connection leads to another cluster than the recorded one. Invariants: nothing is written to a
// cluster while children are recorded in another one. An inventory entry stays until its cluster shows that the child
// is gone, or the user abandons the child. Pure.
import type { ChildCluster } from '../apply/child-cluster.ts'
import { describePlace, entriesIn, type InventoryEntry, inventoryEntriesOf } from '../apply/remote-children.ts'
import { CodedError } from '../base/errors.ts'
import { nameList } from '../base/name-list.ts'
import type { EventReport } from '../object/event-report.ts'
import { isBeingDeleted, type LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { recordedReach } from './inventory.ts'
import { abandonAnnotation, isAbandoned } from './steering.ts'

export interface ClusterState {
  /** Absent: the children are in the cluster of their parents. */
  readonly cluster: ChildCluster | undefined
  /** Reason why the cluster cannot be reached, as a sentence; undefined if it is reachable. */
  readonly trouble: string | undefined
}

export type ClusterDoubtCode = 'ClusterUnreachable' | 'ClusterChanged'

export interface ClusterVerdict {
  /** Stops the reconcile before it writes to the cluster. */
  readonly doubt?: CodedError<ClusterDoubtCode>
  /** Inventory entries to remove because the user abandons the children. */
  readonly abandoned: readonly InventoryEntry[]
  /** True if the resource is being deleted and its user abandons everything that it has in an unreachable cluster. */
  readonly isCutOff: boolean
}

/** Number of objects that a message names. */
const namedChildren = 2

export function clusterVerdict(parent: LiveObject, { cluster, trouble }: ClusterState): ClusterVerdict {
  const mayAbandon = isAbandoned(parent)
  const own = entriesIn(cluster, parent)
  if (cluster !== undefined && trouble !== undefined) {
    // Before the cluster has responded once, its own entries are not known.
    if (mayAbandon && isBeingDeleted(parent)) return { abandoned: inventoryEntriesOf(parent), isCutOff: true }
    return { doubt: unreachable(parent, cluster, trouble), abandoned: [], isCutOff: false }
  }
  const stray = inventoryEntriesOf(parent).filter((entry) => !own.includes(entry))
  const isStray = stray.length > 0 || (cluster !== undefined && recordedReach(parent).kinds.length > 0)
  if (!isStray || mayAbandon) return { abandoned: stray, isCutOff: false }
  return { doubt: changed(parent, cluster, stray), abandoned: [], isCutOff: false }
}

/** True if the parent has no child in the cluster, reachable or not: each child is recorded before it is created. */
export function hasNothingThere(parent: LiveObject, { cluster }: ClusterState): boolean {
  return cluster !== undefined && inventoryEntriesOf(parent).length === 0
}

/** Undefined: no child is abandoned. */
export function abandonedInClusterEvent(abandoned: readonly InventoryEntry[]): EventReport | undefined {
  if (abandoned.length === 0) return undefined
  return {
    type: 'Warning',
    reason: 'LeftAlone',
    action: 'Abandon',
    note: `${nameList(abandoned.map(describeEntry), namedChildren)} stays if it exists: the annotation ${abandonAnnotation} abandons it; delete it by hand`,
  }
}

function describeEntry(entry: InventoryEntry): string {
  return `${describePlace(entry)} in ${entry.cluster === undefined ? ownCluster : `the cluster with UID ${entry.cluster}`}`
}

const ownCluster = 'the cluster of the resource'

function unreachable(parent: LiveObject, cluster: ChildCluster, trouble: string): CodedError<'ClusterUnreachable'> {
  const next = isBeingDeleted(parent)
    ? `the deletion waits for it; if the cluster is gone for good, set the annotation ${abandonAnnotation}: "true" to leave the children there alone`
    : 'its children there stay as they are'
  const message = `${describeRef(refOf(parent))}: cluster ${cluster.name} ${trouble}; ${next}`
  return new CodedError({ code: 'ClusterUnreachable', message, remedy: 'retry' })
}

function changed(
  parent: LiveObject,
  cluster: ChildCluster | undefined,
  stray: readonly InventoryEntry[],
): CodedError<'ClusterChanged'> {
  const recorded = stray.length === 0 ? `children in ${ownCluster}` : nameList(stray.map(describeEntry), namedChildren)
  const now = cluster === undefined ? ownCluster : `cluster ${cluster.name} (UID ${cluster.uid})`
  const isOtherCluster = cluster !== undefined && stray.some((entry) => entry.cluster !== undefined)
  const remedy = isOtherCluster
    ? `let the connection ${cluster.name} lead to the recorded cluster again`
    : 'undo the change of childrenIn'
  return new CodedError({
    code: 'ClusterChanged',
    message: `${describeRef(refOf(parent))} has recorded ${recorded}, but the controller makes children in ${now} now; ${remedy}, or set the annotation ${abandonAnnotation}: "true" to leave the recorded children alone`,
    remedy: 'stop',
  })
}
