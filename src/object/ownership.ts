// Whose child is it? The controller owner reference answers; there is at most one. Source: meta/v1 OwnerReference.
import { isJsonObject, type Json } from '../base/json.ts'
import { isChildManager } from './identity.ts'
import type { KubeObject, LiveObject, OwnerReference } from './object.ts'
import { groupOf } from './resource.ts'

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

/** True if a controller built on konverge applied it as a child or contributed to it. */
export function isAppliedByUs({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.some(({ manager, operation }) => isChildManager(manager) && operation === 'Apply')
}

/**
 * True if the last apply of a controller built on konverge declared the field at this path of members, as `('metadata', 'labels', 'team')`:
 * then its value comes from the spec of a resource.
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

/** Does the reference point at an object of this kind, whatever the version? */
export function refersToKind(
  reference: OwnerReference,
  kind: { readonly group: string; readonly kind: string },
): boolean {
  return reference.kind === kind.kind && groupOf(reference.apiVersion) === kind.group
}
