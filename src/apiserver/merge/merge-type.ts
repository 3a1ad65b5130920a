// How may several managers share a value? A kind's schema as server-side apply reads it: what is owned as one piece, what
// field by field, and which fields tell the items of a list apart. Compiled once for each Schema, parts when first reached.
// Source: k8s.io/kube-openapi/pkg/schemaconv, k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'
import { fieldElement, type PathElement } from '../../diff/field-path.ts'
import type { Schema } from '../schema/schema.ts'
import { objectMetaDefinition, objectMetaSchema } from './object-meta-schema.ts'

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped'

/** What may stand somewhere: one form, or where the schema names no type any of the three. */
export interface MergeType {
  readonly scalar: ScalarType | undefined
  readonly list: ListType | undefined
  readonly map: MapType | undefined
}

export interface MapType {
  readonly isAtomic: boolean
  readonly fields: ReadonlyMap<string, MapField>
  /** Of fields that are not named; undefined where there may be none. */
  readonly elementType: MergeType | undefined
  /** Nothing is known of its fields, so a change of how they are shared cannot be seen. */
  readonly isDeduced: boolean
}

export interface MapField {
  readonly type: MergeType
  /** Its step in a field set, and the key of that. */
  readonly element: PathElement
  readonly key: string
}

export interface ListType {
  readonly isAtomic: boolean
  /** The fields that identify an item, as declared; none: the list is a set, unless it is atomic. */
  readonly keys: readonly string[]
  /** The same in the order in which a key is written, with what an item that leaves the field out is taken to have. */
  readonly sortedKeys: readonly ListKey[]
  readonly elementType: MergeType
}

export interface ListKey {
  readonly name: string
  /** The name as a key is written, up to the value. */
  readonly label: string
  readonly default: Json | undefined
}

export type Form = 'map' | 'scalar' | 'list'

/** The form that a value has by its type; what the type does not allow is left to validation to refuse. */
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

/** The type of a map's field, undefined where the map has no such field. */
export function fieldTypeOf(map: MapType, name: string): MergeType | undefined {
  return map.fields.get(name)?.type ?? map.elementType
}

const noFields: ReadonlyMap<string, MapField> = new Map()

/** Anything, as one piece. */
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

/** Anything: maps field by field, lists as one piece. What is known where there is no schema. */
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
 * The type of a whole object. Whatever the schema says of them, `apiVersion` and `kind` are texts and `metadata` is that of
 * every object.
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

/** Is this one of the server's own kinds, which exist as structs there, as opposed to a custom one? */
export function isBuiltIn(schema: Schema | undefined): boolean {
  return schema?.properties.get('metadata')?.definition === objectMetaDefinition
}

interface Place {
  /** Unknown fields are kept here, because something further up says so. */
  readonly preserves: boolean
  readonly isResource: boolean
}

const inside = (preserves: boolean): Place => ({ preserves, isResource: false })

function typeOf(schema: Schema, place: Place): MergeType {
  if (schema.definition === 'io.k8s.apimachinery.pkg.api.resource.Quantity') return scalarType('untyped')
  if (schema.definition === 'io.k8s.apimachinery.pkg.runtime.RawExtension') return untyped
  // What a definition says of unknown fields does not reach into those that it refers to.
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
