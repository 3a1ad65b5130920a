// Field managers of a controller's declarations: one for its children, and one for contributions to objects of others.
// Contributions of resources to themselves have one, and each of several owners of an object has one. Pure.
import {
  childManagerOf,
  contributionManagerOf,
  coOwnerManagerOf,
  type OperatorIdentity,
  selfContributionManagerOf,
} from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { ownerReferenceTo } from '../object/ownership.ts'
import type { DesiredObject } from '../synth/desired.ts'

/** Returns the field manager of a desired object. */
export type ManagerOf = (desired: Declared) => string

/** The part of a desired object that determines its manager. */
interface Declared {
  readonly policies: Pick<DesiredObject['policies'], 'contribute' | 'isSelf' | 'coOwn'>
  readonly object: Pick<KubeObject, 'metadata'>
}

export function fieldManagersOf(identity: OperatorIdentity, controllerName: string): ManagerOf {
  const manager = childManagerOf(identity, controllerName)
  const contributor = contributionManagerOf(identity, controllerName)
  const self = selfContributionManagerOf(identity, controllerName)
  return ({ policies, object }) => {
    if (policies.contribute) return policies.isSelf ? self : contributor
    const [owner] = object.metadata.ownerReferences ?? []
    return policies.coOwn && owner !== undefined ? coOwnerManagerOf(identity, controllerName, owner.uid) : manager
  }
}

/** Returns the manager of a resource's part of an object with several owners. */
export function partManagerOf(managerOf: ManagerOf, parent: LiveObject): string {
  const metadata = { name: parent.metadata.name, ownerReferences: [ownerReferenceTo(parent)] }
  return managerOf({ policies: { contribute: false, isSelf: false, coOwn: true }, object: { metadata } })
}

/**
 * Returns the manager that the same declaration had with the opposite of `coOwn`; undefined: it has no owner reference.
 */
export function formerManagerOf(managerOf: ManagerOf, { policies, object }: DesiredObject): string | undefined {
  if (policies.contribute || object.metadata.ownerReferences === undefined) return undefined
  return managerOf({ object, policies: { ...policies, coOwn: !policies.coOwn } })
}
