// Kubernetes objects as plain JSON in wire shape, with the parts that every kind has. Unknown fields stay unchanged.
import type { Json, JsonObject } from '../base/json.ts'
import type { Condition } from './condition.ts'

/** Reference to an owner of an object. Source: meta/v1 OwnerReference. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Entry of the fields that one field manager owns. Source: meta/v1 ManagedFieldsEntry. */
export interface ManagedFieldsEntry {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: JsonObject
  readonly subresource?: string
}

/** Metadata of any object. Source: meta/v1 ObjectMeta. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly generateName?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

/** An object of any kind. `Spec` and `Status` are wire shapes, as `konverge generate` writes them. */
export interface KubeObject<Spec = unknown, Status = unknown> {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly spec?: Spec
  readonly status?: Status
  readonly [field: string]: unknown
}

/** An object as the API server returns it, with UID and resourceVersion. */
export interface LiveObject<Spec = unknown, Status = unknown> extends KubeObject<Spec, Status> {
  readonly metadata: ObjectMeta & { readonly uid: string; readonly resourceVersion: string }
}

/** Status fields of the runtime on every kind of the operator. */
export interface StatusWithConditions {
  readonly observedGeneration?: number
  /** The newest `konverge.dev/reconcile-now` token whose reconcile has ended. */
  readonly lastHandledReconcileAt?: string
  readonly conditions?: readonly Condition[]
}

/**
 * Returns the object as JSON. Sound because objects only ever come from JSON or go to it; the type has no index of
 * Json.
 */
export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject
}

/**
 * Returns the JSON value of the object at `path`, or undefined.
 *
 * @example valueAt(deployment, 'spec', 'replicas') // 3
 */
export function valueAt(object: KubeObject, ...path: readonly string[]): Json | undefined {
  let value: Json | undefined = asJson(object)
  for (const step of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, step))
      return undefined
    value = (value as JsonObject)[step]
  }
  return value
}

/**
 * Returns the version of the desired state: `metadata.generation`, which the API server counts. For a kind without one,
 * such as ConfigMap and Namespace, returns everything except metadata and status.
 */
export function desiredVersionOf(object: KubeObject): Json | undefined {
  if (object.metadata.generation !== undefined) return object.metadata.generation
  const { metadata: _, status: __, ...content } = asJson(object)
  return content
}

/** Returns true if the object has a deletion timestamp. */
export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined
}
