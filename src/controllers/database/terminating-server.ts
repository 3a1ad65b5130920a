// Detects changes that a server in the cluster needs before its Database is deleted. During deletion the server is
// normally not applied any more. An earlier apply may be missing, such as the volume's retention or the target of the
// clients' Service. Pure.
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

export interface TerminatingServer {
  readonly object: DatabaseObject
  readonly sides: Pick<ServerSides, 'serving'>
  readonly children: readonly LiveObject[]
  /** Claim of the serving server. */
  readonly claim: SideClaim
}

/** Returns whether the server has to be applied once more. False for objects that are deleted or being deleted. */
export function isUnsettled({ object, sides: { serving }, children, claim }: TerminatingServer): boolean {
  const { metadata, spec } = object
  const there = (resource: Resource, name: string) => {
    const child = childNamed({ object, children }, resource, name)
    return child === undefined || isBeingDeleted(child) ? undefined : child
  }
  const service = there(Service, databaseServerNames(metadata.name).clientService)
  // During a write freeze, a move leaves the Service without pods.
  if (service !== undefined && !isLedTo(service, serving)) return true
  const statefulSet = there(StatefulSet, serving.statefulSet)
  // With Snapshot, the server gets the ownership of its volume after the backup.
  if (spec.deletionPolicy === 'Snapshot') return false
  return isRetentionUnsettled({ statefulSet, whenDeleted: spec.deletionPolicy, ownsClaims: claim === 'owned' })
}

export function isLedTo(service: LiveObject, { selectorLabels }: DatabaseSide): boolean {
  return JSON.stringify(valueAt(service, 'spec', 'selector')) === JSON.stringify(selectorLabels)
}
