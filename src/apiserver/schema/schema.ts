// What may stand where in an object? One compiled shape for the schemas of built-in kinds (published OpenAPI) and of custom
// kinds (a CRD's OpenAPI v3 schema): references resolved, Kubernetes' extensions read. Everything that walks an object by its
// schema (pruning, defaults, validation, server-side apply, strategic merge) walks this.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
export type ListType = 'atomic' | 'set' | 'map'

export interface Schema {
  /** The name under which the document publishes it: `io.k8s.apimachinery.pkg.api.resource.Quantity`. Absent inside others. */
  readonly definition: string | undefined
  /** Absent where anything may stand, and for int-or-string. */
  readonly type: SchemaType | undefined
  readonly format: string | undefined
  readonly properties: ReadonlyMap<string, Schema>
  /** The schema of every property that is not named, `true` for any value, `undefined` for none. */
  readonly additionalProperties: Schema | true | undefined
  readonly items: Schema | undefined
  readonly required: readonly string[]
  readonly isNullable: boolean
  readonly default: Json | undefined
  readonly isIntOrString: boolean
  readonly preservesUnknownFields: boolean
  readonly isEmbeddedResource: boolean
  /** As declared; absent means atomic. */
  readonly listType: ListType | undefined
  readonly listMapKeys: readonly string[]
  readonly mapType: 'granular' | 'atomic' | undefined
  /** Strategic merge, of built-in kinds only: how lists and structs are patched, and by which key. */
  readonly patchStrategy: string | undefined
  readonly patchMergeKey: string | undefined
  /** Everything as it was published: value validations, CEL rules, descriptions. */
  readonly source: JsonObject
}

/** Resolves `#/components/schemas/…` and `#/definitions/…`; undefined where the document has no such schema. */
export type Resolve = (reference: string) => JsonObject | undefined

/**
 * Compiles one schema. References are followed when they are reached, and each once, so recursive schemas are fine.
 *
 * @example compileSchema(crd.spec.versions[0].schema.openAPIV3Schema)
 */
export function compileSchema(source: JsonObject, resolve: Resolve = () => undefined): Schema {
  return new Compiler(resolve).compile(source)
}

/** Compiles schemas of one document; equal references give the same Schema. */
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
    // What stands beside a reference (a field's own default, its place in a strategic merge) adds to what it refers to.
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

/** `{allOf: [{$ref}]}` is how OpenAPI v3 says `{$ref}` beside other keys. */
function referenceOf(source: JsonObject): string | undefined {
  const direct = own(source, '$ref')
  if (typeof direct === 'string') return direct
  const all = own(source, 'allOf')
  const [only] = isJsonList(all) && all.length === 1 ? all : []
  const inner = isJsonObject(only) ? own(only, '$ref') : undefined
  return typeof inner === 'string' ? inner : undefined
}

/** Properties and items are compiled when they are first asked for, which is what makes recursion end. */
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
    this.type = text(source, 'type') as SchemaType | undefined // The only types that OpenAPI has.
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
