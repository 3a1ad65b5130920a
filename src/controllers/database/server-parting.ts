// Has a server in the cluster to be changed before its Database may go? Of one that is being deleted nothing is declared any more, so that what
// was said last may not have come to it: that its volume stays. Pure.
import { isBeingDeleted, isOf, type LiveObject, type Resource, StatefulSet, valueAt } from '../../index.ts'
import type { DatabaseObject } from './server-connection.ts'
import type { ServerSides, SideClaim } from './server-sides.ts'

export interface PartingServer {
  readonly object: DatabaseObject
  readonly sides: Pick<ServerSides, 'serving'>
  readonly children: readonly LiveObject[]
  /** Of the server that serves. */
  readonly claim: SideClaim
}

/** Is it to be declared once more? Of what is gone, or going, nothing is. */
export function isUnsettled({ object: { spec }, sides: { serving }, children, claim }: PartingServer): boolean {
  const there = (resource: Resource, name: string) =>
    children.find((child) => isOf(resource, child) && child.metadata.name === name && !isBeingDeleted(child))
  const server = there(StatefulSet, serving.statefulSet)
  // By Snapshot the volume is given to its server once all is saved.
  if (server === undefined || spec.deletionPolicy === 'Snapshot') return false
  const whenDeleted = valueAt(server, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted')
  return whenDeleted !== spec.deletionPolicy || (spec.deletionPolicy === 'Retain' && claim === 'owned')
}
