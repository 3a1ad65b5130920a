// One endpoint of one kind for server-side apply: types, compiled once, of the endpoint's version and of all other
// versions.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal (structuredmerge.go, versionconverter.go).
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { fieldPath } from '../../diff/field-path.ts'
import { FieldSet } from '../../diff/field-set.ts'
import type { Schema } from '../schema/schema.ts'
import { emptyObject } from './empty-object.ts'
import type { ManagedEntry } from './managed-entry.ts'
import { withManagedFields } from './managed-fields.ts'
import { isBuiltIn, type MergeType, mergeTypeOf } from './merge-type.ts'
import { Ownership, type OwnershipVersion, type Versions } from './ownership.ts'
import { typeFault, type ValueOrigin } from './validate-typed.ts'

/** One version of a kind. */
export interface KindVersion {
  /** As in objects: `apps/v1`. */
  readonly apiVersion: string
  /** Undefined if the kind has no schema; types are then deduced from the values. */
  readonly schema: Schema | undefined
  /** Paths whose ownership a write through the endpoint never changes: `['spec']`. */
  readonly resetFields: readonly (readonly string[])[]
}

export interface ManagedKindOptions extends KindVersion {
  readonly kind: string
  /** '' for the object itself. */
  readonly subresource: string
  readonly otherVersions?: readonly OtherVersion[]
}

export interface OtherVersion extends KindVersion {
  /** Converts objects of the endpoint's version to this one, and back. */
  fromCurrent(object: JsonObject): JsonObject
  toCurrent(object: JsonObject): JsonObject
}

/** A value that violates its type; the message names the path. */
export class TypeFault extends Error {
  override readonly name = 'TypeFault'
}

export class ManagedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly subresource: string
  readonly type: MergeType
  readonly ownership: Ownership<ManagedEntry>
  /** Base that a new object is compared with and applied to. */
  readonly emptyObject: JsonObject
  /** Validated objects, without their managedFields. */
  readonly #checked = new WeakMap<JsonObject, JsonObject>()

  constructor(options: ManagedKindOptions) {
    this.apiVersion = options.apiVersion
    this.kind = options.kind
    this.subresource = options.subresource
    const versions = new KindVersions(options)
    this.type = versions.current.type
    this.ownership = new Ownership(versions, (entry, fields) => entry.owning(fields))
    this.emptyObject = emptyObject(options.schema, { apiVersion: options.apiVersion, kind: options.kind })
  }

  /** Returns the validated object without managedFields. Throws TypeFault. */
  checked(object: JsonObject): JsonObject {
    let checked = this.#checked.get(object)
    if (checked === undefined) {
      checked = withManagedFields(object, undefined)
      checkType(this.type, checked, { duplicates: 'tolerated', numbers: 'integers' })
      this.#checked.set(object, checked)
    }
    return checked
  }
}

/** Throws TypeFault if the value violates its type. */
export function checkType(type: MergeType, value: Json, origin: ValueOrigin): void {
  const fault = typeFault(type, value, origin)
  if (fault !== undefined) throw new TypeFault(fault)
}

class KindVersions implements Versions {
  readonly current: OwnershipVersion
  readonly #others = new Map<string, OtherVersion>()
  readonly #versions = new Map<string, OwnershipVersion>()

  readonly #isCustom: boolean

  constructor(options: ManagedKindOptions) {
    this.current = ownershipVersion(options)
    this.#isCustom = !isBuiltIn(options.schema)
    for (const other of options.otherVersions ?? []) {
      this.#others.set(other.apiVersion, other)
      this.#versions.set(other.apiVersion, ownershipVersion(other))
    }
    this.#versions.set(this.current.apiVersion, this.current)
  }

  /**
   * Returns a version.
   * A removed version is undefined for built-in kinds, so its managers are dropped; for custom kinds it throws
   * TypeFault.
   */
  find(apiVersion: string): OwnershipVersion | undefined {
    const version = this.#versions.get(apiVersion)
    if (version === undefined && this.#isCustom)
      throw new TypeFault(`request to convert CR to an invalid group/version: ${apiVersion}`)
    return version
  }

  convert(object: Json, to: OwnershipVersion, doing = ''): Json {
    // A whole object can be removed only if it is atomic.
    if (!isJsonObject(object)) throw new TypeFault(`${doing}failed to convert value to unstructured for type <nil>`)
    const from = own(object, 'apiVersion')
    if (from === to.apiVersion) return object
    const current = this.#others.get(String(from))?.toCurrent(object) ?? object
    const converted = this.#others.get(to.apiVersion)?.fromCurrent(current) ?? current
    const fault = typeFault(to.type, converted, { duplicates: 'refused', numbers: 'integers' })
    if (fault !== undefined) throw new TypeFault(`${doing}${fault}`)
    return converted
  }
}

function ownershipVersion({ apiVersion, schema, resetFields }: KindVersion): OwnershipVersion {
  return {
    apiVersion,
    type: mergeTypeOf(schema),
    resetFields: FieldSet.of(resetFields.map((names) => fieldPath(...names))),
  }
}
