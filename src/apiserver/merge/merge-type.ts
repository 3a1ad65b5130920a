// Types for merging: a schema as server-side apply reads it.
// It tells which values are atomic, which are merged by field, and which fields identify list items.
// Compiled once per Schema; nested types on first use.
// Source: k8s.io/kube-openapi/pkg/schemaconv, k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'
import { fieldElement, type PathElement } from '../../diff/field-path.ts'
import type { Schema } from '../schema/schema.ts'
import { objectMetaDefinition, objectMetaSchema } from './object-meta-schema.ts'

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped'

/** Type of a value: one form, or all three if the schema names no type. */
export interface MergeType {
  readonly scalar: ScalarType | undefined
  readonly list: ListType | undefined
  readonly map: MapType | undefined
}

export interface MapType {
  readonly isAtomic: boolean
  readonly fields: ReadonlyMap<string, MapField>
  /** Type of undeclared fields; undefined if there may be none. */
  readonly elementType: MergeType | undefined
  /** True if no fields are known, so that a change of granularity cannot be detected. */
  readonly isDeduced: boolean
}

export interface MapField {
  readonly type: MergeType
  /** Path element of the field, and its key in a field set. */
  readonly element: PathElement
  readonly key: string
}

export interface ListType {
  readonly isAtomic: boolean
  /** Fields that identify an item, as declared. Empty: the list is a set, or atomic. */
  readonly keys: readonly string[]
  /** The same fields in the order of a written key, with their defaults. */
  readonly sortedKeys: readonly ListKey[]
  readonly elementType: MergeType
}

export interface ListKey {
  readonly name: string
  /** The name as written in a key, up to the value. */
  readonly label: string
  readonly default: Json | undefined
}

export type Form = 'map' | 'scalar' | 'list'

/** Returns the form of a value under its type. Validation rejects values that the type does not allow. */
export function formOf(type: MergeType, value: Json | undefined): Form {
  if (value !== undefined && value !== null) {
    if (isJsonList(value)) {
      if (type.list !== undefined) return 'list'
    } else if (isJsonObject(value)) {
      if (type.map !== undefined) return 'map'
    } else if (type.scalar !== undefined) return 'scalar'
  }
  if (type.map !== undefined) return 'map'
  return type.scalar !== undefined ? 'scalar' : 'list'
}

/** Returns the type of a map's field; undefined if the map has no such field. */
export function fieldTypeOf(map: MapType, name: string): MergeType | undefined {
  return map.fields.get(name)?.type ?? map.elementType
}

const noFields: ReadonlyMap<string, MapField> = new Map()

/** Any value, atomic. */
const untyped: MergeType = {
  scalar: 'untyped',
  get list() {
    return untypedList
  },
  get map() {
    return untypedMap
  },
}
const untypedList: ListType = { isAtomic: true, keys: [], sortedKeys: [], elementType: untyped }
const untypedMap: MapType = { isAtomic: true, fields: noFields, elementType: untyped, isDeduced: false }

/** Any value: maps merged by field, lists atomic. Used without a schema. */
const deduced: MergeType = {
  scalar: 'untyped',
  list: untypedList,
  get map() {
    return deducedMap
  },
}
const deducedMap: MapType = { isAtomic: false, fields: noFields, elementType: deduced, isDeduced: true }

const compiled = new WeakMap<Schema, MergeType>()

/**
 * Returns the type of a whole object.
 * Whatever the schema says, `apiVersion` and `kind` are strings, and `metadata` is ObjectMeta.
 */
export function mergeTypeOf(schema: Schema | undefined): MergeType {
  if (schema === undefined) return deduced
  let type = compiled.get(schema)
  if (type === undefined) {
    type = typeOf(schema, { preserves: false, isResource: true })
    compiled.set(schema, type)
  }
  return type
}

/** Returns whether the schema is of a built-in kind, which is a struct in upstream, as opposed to a custom kind. */
export function isBuiltIn(schema: Schema | undefined): boolean {
  return schema?.properties.get('metadata')?.definition === objectMetaDefinition
}

interface Place {
  /** True if an enclosing schema preserves unknown fields. */
  readonly preserves: boolean
  readonly isResource: boolean
}

const inside = (preserves: boolean): Place => ({ preserves, isResource: false })

