// Whose child is it? The controller owner reference answers; there is at most one. Source: meta/v1 OwnerReference.
import type { KubeObject, LiveObject, OwnerReference } from './object.ts'
import { groupOf } from './resource.ts'

/** The field manager of children: who owns what constructs declare. */
export const childManager = 'konverge'

/** The reference that makes `owner` the controller of a child in its namespace. */
export function ownerReferenceTo(owner: LiveObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  }
}

/** The reference to the object's controller, if it has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)
}

/** Is `owner`, this very object and not a namesake, the controller of `object`? */
export function isControlledBy(object: KubeObject, owner: LiveObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid
}

/** Have we applied it? Cached objects keep our own entry of managedFields and no other. */
export function isAppliedByUs({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.some(({ manager, operation }) => manager === childManager && operation === 'Apply')
}

/** Does the reference point at an object of this kind, whatever the version? */
export function refersToKind(
  reference: OwnerReference,
  kind: { readonly group: string; readonly kind: string },
): boolean {
  return reference.kind === kind.kind && groupOf(reference.apiVersion) === kind.group
}
