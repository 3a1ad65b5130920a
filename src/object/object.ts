// What is a Kubernetes object? Plain JSON in wire shape with the parts that every kind has; fields that we do not know
// stay as they came.
import type { Json, JsonObject } from '../base/json.ts'
import type { Condition } from './condition.ts'

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** One field manager's record of the fields it owns. Source: meta/v1 ManagedFieldsEntry. */
export interface ManagedFieldsEntry {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: JsonObject
  readonly subresource?: string
}

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

/** An object as the API server returns it: it has an identity and a version. */
export interface LiveObject<Spec = unknown, Status = unknown> extends KubeObject<Spec, Status> {
  readonly metadata: ObjectMeta & { readonly uid: string; readonly resourceVersion: string }
}

/** What status engines read and write on every kind of ours. */
export interface StatusWithConditions {
  readonly observedGeneration?: number
  /** The newest `konverge.dev/reconcile-now` token whose turn has ended. */
  readonly lastHandledReconcileAt?: string
  readonly conditions?: readonly Condition[]
}

/** The object as JSON. Sound because objects only ever come from JSON or go to it; the type has no index of Json. */
export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject
}

/** Any JSON value of the object's at `path`, or undefined. */
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
 * What stands for the desired state of an object: `metadata.generation`, which the API server counts; of a kind that has none, as
 * ConfigMap and Namespace, everything but metadata and status.
 */
export function desiredVersionOf(object: KubeObject): Json | undefined {
  if (object.metadata.generation !== undefined) return object.metadata.generation
  const { metadata: _, status: __, ...content } = asJson(object)
  return content
}

export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined
}