function typeOf(schema: Schema, place: Place): MergeType {
  if (schema.definition === 'io.k8s.apimachinery.pkg.api.resource.Quantity') return scalarType('untyped')
  if (schema.definition === 'io.k8s.apimachinery.pkg.runtime.RawExtension') return untyped
  // A definition's setting for unknown fields does not apply to the definitions that it references.
  const inherited = place.preserves && schema.definition === undefined
  const preserves = schema.preservesUnknownFields || inherited
  const isResource = place.isResource || schema.isEmbeddedResource
  switch (schema.type) {
    case undefined:
      return {
        scalar: 'untyped',
        list: new SchemaList(schema, preserves),
        map: new SchemaMap(schema, { preserves, isResource }),
      }
    case 'object':
      return { scalar: undefined, list: undefined, map: new SchemaMap(schema, { preserves, isResource }) }
    case 'array':
      return { scalar: undefined, list: new SchemaList(schema, preserves), map: undefined }
    case 'integer':
    case 'number':
      return scalarType('numeric')
    case 'boolean':
      return scalarType('boolean')
    case 'string':
      return scalarType(schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped')
  }
}

function scalarType(scalar: ScalarType): MergeType {
  return { scalar, list: undefined, map: undefined }
}

class SchemaMap implements MapType {
  readonly isAtomic: boolean
  readonly #schema: Schema
  readonly #place: Place
  #fields: ReadonlyMap<string, MapField> | undefined
  #elementType: MergeType | undefined
  #hasElementType = false

  constructor(schema: Schema, place: Place) {
    this.isAtomic = schema.mapType === 'atomic'
    this.#schema = schema
    this.#place = place
  }

  get fields(): ReadonlyMap<string, MapField> {
    this.#fields ??= this.#compileFields()
    return this.#fields
  }

  get elementType(): MergeType | undefined {
    if (!this.#hasElementType) {
      this.#elementType = this.#compileElementType()
      this.#hasElementType = true
    }
    return this.#elementType
  }

  get isDeduced(): boolean {
    const additional = this.#schema.additionalProperties
    const isInline = typeof additional === 'object' && additional.definition === undefined
    return (
      this.fields.size === 0 && (this.elementType === deduced || (isInline && this.elementType?.scalar === 'untyped'))
    )
  }

  #compileFields(): ReadonlyMap<string, MapField> {
    const fields = new Map<string, MapField>()
    for (const [name, property] of this.#schema.properties) {
      fields.set(name, mapField(name, typeOf(property, inside(this.#place.preserves))))
    }
    if (this.#place.isResource) {
      for (const name of ['apiVersion', 'kind']) fields.set(name, mapField(name, scalarType('string')))
      fields.set('metadata', mapField('metadata', objectMetaType))
    }
    return fields
  }

  #compileElementType(): MergeType | undefined {
    const additional = this.#schema.additionalProperties
    if (additional === true) return deduced
    if (additional !== undefined) return typeOf(additional, inside(this.#place.preserves))
    if (own(this.#schema.source, 'additionalProperties') === false) return undefined
    return this.#place.preserves || this.fields.size === 0 ? deduced : undefined
  }
}

class SchemaList implements ListType {
  readonly isAtomic: boolean
  readonly keys: readonly string[]
  readonly #schema: Schema
  readonly #preserves: boolean
  #elementType: MergeType | undefined
  #sortedKeys: ListType['sortedKeys'] | undefined

  constructor(schema: Schema, preserves: boolean) {
    const { listType, listMapKeys, patchStrategy, patchMergeKey } = schema
    const isMerged = patchStrategy === 'merge' || patchStrategy === 'merge,retainKeys'
    this.isAtomic = listType === undefined ? !isMerged : listType === 'atomic'
    if (listType === 'map') this.keys = listMapKeys
    else this.keys = listType === undefined && isMerged && patchMergeKey !== undefined ? [patchMergeKey] : []
    this.#schema = schema
    this.#preserves = preserves
  }

  get elementType(): MergeType {
    const { items } = this.#schema
    this.#elementType ??= items === undefined ? untyped : typeOf(items, inside(this.#preserves))
    return this.#elementType
  }

  get sortedKeys(): ListType['sortedKeys'] {
    this.#sortedKeys ??= [...this.keys].sort().map((name) => ({
      name,
      label: `${JSON.stringify(name)}:`,
      default: this.#schema.items?.properties.get(name)?.default ?? undefined,
    }))
    return this.#sortedKeys
  }
}

function mapField(name: string, type: MergeType): MapField {
  return { type, element: fieldElement(name), key: `f:${name}` }
}

const objectMetaType = typeOf(objectMetaSchema, inside(false))
