// Compiled schema of built-in kinds (published OpenAPI) and custom kinds (a CRD's OpenAPI v3 schema).
// References are resolved, and Kubernetes' extensions are parsed.
// All schema walks use it: pruning, defaults, validation, server-side apply, strategic merge.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
export type ListType = 'atomic' | 'set' | 'map'

export interface Schema {
  /** Name in the document: `io.k8s.apimachinery.pkg.api.resource.Quantity`. Absent for inline schemas. */
  readonly definition: string | undefined
  /** Absent for any type, and for int-or-string. */
  readonly type: SchemaType | undefined
  readonly format: string | undefined
  readonly properties: ReadonlyMap<string, Schema>
  /** Schema of undeclared properties; `true` for any value, `undefined` for none. */
  readonly additionalProperties: Schema | true | undefined
  readonly items: Schema | undefined
  readonly required: readonly string[]
  readonly isNullable: boolean
  readonly default: Json | undefined
  readonly isIntOrString: boolean
  readonly preservesUnknownFields: boolean
  readonly isEmbeddedResource: boolean
  /** As declared. Default: atomic. */
  readonly listType: ListType | undefined
  readonly listMapKeys: readonly string[]
  readonly mapType: 'granular' | 'atomic' | undefined
  /** Patch strategy of lists and structs for strategic merge; built-in kinds only. */
  readonly patchStrategy: string | undefined
  readonly patchMergeKey: string | undefined
  /** Source schema: value validations, CEL rules, descriptions. */
  readonly source: JsonObject
}

/** Resolves `#/components/schemas/…` and `#/definitions/…`; returns undefined for an unknown reference. */
export type Resolve = (reference: string) => JsonObject | undefined

/**
 * Compiles one schema. References are resolved lazily and once each, so recursive schemas work.
 * @example compileSchema(crd.spec.versions[0].schema.openAPIV3Schema)
 */
export function compileSchema(source: JsonObject, resolve: Resolve = () => undefined): Schema {
  return new Compiler(resolve).compile(source)
}

/** Compiles schemas of one document; equal references yield the same Schema. */
export class Compiler {
  readonly #resolve: Resolve
  readonly #byReference = new Map<string, Schema>()

  constructor(resolve: Resolve) {
    this.#resolve = resolve
  }

  compile(source: JsonObject): Schema {
    const reference = referenceOf(source)
    if (reference === undefined) return this.#compilePlain(source, undefined)
    const definition = reference.slice(reference.lastIndexOf('/') + 1)
    const target = this.#resolve(reference) ?? {}
    // Keys beside a reference (a default, a patch strategy) extend the referenced schema.
    const { $ref: _, allOf: __, ...beside } = source
    if (Object.keys(beside).some((key) => key !== 'description'))
      return this.#compilePlain({ ...target, ...beside }, definition)
    const known = this.#byReference.get(reference)
    const compiled = known ?? this.#compilePlain(target, definition)
    if (known === undefined) this.#byReference.set(reference, compiled)
    return compiled
  }

  #compilePlain(source: JsonObject, definition: string | undefined): Schema {
    const compile = (inner: JsonObject) => this.compile(inner)
    return new LazySchema(source, definition, compile)
  }
}

/** Returns the reference. `{allOf: [{$ref}]}` is OpenAPI v3's form of `{$ref}` beside other keys. */
function referenceOf(source: JsonObject): string | undefined {
  const direct = own(source, '$ref')
  if (typeof direct === 'string') return direct
  const all = own(source, 'allOf')
  const [only] = isJsonList(all) && all.length === 1 ? all : []
  const inner = isJsonObject(only) ? own(only, '$ref') : undefined
  return typeof inner === 'string' ? inner : undefined
}

/** Compiles properties and items on first use, so that recursion ends. */
class LazySchema implements Schema {
  readonly definition: string | undefined
  readonly source: JsonObject
  readonly type: SchemaType | undefined
  readonly format: string | undefined
  readonly required: readonly string[]
  readonly isNullable: boolean
  readonly default: Json | undefined
  readonly isIntOrString: boolean
  readonly preservesUnknownFields: boolean
  readonly isEmbeddedResource: boolean
  readonly listType: ListType | undefined
  readonly listMapKeys: readonly string[]
  readonly mapType: 'granular' | 'atomic' | undefined
  readonly patchStrategy: string | undefined
  readonly patchMergeKey: string | undefined
  readonly #compile: (source: JsonObject) => Schema
  #properties: ReadonlyMap<string, Schema> | undefined
  #items: Schema | undefined
  #additional: Schema | undefined

  constructor(source: JsonObject, definition: string | undefined, compile: (source: JsonObject) => Schema) {
    this.definition = definition
    this.source = source
    this.#compile = compile
    this.type = text(source, 'type') as SchemaType | undefined // The only types of OpenAPI.
    this.format = text(source, 'format')
    this.required = texts(source, 'required')
    this.isNullable = own(source, 'nullable') === true
    this.default = own(source, 'default')
    this.isIntOrString = own(source, 'x-kubernetes-int-or-string') === true || this.format === 'int-or-string'
    this.preservesUnknownFields = own(source, 'x-kubernetes-preserve-unknown-fields') === true
    this.isEmbeddedResource = own(source, 'x-kubernetes-embedded-resource') === true
    this.listType = text(source, 'x-kubernetes-list-type') as ListType | undefined // Closed by the CRD's validation.
    this.listMapKeys = texts(source, 'x-kubernetes-list-map-keys')
    this.mapType = text(source, 'x-kubernetes-map-type') as 'granular' | 'atomic' | undefined // As above.
    this.patchStrategy = text(source, 'x-kubernetes-patch-strategy')
    this.patchMergeKey = text(source, 'x-kubernetes-patch-merge-key')
  }

  get properties(): ReadonlyMap<string, Schema> {
    this.#properties ??= this.#compileProperties()
    return this.#properties
  }

  get items(): Schema | undefined {
    const items = own(this.source, 'items')
    if (isJsonObject(items)) this.#items ??= this.#compile(items)
    return this.#items
  }

  get additionalProperties(): Schema | true | undefined {
    const additional = own(this.source, 'additionalProperties')
    if (isJsonObject(additional)) this.#additional ??= this.#compile(additional)
    return additional === true ? true : this.#additional
  }

  #compileProperties(): ReadonlyMap<string, Schema> {
    const properties = own(this.source, 'properties')
    if (!isJsonObject(properties)) return new Map()
    return new Map(
      Object.entries(properties).flatMap(([name, property]) =>
        isJsonObject(property) ? [[name, this.#compile(property)] as const] : [],
      ),
    )
  }
}

function text(source: JsonObject, key: string): string | undefined {
  const value = own(source, key)
  return typeof value === 'string' ? value : undefined
}

function texts(source: JsonObject, key: string): readonly string[] {
  const value = own(source, key)
  return isJsonList(value) ? value.filter((item) => typeof item === 'string') : []
}
