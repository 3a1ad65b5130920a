// Port of kinds. The handlers take each object through the same steps; a Strategy defines each step for its kind.
// Invariant: pure; objects in, objects and errors out; no step changes an object in place.
// Source of the steps: k8s.io/apiserver/pkg/registry/rest (BeforeCreate, BeforeUpdate).
import type { JsonObject } from '../base/json.ts'
import type { FieldError } from './field-error.ts'
import type { Schema } from './schema/schema.ts'

/** Decoded body. */
export interface Decoded {
  /** Object without unknown fields (pruned), in the form that the kind stores, with defaults. */
  readonly object: JsonObject
  /**
   * Errors for `fieldValidation=Strict`, warnings for `Warn`: `unknown field "spec.x"`. The handler reports duplicates.
   */
  readonly strictErrors: readonly string[]
}

/** Inputs of a step besides the objects. */
export interface StepContext {
  /** Current time: RFC 3339, whole seconds, UTC. */
  readonly timestamp: string
}

/** Allocator of unique addresses or numbers. */
export interface Allocators {
  /**
   * Returns whether an object of the kind has the value. The object being written counts in its state before the write.
   */
  isTaken(value: string): boolean
  /** Returns a random integer from 0 to `limit`, exclusive. */
  below(limit: number): number
}

/** Steps of one endpoint: the object itself, or its status. */
export interface Steps {
  /** Restores what the endpoint must not change, sets what only the server may set, and decides the generation. */
  prepareForUpdate(object: JsonObject, old: JsonObject, context: StepContext): JsonObject
  validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[]
  /** Returns texts of Warning headers. */
  warningsOnUpdate(object: JsonObject, old: JsonObject): readonly string[]
  /**
   * Paths whose field ownership never changes by a write through this endpoint: `['spec']`, `['metadata', 'labels']`.
   * Source: rest.ResetFieldsStrategy.
   */
  readonly resetFields: readonly (readonly string[])[]
}

export interface Strategy extends Steps {
  /** Complete schema of the kind, for server-side apply and OpenAPI. Absent: types are deduced from the values. */
  readonly schema: Schema | undefined
  /** Decodes a body, whose `apiVersion` and `kind` were checked. Throws StatusError (400). */
  decode(body: JsonObject): Decoded
  /** Decodes the result of an apply. Absent: `decode` does. Throws StatusError (400). */
  decodeApplied?(object: JsonObject): Decoded
  /**
   * Allocates unique values, e.g. addresses of services, before the other steps. `old` is absent for a create.
   * Throws StatusError.
   */
  allocate?(object: JsonObject, old: JsonObject | undefined, stock: Allocators): JsonObject
  prepareForCreate(object: JsonObject, context: StepContext): JsonObject
  validateCreate(object: JsonObject): readonly FieldError[]
  warningsOnCreate(object: JsonObject): readonly string[]
  /** Absent: the kind has no status endpoint. */
  readonly status: Steps | undefined
  /** Endpoint `finalize` of namespaces, which alone changes `spec.finalizers`. Absent: the kind has none. */
  readonly finalize?: Steps | undefined
  /** True if PUT and PATCH may omit the resourceVersion. */
  readonly allowsUnconditionalUpdate: boolean
  /** True if a PUT of a missing object creates it. */
  readonly createsOnUpdate: boolean
  /**
   * Returns the fields for field selectors, with this object's values. metadata.name and metadata.namespace come on
   * top.
   */
  selectableFields(object: JsonObject): Readonly<Record<string, string>>
  /**
   * Returns the grace period in seconds for kinds with graceful deletion (pods), else undefined.
   * `requested` is the client's value.
   */
  gracePeriodSeconds(object: JsonObject, requested: number | undefined): number | undefined
  /** Propagation of a delete without a policy. */
  readonly defaultPropagation: 'Background' | 'Orphan'
  /** Returns texts of Warning headers of a delete, even if no such object exists. */
  warningsOnDelete(asked: RequestedPropagation): readonly string[]
  /**
   * Returns the marked object, for kinds whose first delete only marks it (namespaces, CRDs). Absent: the usual way.
   */
  markForDeletion?(object: JsonObject, context: StepContext): JsonObject
  /** Returns whether more than finalizers holds a terminating object: `spec.finalizers` of a namespace. */
  isHeld?(object: JsonObject): boolean
  /** Returns why the object of this name may not be deleted; undefined if it may. */
  refusedDelete?(name: string): string | undefined
  /** True if a delete answers with the object instead of a Status. */
  readonly returnsDeletedObject: boolean
}

/** Returns the steps of an endpoint: of a subresource with its own steps, else of the object. */
export function stepsOf(strategy: Strategy, subresource: string): Steps {
  const own = subresource === 'status' ? strategy.status : subresource === 'finalize' ? strategy.finalize : undefined
  return own ?? strategy
}

/** Propagation that a delete asks for; both undefined if none. */
export interface RequestedPropagation {
  readonly propagationPolicy: string | undefined
  readonly orphanDependents: boolean | undefined
}

/** Paths of the replicas of a kind for its scale endpoint: `['spec', 'replicas']`. */
export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** Path of the selector: a text (custom kinds) or a LabelSelector (built-in kinds). */
  readonly selector: readonly string[] | undefined
}

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

/** Table of `kubectl get`: columns, and one row per object. */
export interface Table {
  readonly columns: readonly PrinterColumn[]
  /** Returns the cells of a stored object; ages are relative to `nowMs`. */
  cells(object: JsonObject, nowMs: number): readonly (string | number | bigint | boolean | null)[]
}

/** One resource in one version, as in discovery and routing. */
export interface ServedResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly isNamespaced: boolean
  /** True if a CRD defines the resource. */
  readonly isCustom: boolean
  /** Subresources other than `status` and `scale`, which follow from `strategy` and `scale`. */
  readonly subresources: readonly string[]
  /** Storage key prefix: `deployments.apps`. Resources that share a store (both kinds of events) have the same. */
  readonly shelf: string
  readonly scale: ScalePaths | undefined
  readonly table: Table
  readonly strategy: Strategy
  /** Version in which objects are stored. */
  readonly storageVersion: string
  /** Converts an object of this version to the stored version. Absent: they are equal. */
  toStored?(object: JsonObject): JsonObject
  /** Converts a stored object to this version and the current schema; returns the same reference if nothing changes. */
  fromStored?(object: JsonObject): JsonObject
  /**
   * Returns the part of an object that answers of an endpoint ('' or `status`) and watches show.
   * Returns the same reference if that is all of it. Writes see the whole object.
   */
  shown?(object: JsonObject, subresource: string): JsonObject
}
