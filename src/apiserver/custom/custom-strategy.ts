// Served resources of a definition: one for each served version. All versions share the stored objects.
// Sources: k8s.io/apiextensions-apiserver/pkg/registry/customresource, pkg/apiserver/customresource_handler.go.
import { deepEqual, isJsonObject, type JsonObject, own } from '../../base/json.ts'
import { isTrueAt, structAt, structIn, structsAt, textAt, textsAt } from '../built-in/field-walk.ts'
import { compileSchema, type Schema } from '../schema/schema.ts'
import { badRequest, StatusError } from '../status-error.ts'
import type { Decoded, ServedResource, Steps, Strategy } from '../strategy.ts'
import { appliedSchema } from './applied-schema.ts'
import { type CustomKind, validateCustomCreate, validateCustomStatus, validateCustomUpdate } from './custom-rules.ts'
import { finalizerWarnings } from './finalizer-warnings.ts'
import { type JsonPath, JsonPathError, parseJsonPath } from './json-path.ts'
import { customTable } from './printer-columns.ts'
import { readApplied, readMetadata, readObject } from './read-object.ts'
import { customScale } from './scale-rules.ts'

const none: readonly string[] = []

/** Returns the served resources of a definition in the order of its versions, under its accepted names. */
export function customResources(definition: JsonObject): ServedResource[] {
  const spec = structAt(definition, 'spec') ?? {}
  const versions = structsAt(spec, 'versions')
  const schemas = new Map(versions.map((version) => [textAt(version, 'name'), schemaOf(version)]))
  const storage = versions.find((version) => isTrueAt(version, 'storage'))
  const storageVersion = textAt(storage, 'name')
  const stored = { version: storageVersion, schema: schemas.get(storageVersion) ?? emptySchema }
  return versions
    .filter((version) => isTrueAt(version, 'served'))
    .map((version) => resourceOf(definition, version, { schemas, stored }))
}

interface Versions {
  readonly schemas: ReadonlyMap<string, Schema>
  readonly stored: Version
}

interface Version {
  readonly version: string
  readonly schema: Schema
}

const emptySchema = compileSchema({})

function schemaOf(version: JsonObject): Schema {
  return compileSchema(structIn(version, 'schema', 'openAPIV3Schema') ?? {})
}

function resourceOf(definition: JsonObject, declared: JsonObject, { schemas, stored }: Versions): ServedResource {
  const spec = structAt(definition, 'spec') ?? {}
  const names = structIn(definition, 'status', 'acceptedNames') ?? structAt(spec, 'names') ?? {}
  const group = textAt(spec, 'group')
  const version = textAt(declared, 'name')
  const scale = structIn(declared, 'subresources', 'scale')
  const kind: CustomKind = {
    group,
    version,
    kind: textAt(names, 'kind'),
    isNamespaced: textAt(spec, 'scope') === 'Namespaced',
    schema: schemas.get(version) ?? emptySchema,
    scale: scale === undefined ? undefined : customScale(scale),
  }
  const plural = textAt(names, 'plural')
  return {
    group,
    version,
    kind: kind.kind,
    plural,
    singular: textAt(names, 'singular'),
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
    isNamespaced: kind.isNamespaced,
    isCustom: true,
    subresources: none,
    shelf: `${plural}.${group}`,
    scale: kind.scale?.paths,
    table: customTable(structsAt(declared, 'additionalPrinterColumns')),
    strategy: strategyOf(kind, declared, schemas),
    storageVersion: stored.version,
    ...storedForm(kind, stored),
  }
}

function strategyOf(kind: CustomKind, declared: JsonObject, schemas: Versions['schemas']): Strategy {
  const hasStatus = structIn(declared, 'subresources', 'status') !== undefined
  const selectable = selectablePaths(structsAt(declared, 'selectableFields'))
  return {
    schema: appliedSchema(kind.schema.source),
    decode: (body) => decoded(kind, schemas, body),
    decodeApplied: (object) => ({ object: readApplied(object, kind.schema), strictErrors: none }),
    prepareForCreate: (object) => withGeneration(hasStatus ? without(object, 'status') : object, 1),
    validateCreate: (object) => validateCustomCreate(kind, object),
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    prepareForUpdate: (object, old) => {
      const kept = hasStatus ? withField(object, 'status', own(old, 'status')) : object
      return isSameBeyondMetadata(kept, old) ? kept : withGeneration(kept, generationOf(old) + 1)
    },
    validateUpdate: (object, old) => validateCustomUpdate(kind, object, old),
    warningsOnUpdate: finalizerWarnings,
    resetFields: hasStatus ? [['status']] : [],
    status: hasStatus ? statusSteps(kind) : undefined,
    allowsUnconditionalUpdate: false,
    createsOnUpdate: false,
    selectableFields: (object) => selectedValues(selectable, object),
    gracePeriodSeconds: () => undefined,
    defaultPropagation: 'Background',
    warningsOnDelete: () => none,
    returnsDeletedObject: false,
  }
}

