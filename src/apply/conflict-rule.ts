// Decides whether a live object may be written. Allowed are members of the parent's inventory. In the parent's
// namespace, an object that cannot have an owner reference may have the inventory label instead. Invariant: any other
// object with a child's name is never taken (I5, I7).
import { CodedError } from '../base/errors.ts'
import { isCoOwned, isCoOwnedBy } from '../object/co-owner.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { controllerOf, isControlledBy } from '../object/ownership.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { ownedByLabel, partOfLabel } from '../synth/membership.ts'
import { type ChildCluster, describeCluster } from './child-cluster.ts'
import { coOwnerConflict, isLastOwner, mayJoin } from './co-owner-rule.ts'
import { isMember } from './member-rule.ts'
import { isRecorded, isRemote } from './remote-children.ts'
import { isOfSibling, siblingConflict } from './sibling-rule.ts'

export interface RejectionInput {
  readonly parent: LiveObject
  readonly desired: DesiredObject
  readonly live: LiveObject
  /** Manager of the desired object. */
  readonly manager: string
  readonly cluster?: ChildCluster | undefined
}

/**
 * Returns the reason why the child must not be written. Undefined: it is a child, it may have one more owner, or its
 * user hands it over.
 */
export function rejectionOf({ parent, desired, live, manager, cluster }: RejectionInput): CodedError | undefined {
  const { object, policies } = desired
  if (isRemote(live, parent, cluster) && isRecorded(live, parent, cluster)) return undefined
  const isPlain = !policies.coOwn && !isCoOwned(live)
  if (isPlain && isOfSibling(live, { manager, ownedBy: object.metadata.labels?.[ownedByLabel] ?? '' })) {
    return siblingConflict(parent, live)
  }
  if (isHandedOver(parent, live, cluster) && !isCoOwned(live)) return undefined
  if (isPlain) return isOurs(parent, object, live, cluster) ? undefined : conflictingOwner(parent, live, cluster)
  const isAllowed = policies.coOwn
    ? mayJoin(object, live) || isCoOwnedBy(live, parent.metadata.uid) || isControlledBy(live, parent)
    : isLastOwner(live, parent)
  if (isAllowed) return undefined
  const hasOwner = isCoOwned(live) || controllerOf(live) !== undefined
  return hasOwner ? coOwnerConflict(parent, live) : conflictingOwner(parent, live, cluster)
}

export function isOurs(parent: LiveObject, desired: KubeObject, live: LiveObject, cluster?: ChildCluster): boolean {
  if (isMember(live, parent, cluster)) return true
  if (controllerOf(desired) !== undefined || isRemote(live, parent, cluster)) return false
  const inventory = desired.metadata.labels?.[partOfLabel]
  return (
    controllerOf(live) === undefined && inventory !== undefined && live.metadata.labels?.[partOfLabel] === inventory
  )
}

/**
 * Annotation by which a user hands an object over: the future parent, as `Site/a`, or `Site/default/a` from another
 * namespace. From another cluster, the UID of the parent's cluster is appended, as in `Site/default/a@8d1c…`: parents
 * of two clusters can have the same name.
 */
export const adoptAnnotation = 'konverge.dev/adopt'

/** True if its user handed it to this parent. Never if it has another controller. */
export function isHandedOver(parent: LiveObject, live: LiveObject, cluster?: ChildCluster): boolean {
  const handedTo = live.metadata.annotations?.[adoptAnnotation]
  return controllerOf(live) === undefined && handedTo === adoptionMark(parent, live, cluster)
}

export function adoptedEvent(live: LiveObject): EventReport {
  return {
    type: 'Normal',
    reason: 'ChildAdopted',
    action: 'Adopt',
    note: `${describeRef(refOf(live))} was handed over by its annotation ${adoptAnnotation} and is a child now`,
  }
}

function adoptionMark(
  { kind, metadata: { namespace, name } }: LiveObject,
  live: LiveObject,
  cluster: ChildCluster | undefined,
): string {
  if (cluster !== undefined) return [kind, namespace, `${name}@${cluster.homeUid}`].filter(Boolean).join('/')
  const isAtHome = namespace === undefined || namespace === live.metadata.namespace
  return isAtHome ? `${kind}/${name}` : `${kind}/${namespace}/${name}`
}

/**
 * Returns the rejection with both sides. Retries are slow: an unmanaged object is in no cache, so its deletion makes no
 * event.
 */
export function conflictingOwner(
  parent: LiveObject,
  live: LiveObject,
  cluster?: ChildCluster,
): CodedError<'ConflictingOwner'> {
  const controller = controllerOf(live)
  const consent =
    controller === undefined
      ? `, or hand it over with the annotation ${adoptAnnotation}: ${adoptionMark(parent, live, cluster)}`
      : ''
  const owner =
    controller === undefined ? 'is not controlled by' : `is controlled by ${controller.kind} ${controller.name}, not by`
  return new CodedError({
    code: 'ConflictingOwner',
    message: `${describeRef(refOf(live))} exists${describeCluster(cluster)} and ${owner} ${describeRef(refOf(parent))}; delete or rename one of the two${consent}`,
    remedy: 'retry',
  })
}
