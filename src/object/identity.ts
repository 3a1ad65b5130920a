// Names that an operator and its controllers have in the cluster, computed from the names of both. Invariant: different operators, and
// different controllers of one operator, never share one. Pure.
import { createHash } from 'node:crypto'
import { CodedError } from '../base/errors.ts'

/** The names of one operator. Its Lease is called as the operator itself. */
export interface OperatorIdentity {
  /** `shop` */
  readonly name: string
  /** `konverge.dev/shop`: its finalizer, its name as the tool of ApplySets and as the reporting controller of Events. */
  readonly qualifiedName: string
  /** Field manager of finalizers and inventory marks. */
  readonly parentManager: string
  readonly statusManager: string
  readonly eventManager: string
  readonly leaseManager: string
}

const maxNameLength = 40
/** Source: apimachinery, validation of field managers. */
const maxManagerLength = 128
/** `konverge.dev/cleanup` was the finalizer of every operator before operators had names. */
const reservedName = 'cleanup'
/** Source: apimachinery, validation of label values. */
const maxLabelValueLength = 63
/** 80 bits. */
const hashLength = 20

/** Throws a CodedError `InvalidOperatorName` where `operatorNameProblem` has one. */
export function identityOf(name: string): OperatorIdentity {
  const message = operatorNameProblem(name)
  if (message !== undefined) throw new CodedError({ code: 'InvalidOperatorName', message, remedy: 'stop' })
  return Object.freeze({
    name,
    qualifiedName: `konverge.dev/${name}`,
    parentManager: `${name}-parent`,
    statusManager: `${name}-status`,
    eventManager: `${name}-events`,
    leaseManager: `${name}-lease`,
  })
}

/** What is wrong with the name of an operator, in one sentence; undefined if it can be one. */
export function operatorNameProblem(name: string): string | undefined {
  if (name === reservedName) return `an operator cannot be called '${name}', which names a finalizer of konverge`
  if (name.length <= maxNameLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return undefined
  const rule = `use at most ${maxNameLength} of a-z, 0-9 and '-', begin with a letter and do not end with '-'`
  return `an operator cannot be called '${name}'; ${rule}`
}

/** The field manager of children before operators had names. */
export const earlierChildManager = 'konverge'

/**
 * The field manager of what a controller's constructs declare: `shop/websites.example.com`. One manager for each controller, because an
 * apply removes what the last apply of its manager had: of two controllers of one object, each would remove the fields of the other.
 */
export function childManagerOf({ name }: OperatorIdentity, controller: string): string {
  return `${name}/${shortened(controller, maxManagerLength - name.length - 1)}`
}

/** True for the child managers of all operators built on konverge, earlier versions included. */
export function isChildManager(manager: string | undefined): boolean {
  return manager !== undefined && (manager === earlierChildManager || /^[a-z][-a-z0-9]*\/[^/]+$/.test(manager))
}

/** True for the status managers of all operators built on konverge. */
export function isStatusManager(manager: string | undefined): boolean {
  return manager?.endsWith('-status') === true
}

/**
 * The value of `konverge.dev/owned-by` on the children of a controller: its name, e.g. `databases.data.konverge.dev`, or the shortened name
 * where a label value has no room for it.
 */
export function ownedByValue(controller: string): string {
  return shortened(controller, maxLabelValueLength)
}

/** The name, or its beginning and a hash of it. Names of resources have no `_`, so no shortened one equals another name. */
function shortened(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength)
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`
}