function statusSteps(kind: CustomKind): Steps {
  return {
    prepareForUpdate: (object, old) => {
      const metadata = structAt(old, 'metadata') ?? {}
      const managedFields = own(structAt(object, 'metadata') ?? {}, 'managedFields')
      const kept = withField(old, 'metadata', withField(metadata, 'managedFields', managedFields))
      return withField(kept, 'status', own(object, 'status'))
    },
    validateUpdate: (object, old) => validateCustomStatus(kind, object, old),
    warningsOnUpdate: () => none,
    resetFields: [['metadata'], ['spec']],
  }
}

/** Decodes a body by the version that it names; for a body of another kind, decodes only its metadata. */
function decoded({ group, kind }: CustomKind, schemas: Versions['schemas'], body: JsonObject): Decoded {
  const apiVersion = textAt(body, 'apiVersion')
  const slash = apiVersion.indexOf('/')
  const version = apiVersion.slice(slash + 1)
  const said = textAt(body, 'kind')
  const isOfKind = said === kind && apiVersion.slice(0, Math.max(slash, 0)) === group
  const read = isOfKind ? readObject(body, schemas.get(version) ?? emptySchema) : readMetadata(body)
  if ('fault' in read)
    throw badRequest(`${said} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${read.fault}`)
  return { object: read.object, strictErrors: read.unknownFields.map((field) => `unknown field "${field}"`) }
}

/** Returns the conversions of an object of this version to and from its stored form, with the current schemas. */
function storedForm(
  { group, version, schema }: CustomKind,
  stored: Version,
): Pick<ServedResource, 'toStored' | 'fromStored'> {
  // Objects in the log are immutable, so each is decoded once; an unchanged one keeps its reference.
  const read = new WeakMap<JsonObject, JsonObject>()
  const fromStored = (object: JsonObject): JsonObject => {
    const known = read.get(object)
    if (known !== undefined) return known
    const current = readStored(object, stored.schema)
    const shown =
      version === stored.version ? current : readStored({ ...current, apiVersion: `${group}/${version}` }, schema)
    read.set(object, shown)
    return shown
  }
  if (version === stored.version) return { fromStored }
  return {
    fromStored,
    toStored: (object) => readStored({ ...object, apiVersion: `${group}/${stored.version}` }, stored.schema),
  }
}

function readStored(object: JsonObject, schema: Schema): JsonObject {
  const read = readObject(object, schema)
  if ('fault' in read)
    throw new StatusError({ code: 500, reason: 'InternalError', message: `Internal error occurred: ${read.fault}` })
  return read.object
}

interface SelectablePath {
  readonly name: string
  readonly path: JsonPath
}

function selectablePaths(declared: readonly JsonObject[]): readonly SelectablePath[] {
  return declared.map((field) => {
    const jsonPath = textAt(field, 'jsonPath')
    return { name: jsonPath.replace(/^\./, ''), path: parseJsonPath(jsonPath) }
  })
}

function selectedValues(selectable: readonly SelectablePath[], object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(selectable.map(({ name, path }) => [name, selectedText(path, object)]))
}

/** Declared selectable fields are scalars; an absent one reads as empty. */
function selectedText(path: JsonPath, object: JsonObject): string {
  try {
    const [value = null] = path.find(object)
    return value === null || typeof value === 'object' ? '' : String(value)
  } catch (thrown) {
    if (thrown instanceof JsonPathError) return ''
    throw thrown
  }
}

function isSameBeyondMetadata(object: JsonObject, old: JsonObject): boolean {
  const keys = new Set([...Object.keys(object), ...Object.keys(old)])
  return [...keys].every((key) => key === 'metadata' || deepEqual(own(object, key), own(old, key)))
}

function generationOf(object: JsonObject): number {
  const generation = own(structAt(object, 'metadata') ?? {}, 'generation')
  return typeof generation === 'number' ? generation : 0
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  const metadata = own(object, 'metadata')
  return { ...object, metadata: { ...(isJsonObject(metadata) ? metadata : {}), generation } }
}

function withField(object: JsonObject, key: string, value: JsonObject[string]): JsonObject {
  if (own(object, key) === value) return object
  return value === undefined ? without(object, key) : { ...object, [key]: value }
}

function without(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object
  const { [key]: _, ...rest } = object
  return rest
}
