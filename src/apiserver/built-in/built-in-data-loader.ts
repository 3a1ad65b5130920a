// Loader of the published data about built-in kinds. It reads each file of data/ at its first use, so startup reads
// none.
// The data is only in src/, which the package ships beside dist/; see data/README.md.
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
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
}

type ColumnsByKind = Readonly<Record<string, readonly PrinterColumn[]>>

/** Caches the data; one loader per program is enough. */
export class BuiltInDataLoader {
  readonly #folder: string
  readonly #schemas = new Map<string, Schema | undefined>()
  readonly #compilers = new Map<string, SchemasOfDocument>()
  #types: GoTypes | undefined
  #templates: CustomTemplates | undefined
  #columns: ColumnsByKind | undefined
  #bootstrapObjects: readonly JsonObject[] | undefined

  /** `folder` contains the data; default: this package's own folder. */
  constructor(folder = packagedFolder()) {
    this.#folder = folder
  }

  /**
   * Returns the document that the real server serves at /openapi/v3/apis/{group}/{version} (core:
   * /openapi/v3/api/{version}).
   */
  openApiText(group: string, version: string): string {
    return this.#read(`openapi-${group === '' ? 'core' : group}-${version}.json.br`)
  }

  /** Returns the document of all kinds at /openapi/v2: JSON, or a gnostic Document in protocol buffers. */
  wholeOpenApi(form: 'json' | 'pb'): Uint8Array {
    return this.#readBytes(`openapi-v2.${form}.br`)
  }

  /** Returns the kind's whole schema. The first kind of a group and version reads its document (10 to 40 ms). */
  schema(name: KindName): Schema | undefined {
    const key = `${name.group}/${name.version}/${name.kind}`
    if (!this.#schemas.has(key)) this.#schemas.set(key, this.#document(name).schema(name))
    return this.#schemas.get(key)
  }

  /** Returns the kind's type for the codec; undefined for a kind that is not built in. The first call takes 5 ms. */
  kind({ group, version, kind }: KindName): BuiltInKind | undefined {
    this.#types ??= new GoTypes(JSON.parse(this.#read('types.json.br')) as TypeTable) // Generated.
    const type = this.#types.ofKind({ group, version, kind })
    // Definitions are stored as JSON; kinds outside the catalogue are not stored.
    const isKept = keptKinds.some((entry) => isSameKind(entry, { group, version, kind }))
    return type && { group, version, kind, type, isKeptAsProto: isKept && group !== 'apiextensions.k8s.io' }
  }

  /** Returns the table of `kubectl get`; undefined for a kind outside the catalogue. */
  table({ group, version, kind }: KindName): Table | undefined {
    return builtInTable(kind, () => {
      this.#columns ??= JSON.parse(this.#read('columns.json.br')) as ColumnsByKind // Generated.
      return this.#columns[`${group}/${version}/${kind}`] ?? []
    })
  }

  /** Returns the documents of two custom kinds, as templates for other names. */
  customTemplates(): CustomTemplates {
    this.#templates ??= JSON.parse(this.#read('openapi-custom.json.br')) as CustomTemplates // Generated.
    return this.#templates
  }

  /** Returns the roles, bindings and priority classes that every server creates at startup. */
  bootstrapObjects(): readonly JsonObject[] {
    this.#bootstrapObjects ??= JSON.parse(this.#read('bootstrap.json.br')) as readonly JsonObject[] // Generated.
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

/** The package resolves its own name, from src/ and from dist/src/ alike. */
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
      // Option types list many kinds; a kind's own type lists exactly one.
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
