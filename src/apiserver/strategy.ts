// What is particular to one kind on its way in and out? The handler walks every object through the same steps; a Strategy
// says what each step does for its kind. Pure: objects in, objects and faults out; no object is ever changed in place.
// Source of the steps: k8s.io/apiserver/pkg/registry/rest (BeforeCreate, BeforeUpdate).
import type { JsonObject } from '../base/json.ts'
import type { FieldError } from './field-error.ts'
import type { Schema } from './schema/schema.ts'

/** A body as its kind reads it. */
export interface Decoded {
  /** Unknown fields dropped (pruned), values in the form that the kind stores, defaults set. */
  readonly object: JsonObject
  /** What `fieldValidation=Strict` refuses and `Warn` warns of: `unknown field "spec.x"`. Duplicates are the handler's. */
  readonly strictErrors: readonly string[]
}

/** What a step may know beside the objects. */
export interface StepContext {
  /** `now` as metadata carries it: RFC 3339, whole seconds, UTC. */
  readonly timestamp: string
}

/** What a kind chooses from that gives out addresses or numbers. */
export interface Stock {
  /** Has one of the kind this, if only the one that is written, before the write? */
  isTaken(value: string): boolean
  /** A whole number drawn from 0 up to the limit, without it. */
  below(limit: number): number
}

/** The steps of one endpoint: the object itself, or its status. */
export interface Steps {
  /** Keeps what the endpoint must not change, sets what it alone may set; the generation is decided here too. */
  prepareForUpdate(object: JsonObject, old: JsonObject, context: StepContext): JsonObject
  validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[]
  /** Texts for Warning headers. */
  warningsOnUpdate(object: JsonObject, old: JsonObject): readonly string[]
  /**
   * Paths whose ownership a write through this endpoint never takes or gives, as `['spec']`, `['metadata', 'labels']`.
   * Source: rest.ResetFieldsStrategy.
   */
  readonly resetFields: readonly (readonly string[])[]
}

export interface Strategy extends Steps {
  /** The kind's whole schema: for server-side apply, and to publish. Absent: fields are deduced from the values. */
  readonly schema: Schema | undefined
  /** Throws StatusError (400) for a body that cannot be read as this kind. `apiVersion` and `kind` have been checked. */
  decode(body: JsonObject): Decoded
  /** What an apply made, as its kind reads it. Absent: as any body. Throws StatusError (400). */
  decodeApplied?(object: JsonObject): Decoded
  /**
   * Gives an object what no two of its kind may have, as addresses of services, before its other steps; `old` is absent for
   * a create. Throws StatusError.
   */
  allocate?(object: JsonObject, old: JsonObject | undefined, stock: Stock): JsonObject
  prepareForCreate(object: JsonObject, context: StepContext): JsonObject
  validateCreate(object: JsonObject): readonly FieldError[]
  warningsOnCreate(object: JsonObject): readonly string[]
  /** Absent: the kind has no status endpoint. */
  readonly status: Steps | undefined
  /** Of a namespace: what alone may change its `spec.finalizers`. Absent: the kind has no such endpoint. */
  readonly finalize?: Steps | undefined
  /** PUT and PATCH without a resourceVersion are accepted. */
  readonly allowsUnconditionalUpdate: boolean
  /** PUT of an object that does not exist creates it. */
  readonly createsOnUpdate: boolean
  /** What a field selector may ask for beside metadata.name and metadata.namespace, with this object's values. */
  selectableFields(object: JsonObject): Readonly<Record<string, string>>
  /**
   * Seconds between the deletion's mark and the object's end, for kinds that end gracefully (pods), else undefined.
   * `requested` is what the client asked for.
   */
  gracePeriodSeconds(object: JsonObject, requested: number | undefined): number | undefined
  /** What a delete that names no propagation policy does. */
  readonly defaultPropagation: 'Background' | 'Orphan'
  /** Texts for Warning headers of a delete, whether there is such an object or not. */
  warningsOnDelete(asked: AskedPropagation): readonly string[]
  /**
   * For kinds whose first delete only marks them (namespaces, definitions): the marked object. Absent: the usual way.
   */
  markForDeletion?(object: JsonObject, context: StepContext): JsonObject
  /** Something beside the finalizers still keeps an object that is being deleted: `spec.finalizers` of a namespace. */
  isHeld?(object: JsonObject): boolean
  /** Why the object of this name is never deleted by itself; undefined where it is. */
  refusedDelete?(name: string): string | undefined
  /** A delete answers with the object instead of a Status. */
  readonly returnsDeletedObject: boolean
}

/** The steps of an endpoint: of the object itself, or of one below it that has its own. */
export function stepsOf(strategy: Strategy, subresource: string): Steps {
  const own = subresource === 'status' ? strategy.status : subresource === 'finalize' ? strategy.finalize : undefined
  return own ?? strategy
}

/** What a delete says of the dependents; both undefined where it says nothing. */
export interface AskedPropagation {
  readonly propagationPolicy: string | undefined
  readonly orphanDependents: boolean | undefined
}

/** Where the replicas of a kind are, for its scale endpoint: paths as `['spec', 'replicas']`. */
export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** Holds the selector as text (custom kinds) or as a LabelSelector (built-in kinds). */
  readonly selector: readonly string[] | undefined
}

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

/** The cells of `kubectl get`: columns, and one row an object. */
export interface Table {
  readonly columns: readonly PrinterColumn[]
  /** The object as it is kept; `nowMs` is what ages are counted to. */
  cells(object: JsonObject, nowMs: number): readonly (string | number | bigint | boolean | null)[]
}

/** One resource in one version, as discovery lists it and the router finds it. */
export interface ServedResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly isNamespaced: boolean
  /** Made by a CRD. */
  readonly isCustom: boolean
  /** Endpoints below the object beside `status` and `scale`, which follow from the strategy and `scale`. */
  readonly subresources: readonly string[]
  /** Where objects are kept: `deployments.apps`. Resources that share a store (both kinds of events) have one. */
  readonly shelf: string
  readonly scale: ScalePaths | undefined
  readonly table: Table
  readonly strategy: Strategy
  /** The version in which objects are kept. */
  readonly storageVersion: string
  /** What is kept of an object of this version. Absent where that is the object itself. */
  toStored?(object: JsonObject): JsonObject
  /** What is kept, in this version and under the schema of today; the same reference where it is that already. */
  fromStored?(object: JsonObject): JsonObject
  /**
   * What the answers of an endpoint, '' or `status`, and watches show of an object, where that is not all of it; the same reference
   * where it is. Writes know all.
   */
  shown?(object: JsonObject, subresource: string): JsonObject
}
