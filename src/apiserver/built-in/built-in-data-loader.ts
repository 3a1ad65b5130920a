// What do the published documents say of built-in kinds? Reads them from data/, each at its first use, so that a server
// that starts pays for none of them. They lie in src/ only, which the package ships beside dist/; see data/README.md.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { isJsonObject, type JsonObject, own } from '../../base/json.ts'
import type { CustomTemplates } from '../openapi/custom-document.ts'
import { Compiler, type Schema } from '../schema/schema.ts'
import type { PrinterColumn, Table } from '../strategy.ts'
import { keptKinds } from './catalogue.ts'
import type { BuiltInKind } from './codec.ts'
import { GoTypes, type TypeTable } from './go-type.ts'
import { builtInTable } from './tables/built-in-table.ts'

export interface KindName {
  /** Empty for core kinds. */
  readonly group: string
  readonly version: string
  readonly kind: string
}

type ColumnsByKind = Readonly<Record<string, readonly PrinterColumn[]>>

/** Holds what was read; one for a program is enough. */
export class BuiltInDataLoader {
  readonly #folder: string
  readonly #schemas = new Map<string, Schema | undefined>()
  readonly #compilers = new Map<string, SchemasOfDocument>()
  #types: GoTypes | undefined
  #templates: CustomTemplates | undefined
  #columns: ColumnsByKind | undefined
  #bootstrapObjects: readonly JsonObject[] | undefined

  /** `folder` is where the data lies; by default this package's own. */
  constructor(folder = packagedFolder()) {
    this.#folder = folder
  }

  /** The document that the real server serves at /openapi/v3/apis/{group}/{version} (core: /openapi/v3/api/{version}). */
  openApiText(group: string, version: string): string {
    return this.#read(`openapi-${group === '' ? 'core' : group}-${version}.json.br`)
  }

  /** The document that the real server serves at /openapi/v2, about all kinds: JSON, or a Document of gnostic in protocol buffers. */
  wholeOpenApi(form: 'json' | 'pb'): Uint8Array {
    return this.#readBytes(`openapi-v2.${form}.br`)
  }

  /** The kind's whole schema. The first kind of a group and version costs the reading of its document (10 to 40 ms). */
  schema(name: KindName): Schema | undefined {
    const key = `${name.group}/${name.version}/${name.kind}`
    if (!this.#schemas.has(key)) this.#schemas.set(key, this.#document(name).schema(name))
    return this.#schemas.get(key)
  }

  /** What the codec has to know of a kind; undefined for a kind that is not built in. The first costs 5 ms. */
  kind({ group, version, kind }: KindName): BuiltInKind | undefined {
    this.#types ??= new GoTypes(JSON.parse(this.#read('types.json.br')) as TypeTable) // Written by our own script.
    const type = this.#types.ofKind({ group, version, kind })
    // Definitions are kept as JSON, and what is not in the catalogue is not kept.
    const isKept = keptKinds.some((entry) => isSameKind(entry, { group, version, kind }))
    return type && { group, version, kind, type, isKeptAsProto: isKept && group !== 'apiextensions.k8s.io' }
  }

  /** What `kubectl get` shows; undefined for a kind that is not in the catalogue. */
  table({ group, version, kind }: KindName): Table | undefined {
    return builtInTable(kind, () => {
      this.#columns ??= JSON.parse(this.#read('columns.json.br')) as ColumnsByKind // As above.
      return this.#columns[`${group}/${version}/${kind}`] ?? []
    })
  }

  /** The documents of two custom kinds, to be put under other names. */
  customTemplates(): CustomTemplates {
    this.#templates ??= JSON.parse(this.#read('openapi-custom.json.br')) as CustomTemplates // As above.
    return this.#templates
  }

  /** The roles, bindings and priorities that every server makes for itself. */
  bootstrapObjects(): readonly JsonObject[] {
    this.#bootstrapObjects ??= JSON.parse(this.#read('bootstrap.json.br')) as readonly JsonObject[] // As above.
    return this.#bootstrapObjects
  }

  #document({ group, version }: KindName): SchemasOfDocument {
    const key = `${group}/${version}`
    const known = this.#compilers.get(key)
    const document = known ?? new SchemasOfDocument(JSON.parse(this.openApiText(group, version)) as JsonObject) // As above.
    if (known === undefined) this.#compilers.set(key, document)
    return document
  }

  #read(file: string): string {
    return this.#readBytes(file).toString('utf8')
  }

  #readBytes(file: string): Buffer {
    return brotliDecompressSync(readFileSync(join(this.#folder, file)))
  }
}

/** The package finds itself by its name, whether this file runs from src/ or from dist/src/. */
function packagedFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('konverge/package.json')
  return join(dirname(manifest), 'src/apiserver/built-in/data')
}

const referencePrefix = '#/components/schemas/'

class SchemasOfDocument {
  readonly #schemas: JsonObject
  readonly #compiler: Compiler

  constructor(document: JsonObject) {
    const components = own(document, 'components')
    const schemas = isJsonObject(components) ? own(components, 'schemas') : undefined
    this.#schemas = isJsonObject(schemas) ? schemas : {}
    this.#compiler = new Compiler((reference) => {
      const schema = own(this.#schemas, reference.slice(referencePrefix.length))
      return isJsonObject(schema) ? schema : undefined
    })
  }

  schema({ group, version, kind }: KindName): Schema | undefined {
    const found = Object.entries(this.#schemas).find(([, schema]) => {
      const names = isJsonObject(schema) ? own(schema, 'x-kubernetes-group-version-kind') : undefined
      // Options are of many kinds at once, the kinds themselves of one.
      const [name, ...others] = Array.isArray(names) ? names : []
      return others.length === 0 && isJsonObject(name) && isKind(name, { group, version, kind })
    })
    return found === undefined ? undefined : this.#compiler.compile({ $ref: `${referencePrefix}${found[0]}` })
  }
}

function isSameKind(left: KindName, right: KindName): boolean {
  return left.kind === right.kind && left.group === right.group && left.version === right.version
}

function isKind(name: JsonObject, { group, version, kind }: KindName): boolean {
  return own(name, 'group') === group && own(name, 'version') === version && own(name, 'kind') === kind
}
