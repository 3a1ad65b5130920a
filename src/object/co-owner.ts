// Owners of an object that several resources own together. Each owner has an owner reference that is not the controller
// reference, and two ownership markers with its UID. The value of the label is the name of its controller; the
// annotation holds the runtime's data about its part.
// Invariant: no two owners share a field, because the key of each marker has the UID of one owner. Pure.
import { coOwnerOfManager } from './identity.ts'
import type { KubeObject, OwnerReference } from './object.ts'
import { controllerOf } from './ownership.ts'

const markPrefix = 'owner.konverge.dev/'

/** Returns the key of the label and of the annotation of one owner: `owner.konverge.dev/8d1c5e8e-…`. */
export function ownerMarkOf(uid: string): string {
  return `${markPrefix}${uid}`
}

/** Returns the UID in the key of an owner's label or annotation; undefined for other keys. */
export function ownerOfMark(key: string): string | undefined {
  return isOwnerMark(key) ? key.slice(markPrefix.length) : undefined
}

/** True for the label or annotation of an owner. */
export function isOwnerMark(key: string): boolean {
  return key.startsWith(markPrefix)
}

/** Returns the reference of a resource that owns an object together with others. */
export function coOwnerReferenceTo({ apiVersion, kind, name, uid }: OwnerReference): OwnerReference {
  return { apiVersion, kind, name, uid }
}

/**
 * Returns the owners that have a reference and an ownership marker, or, if the marker was removed by hand, a
 * managedFields entry of an apply. Empty for an object that one resource owns alone.
 */
export function coOwnersOf(object: KubeObject): readonly OwnerReference[] {
  const { ownerReferences = [], labels = {}, annotations = {}, managedFields = [] } = object.metadata
  if (ownerReferences.length === 0 || controllerOf(object) !== undefined) return []
  return ownerReferences.filter(({ uid }) => {
    const mark = ownerMarkOf(uid)
    const isMarked = Object.hasOwn(labels, mark) || Object.hasOwn(annotations, mark)
    return isMarked || managedFields.some(({ manager = '' }) => coOwnerOfManager(manager) === uid)
  })
}

export function isCoOwned(object: KubeObject): boolean {
  return coOwnersOf(object).length > 0
}

/**
 * Returns the name of the controller that declares this owner's part, as in the label `konverge.dev/owned-by`;
 * undefined if the label is lost.
 */
export function coOwnerController({ metadata: { labels } }: KubeObject, uid: string): string | undefined {
  return labels?.[ownerMarkOf(uid)]
}

/** True if this resource, through this controller, is one of several owners. */
export function isCoOwnedBy(object: KubeObject, uid: string, controller?: string): boolean {
  if (!coOwnersOf(object).some((owner) => owner.uid === uid)) return false
  const marked = coOwnerController(object, uid)
  return controller === undefined || marked === undefined || marked === controller
}

/** True if the object has an owner besides this one, with or without a marker. */
export function hasOtherOwners({ metadata: { ownerReferences = [] } }: KubeObject, uid: string): boolean {
  return ownerReferences.some((owner) => owner.uid !== uid)
}
