// Owners of an object that several resources own together. Each owner has an owner reference that is not the controller reference, and a mark with its
// UID: a label, whose value is the name of its controller, and an annotation with what the runtime knows of its part. Invariant: no two owners share a
// field, because the key of each mark has the UID of one owner. Pure.
import { coOwnerOfManager } from './identity.ts'
import type { KubeObject, OwnerReference } from './object.ts'
import { controllerOf } from './ownership.ts'

const markPrefix = 'owner.konverge.dev/'

/** The key of the label and of the annotation of one owner: `owner.konverge.dev/8d1c5e8e-…`. */
export function ownerMarkOf(uid: string): string {
  return `${markPrefix}${uid}`
}

/** The UID in the key of a label or annotation of an owner; undefined: the key is none. */
export function ownerOfMark(key: string): string | undefined {
  return isOwnerMark(key) ? key.slice(markPrefix.length) : undefined
}

/** True for the label or annotation of an owner. */
export function isOwnerMark(key: string): boolean {
  return key.startsWith(markPrefix)
}

/** The reference of a resource that owns an object together with others. */
export function coOwnerReferenceTo({ apiVersion, kind, name, uid }: OwnerReference): OwnerReference {
  return { apiVersion, kind, name, uid }
}

/**
 * The owners that have a reference and a mark, or where its marks were removed by hand, the record of an apply. None of an object that one resource owns
 * alone.
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

/** The name of the controller, as in the label `konverge.dev/owned-by`, that declares the part of this owner; undefined if the label is lost. */
export function coOwnerController({ metadata: { labels } }: KubeObject, uid: string): string | undefined {
  return labels?.[ownerMarkOf(uid)]
}

/** Is this resource, through this controller, one of several owners? */
export function isCoOwnedBy(object: KubeObject, uid: string, controller?: string): boolean {
  if (!coOwnersOf(object).some((owner) => owner.uid === uid)) return false
  const marked = coOwnerController(object, uid)
  return controller === undefined || marked === undefined || marked === controller
}

/** Has the object an owner besides this one, marked or not? */
export function hasOtherOwners({ metadata: { ownerReferences = [] } }: KubeObject, uid: string): boolean {
  return ownerReferences.some((owner) => owner.uid !== uid)
}
