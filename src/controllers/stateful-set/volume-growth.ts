// Decides how volumes grow. Existing claims request more storage. The StatefulSet, whose claim templates are immutable,
// is recreated around its pods, so that new claims start with the new size.
// Invariant: each reconcile decides from the present claims, so it continues after a crash. No claim changes unless
// every claim can grow. Pure.
import { compareQuantities, type KubeObject, type LiveObject, nameList, parseQuantity, valueAt } from '../../index.ts'
import { recordsAt } from './replica.ts'

/** Number of claims that a message names; an Event holds 1,024 characters. */
export const listedClaims = 8

export interface VolumeGrowth {
  /** Size of new claims: the desired one, unless existing claims cannot grow. */
  readonly volumeSize: string
  /** Names of the claims that must request more storage, in ordinal order. */
  readonly claimsToGrow: readonly string[]
  /** Present until the volumes, and the StatefulSet's template for them, have the desired size. */
  readonly expansion?: Expansion
  /** Sentence that says why the volumes keep their size; present if they do. */
  readonly growthRefusal?: string
}

export interface Expansion {
  readonly size: string
  /** Names of the claims whose volume is still smaller. */
  readonly smaller: readonly string[]
  /** Those of `smaller` whose volume has grown, and whose file system grows when its pod mounts it again. */
  readonly fileSystemPending: readonly string[]
}

export interface GrowthInput {
  readonly size: string
  /** Claims in use, in ordinal order. */
  readonly claims: readonly LiveObject[]
  /** StorageClasses of these claims by name, if they exist. */
  readonly storageClasses: ReadonlyMap<string, LiveObject>
  readonly statefulSet: LiveObject | undefined
  /** Target for a copy of the data if the volumes cannot grow, e.g. `a new store`. */
  readonly successor: string
}

export function growthOf({ size, claims, storageClasses, statefulSet, successor }: GrowthInput): VolumeGrowth {
  const modest = claims.filter((claim) => isLess(requestOf(claim), size))
  const fixed = modest.find((claim) => !allowsExpansion(storageClasses.get(classOf(claim))))
  const template = templateSizeOf(statefulSet)
  if (fixed !== undefined) {
    return { volumeSize: template ?? size, claimsToGrow: [], growthRefusal: rejectionNote(fixed, { size, successor }) }
  }
  const smaller = claims.filter((claim) => modest.includes(claim) || isLess(capacityOf(claim), size))
  // The API server lets only bound claims request more. A claim that waits for its pod follows when it is bound.
  const growth = { volumeSize: size, claimsToGrow: modest.filter(isBound).map(nameOf) }
  if (smaller.length === 0 && !isLess(template, size)) return growth
  const fileSystemPending = smaller.filter(isFileSystemPending).map(nameOf)
  return { ...growth, expansion: { size, smaller: smaller.map(nameOf), fileSystemPending } }
}

/**
 * Returns the part of a claim's growth that can change a decision. Null for a claim that has its requested size, at any
 * size.
 */
export function growthDigest(claim: KubeObject) {
  const requested = requestOf(claim)
  return requested !== undefined && isLess(capacityOf(claim), requested)
    ? { requested, isFileSystemPending: isFileSystemPending(claim) }
    : null
}

/** Message while volumes grow. */
export function expansionNote({ size, smaller, fileSystemPending }: Expansion): string {
  if (smaller.length === 0) return `volumes have ${size}; the StatefulSet is made anew around its pods`
  const pending =
    fileSystemPending.length === 0
      ? ''
      : `; the file system of ${nameList(fileSystemPending, listedClaims)} grows when its pod mounts it again, which may need a restart`
  return `volumes grow to ${size}: waiting for ${nameList(smaller, listedClaims)}${pending}`
}

function rejectionNote(claim: KubeObject, { size, successor }: Pick<GrowthInput, 'size' | 'successor'>): string {
  const name = classOf(claim)
  const what = name === '' ? 'it has no StorageClass' : `its StorageClass '${name}' does not allow it`
  return (
    `volumes cannot grow to ${size} and none is touched: claim ${nameOf(claim)} cannot be expanded, because ${what}; ` +
    `set allowVolumeExpansion on the class if its driver can expand volumes, or copy the data to ${successor}`
  )
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name
}

/** Empty if the claim has none: its volume was made by hand, and only volumes of a class can grow. */
export function classOf(claim: KubeObject): string {
  return textAt(claim, 'spec', 'storageClassName') ?? ''
}

export function allowsExpansion(storageClass: LiveObject | undefined): boolean {
  return storageClass !== undefined && valueAt(storageClass, 'allowVolumeExpansion') === true
}

function isBound(claim: KubeObject): boolean {
  return valueAt(claim, 'status', 'phase') === 'Bound'
}

function requestOf(claim: KubeObject): string | undefined {
  return textAt(claim, 'spec', 'resources', 'requests', 'storage')
}

/** Undefined for a claim that is not bound yet. */
function capacityOf(claim: KubeObject): string | undefined {
  return textAt(claim, 'status', 'capacity', 'storage')
}

/** Size in the template for new claims. */
export function templateSizeOf(statefulSet: LiveObject | undefined): string | undefined {
  if (statefulSet === undefined) return undefined
  const [template] = recordsAt(statefulSet, 'spec', 'volumeClaimTemplates')
  // Sound: a claim template has the fields of a claim that are read here.
  return template === undefined ? undefined : requestOf(template as KubeObject)
}

function isFileSystemPending(claim: KubeObject): boolean {
  return recordsAt(claim, 'status', 'conditions').some(
    ({ type, status }) => type === 'FileSystemResizePending' && status === 'True',
  )
}

/** False if one of the two cannot be read: an unknown size is no reason to act. */
function isLess(left: string | undefined, right: string): boolean {
  const [low, high] = [left === undefined ? undefined : parseQuantity(left), parseQuantity(right)]
  return low !== undefined && high !== undefined && compareQuantities(low, high) < 0
}

function textAt(object: KubeObject, ...path: readonly string[]): string | undefined {
  const value = valueAt(object, ...path)
  return typeof value === 'string' ? value : undefined
}
