// How do volumes get larger? Claims that exist ask for more, and the StatefulSet, whose claim templates cannot change, is made
// anew around its pods, so that claims to come begin with the new size. Decided in every turn from the claims as they are,
// so that it goes on wherever a crash cut it off; nothing is touched unless every claim can grow. Pure.
import { compareQuantities, type KubeObject, type LiveObject, nameList, parseQuantity, valueAt } from '../../index.ts'
import { recordsAt } from './replica.ts'

/** How many claims a message names; an Event holds 1,024 characters. */
export const listedClaims = 8

export interface VolumeGrowth {
  /** The size that claims to come are to have: the one wanted, unless the claims that exist cannot follow. */
  readonly volumeSize: string
  /** Names of the claims that have to be asked to grow, in ordinal order. */
  readonly claimsToGrow: readonly string[]
  /** Present while volumes, or the StatefulSet's template for them, have not the wanted size yet. */
  readonly expansion?: Expansion
  /** Why the volumes stay as they are; present if they do. A sentence. */
  readonly growthRefusal?: string
}

export interface Expansion {
  readonly size: string
  /** Names of the claims whose volume is still smaller. */
  readonly smaller: readonly string[]
  /** Of these, those whose volume has grown and whose file system grows when its pod mounts it again. */
  readonly fileSystemPending: readonly string[]
}

export interface GrowthInput {
  readonly size: string
  /** Those in use, in ordinal order. */
  readonly claims: readonly LiveObject[]
  /** The classes of these claims, by name, as far as they exist. */
  readonly storageClasses: ReadonlyMap<string, LiveObject>
  readonly statefulSet: LiveObject | undefined
  /** What the data can be copied to where volumes stay as they are: `a new store`. */
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
  // The API server lets only bound claims ask for more; one that waits for its pod follows when it is bound.
  const growth = { volumeSize: size, claimsToGrow: modest.filter(isBound).map(nameOf) }
  if (smaller.length === 0 && !isLess(template, size)) return growth
  const fileSystemPending = smaller.filter(isFileSystemPending).map(nameOf)
  return { ...growth, expansion: { size, smaller: smaller.map(nameOf), fileSystemPending } }
}

/** What of a claim's growing can change a decision; the same for a claim that has what it asks for, at whatever size. */
export function growthDigest(claim: KubeObject) {
  const requested = requestOf(claim)
  return requested !== undefined && isLess(capacityOf(claim), requested)
    ? { requested, isFileSystemPending: isFileSystemPending(claim) }
    : null
}

/** What people are told while volumes grow. */
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

/** Empty where a claim has none: its volume was made by hand, and only what a class made can grow. */
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

/** Of its claims to come. */
export function templateSizeOf(statefulSet: LiveObject | undefined): string | undefined {
  if (statefulSet === undefined) return undefined
  const [template] = recordsAt(statefulSet, 'spec', 'volumeClaimTemplates')
  // A claim template has the shape of a claim, as far as it is read here.
  return template === undefined ? undefined : requestOf(template as KubeObject)
}

function isFileSystemPending(claim: KubeObject): boolean {
  return recordsAt(claim, 'status', 'conditions').some(
    ({ type, status }) => type === 'FileSystemResizePending' && status === 'True',
  )
}

/** False where one of the two cannot be read: what is not known is no reason to act. */
function isLess(left: string | undefined, right: string): boolean {
  const [low, high] = [left === undefined ? undefined : parseQuantity(left), parseQuantity(right)]
  return low !== undefined && high !== undefined && compareQuantities(low, high) < 0
}

function textAt(object: KubeObject, ...path: readonly string[]): string | undefined {
  const value = valueAt(object, ...path)
  return typeof value === 'string' ? value : undefined
}
