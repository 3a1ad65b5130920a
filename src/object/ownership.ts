// Owner of a child, by its controller owner reference; there is at most one. Source: meta/v1 OwnerReference.
import { isJsonObject, type Json } from '../base/json.ts'
import { isChildManager } from './identity.ts'
import type { KubeObject, LiveObject, OwnerReference } from './object.ts'
import { groupOf } from './resource.ts'

/** Returns the reference that makes `owner` the controller of a child in its namespace. */
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

/** Returns the reference to the object's controller, if it has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)
}

/** True if `owner`, by its UID, is the controller of `object`. */
export function isControlledBy(object: KubeObject, owner: LiveObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid
}

/** True if a controller built on konverge applied the object as a child or contributed to it. */
export function isAppliedByUs({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.some(({ manager, operation }) => isChildManager(manager) && operation === 'Apply')
}

/**
 * Returns true if the last apply of a controller built on konverge declared the field at this path of members. Its
 * value then comes from the spec of a resource.
 *
 * @example isFieldAppliedByUs(object, 'metadata', 'labels', 'team')
 */
export function isFieldAppliedByUs(
  { metadata: { managedFields = [] } }: Pick<KubeObject, 'metadata'>,
  ...path: readonly string[]
): boolean {
  return managedFields.some(({ manager, operation, fieldsV1 }) => {
    if (!isChildManager(manager) || operation !== 'Apply') return false
    let fields: Json | undefined = fieldsV1
    for (const step of path) {
      if (!isJsonObject(fields) || !Object.hasOwn(fields, `f:${step}`)) return false
      fields = fields[`f:${step}`]
    }
    return fields !== undefined
  })
}

/** True if the reference names an object of this kind, in any version. */
export function refersToKind(
  reference: OwnerReference,
  kind: { readonly group: string; readonly kind: string },
): boolean {
  return reference.kind === kind.kind && groupOf(reference.apiVersion) === kind.group
}
