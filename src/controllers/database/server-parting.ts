// Has a server in the cluster to be changed before its Database may go? Of one that is being deleted nothing is declared any more, so that what
// was said last may not have come to it: that its volume stays, or where clients are led, of whom some have to take leave of it yet. Pure.
import { type DatabaseSide, databaseServerNames } from '../../../constructs/index.ts'
import {
  childNamed,
  isBeingDeleted,
  type LiveObject,
  type Resource,
  Service,
  StatefulSet,
  valueAt,
} from '../../index.ts'
import { isRetentionUnsettled } from '../stateful-set/claim-retention.ts'
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
export function isUnsettled({ object, sides: { serving }, children, claim }: PartingServer): boolean {
  const { metadata, spec } = object
  const there = (resource: Resource, name: string) => {
    const child = childNamed({ object, children }, resource, name)
    return child === undefined || isBeingDeleted(child) ? undefined : child
  }
  const service = there(Service, databaseServerNames(metadata.name).clientService)
  // A move leads nobody anywhere while nobody may write.
  if (service !== undefined && !isLedTo(service, serving)) return true
  const statefulSet = there(StatefulSet, serving.statefulSet)
  // By Snapshot the volume is given to its server once all is saved.
  if (spec.deletionPolicy === 'Snapshot') return false
  return isRetentionUnsettled({ statefulSet, whenDeleted: spec.deletionPolicy, ownsClaims: claim === 'owned' })
}

export function isLedTo(service: LiveObject, { selectorLabels }: DatabaseSide): boolean {
  return JSON.stringify(valueAt(service, 'spec', 'selector')) === JSON.stringify(selectorLabels)
}
