// Names of an operator and its controllers in the cluster, computed from the names of both. Invariant: different
// operators, and different controllers of one operator, never share a name. Pure.
import { createHash } from 'node:crypto'
import { CodedError } from '../base/errors.ts'

/** The names of one operator. Its Lease has the name of the operator. */
export interface OperatorIdentity {
  /** `shop` */
  readonly name: string
  /**
   * `konverge.dev/shop`: its finalizer, its tooling name in ApplySets and the reporting controller of its Events. A
   * part has `konverge.dev/shop_audit`.
   */
  readonly qualifiedName: string
  /**
   * The name of one of several controllers of a kind; undefined for the operator, and for the controller without a
   * name.
   */
  readonly part?: string | undefined
  /** Field manager of finalizers and inventory metadata. */
  readonly parentManager: string
  readonly statusManager: string
  readonly eventManager: string
  readonly leaseManager: string
  /** The named shard of the operator that this process runs; absent: the shard has no name. */
  readonly shard?: string
}

const maxNameLength = 40
/** Shorter than a hash, so no name with a part equals a shortened one. */
const maxPartLength = 19
/** Source: apimachinery, validation of field managers. */
const maxManagerLength = 128
/** `konverge.dev/cleanup` was the finalizer of every operator before operators had names. */
const reservedName = 'cleanup'
/** Source: apimachinery, validation of label values. */
const maxLabelValueLength = 63
/** 80 bits. */
const hashLength = 20

/**
 * Returns the identity of an operator. Throws a CodedError `InvalidOperatorName` if `operatorNameProblem` returns a
 * problem.
 */
export function identityOf(name: string, shard?: string): OperatorIdentity {
  const message = operatorNameProblem(name)
  if (message !== undefined) throw new CodedError({ code: 'InvalidOperatorName', message, remedy: 'stop' })
  return identityNamed(name, undefined, shard)
}

/** Returns the names of one of several controllers of a kind: its own finalizer, managers and inventory. */
export function partOf({ name, shard }: OperatorIdentity, part: string | undefined): OperatorIdentity {
  return identityNamed(name, part, shard)
}

/** No name of an operator has `_`. */
function identityNamed(operator: string, part: string | undefined, shard: string | undefined): OperatorIdentity {
  const name = part === undefined ? operator : `${operator}_${part}`
  return Object.freeze({
    name: operator,
    part,
    qualifiedName: `konverge.dev/${name}`,
    parentManager: `${name}-parent`,
    statusManager: `${name}-status`,
    eventManager: `${name}-events`,
    leaseManager: `${name}-lease`,
    ...(shard === undefined ? {} : { shard }),
  })
}

/**
 * Returns the name of a controller in metrics, logs, managers and labels: `databases.data.konverge.dev`, or with a part
 * `databases.data.konverge.dev_audit`. Throws a CodedError `InvalidControllerName`.
 */
export function controllerNameOf(resource: string, part: string | undefined): string {
  if (part === undefined) return resource
  if (part.length <= maxPartLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(part)) return `${resource}_${part}`
  const message = `a controller of ${resource} cannot be called '${part}'; use at most ${maxPartLength} of a-z, 0-9 and '-', begin with a letter and do not end with '-'`
  throw new CodedError({ code: 'InvalidControllerName', message, remedy: 'stop' })
}

/** Returns the problem of an operator name, in one sentence; undefined if the name is valid. */
export function operatorNameProblem(name: string): string | undefined {
  if (name === reservedName) return `an operator cannot be called '${name}', which names a finalizer of konverge`
  if (name.length <= maxNameLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return undefined
  const rule = `use at most ${maxNameLength} of a-z, 0-9 and '-', begin with a letter and do not end with '-'`
  return `an operator cannot be called '${name}'; ${rule}`
}

/** The field manager of children before operators had names. */
export const earlierChildManager = 'konverge'

/**
 * Returns the field manager of a controller's children: `shop/websites.example.com`. Each controller has its own,
 * because an apply removes the fields of its manager's last apply. Two controllers of one object would remove each
 * other's fields.
 */
export function childManagerOf(operator: OperatorIdentity, controller: string): string {
  return managerOf(operator, controller)
}

/**
 * Returns the field manager of a controller's contributions to objects of other owners:
 * `shop/websites.example.com+contributions`. It differs from that of children, so that one resource can own an object
 * and another contribute to it.
 */
export function contributionManagerOf(operator: OperatorIdentity, controller: string): string {
  return managerOf(operator, controller, '+contributions')
}

/**
 * Returns the field manager of a resource's contributions to itself: `shop/nodes+self`. No other resource uses it, so
 * an apply removes undeclared fields.
 */
export function selfContributionManagerOf(operator: OperatorIdentity, controller: string): string {
  return managerOf(operator, controller, '+self')
}

/**
 * Returns the field manager of one owner's part of an object with several owners:
 * `shop/websites.example.com+owner-8d1c5e8e-…`. Each owner has its own, so that an apply removes its undeclared fields
 * and keeps those of the others.
 */
export function coOwnerManagerOf(operator: OperatorIdentity, controller: string, ownerUid: string): string {
  return managerOf(operator, controller, `+owner-${ownerUid}`)
}

/** True for the managers of owners of all operators built on konverge. */
export function isCoOwnerManager(manager: string | undefined): boolean {
  return manager !== undefined && isChildManager(manager) && manager.includes('+owner-')
}

/** Returns the UID of the owner with this manager; undefined for other managers. */
export function coOwnerOfManager(manager: string): string | undefined {
  return isCoOwnerManager(manager) ? manager.slice(manager.indexOf('+owner-') + '+owner-'.length) : undefined
}

/** Names have no `+`. */
function managerOf({ name }: OperatorIdentity, controller: string, suffix = ''): string {
  return `${name}/${shortened(controller, maxManagerLength - name.length - suffix.length - 1)}${suffix}`
}

/**
 * Returns the field manager of the author's own writes: `shop-client`, or `shop-client:nightly` for a named user of the
 * client. An apply removes the fields of its manager's last apply. No name of the runtime has a colon.
 */
export function clientManagerOf({ name }: OperatorIdentity, user?: string): string {
  const manager = `${name}-client`
  return user === undefined ? manager : `${manager}:${shortened(user, maxManagerLength - manager.length - 1)}`
}

/** True for the child and contribution managers of all operators built on konverge, earlier versions included. */
export function isChildManager(manager: string | undefined): boolean {
  return manager !== undefined && (manager === earlierChildManager || /^[a-z][-a-z0-9]*\/[^/]+$/.test(manager))
}

/** True for the status managers of all operators built on konverge. */
export function isStatusManager(manager: string | undefined): boolean {
  return manager !== undefined && /^[^:]+-status$/.test(manager)
}

/**
 * Returns the value of `konverge.dev/owned-by` on the children of a controller: its name, e.g.
 * `databases.data.konverge.dev`, shortened if it exceeds a label value.
 */
export function ownedByValue(controller: string): string {
  return shortened(controller, maxLabelValueLength)
}

/** Returns the part in a controller's name, or in the value of `konverge.dev/owned-by`; undefined if there is none. */
export function partNamedBy(controller = ''): string | undefined {
  const part = controller.split('_')[1]
  return part === undefined || part.length > maxPartLength ? undefined : part
}

/**
 * Returns the name, or its beginning and a hash of it. The part after `_` in a name is shorter than a hash, so no
 * shortened name equals another name.
 */
function shortened(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength)
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`
}
