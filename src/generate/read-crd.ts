// Parses a CustomResourceDefinition into a kind and the shapes of its Spec and Status. Pure: a parsed document becomes
// a Crd, or a GenerateError with the path of the problem. Invariant: unsupported parts are never skipped silently.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { Crd, CrdVersion } from './crd.ts'
import { GenerateError } from './generate-error.ts'
import { fieldsOf } from './read-schema.ts'

const apiVersion = 'apiextensions.k8s.io/v1'

/**
 * Reads one definition, with the fields of the root besides apiVersion, kind and metadata. `source` is the file's name
 * in messages.
 *
 * @throws {GenerateError} `NotACrd`, `InvalidCrd` or `UnsupportedSchema`.
 */
export function readCrd(document: Json | undefined, source: string): Crd {
  if (!isJsonObject(document) || own(document, 'kind') !== 'CustomResourceDefinition') {
    throw new GenerateError({
      code: 'NotACrd',
      source,
      problem: 'this is no CustomResourceDefinition; keep other files elsewhere',
    })
  }
  if (own(document, 'apiVersion') !== apiVersion) {
    const problem = `only ${apiVersion} is served by current clusters; convert the definition`
    throw new GenerateError({ code: 'NotACrd', source, path: 'apiVersion', problem })
  }
  const spec = objectAt(document, 'spec', { source, path: '' })
  const names = objectAt(spec, 'names', { source, path: 'spec' })
  const scope = stringAt(spec, 'scope', { source, path: 'spec' })
  if (scope !== 'Namespaced' && scope !== 'Cluster') {
    throw invalid({ source, path: 'spec.scope' }, `is ${JSON.stringify(scope)}; write Namespaced or Cluster`)
  }
  return {
    group: groupAt(spec, source),
    kind: kindAt(names, source),
    plural: stringAt(names, 'plural', { source, path: 'spec.names' }),
    scope,
    versions: readVersions(spec, source),
  }
}

/** The group becomes a file name, so only a DNS name is accepted. */
function groupAt(spec: JsonObject, source: string): string {
  const group = stringAt(spec, 'group', { source, path: 'spec' })
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(group)) return group
  throw invalid(
    { source, path: 'spec.group' },
    `is ${JSON.stringify(group)}; write a DNS name such as data.example.dev`,
  )
}

/** The kind becomes the name of types and values. */
function kindAt(names: JsonObject, source: string): string {
  const kind = stringAt(names, 'kind', { source, path: 'spec.names' })
  if (/^[A-Z][A-Za-z0-9]*$/.test(kind)) return kind
  const problem = `is ${JSON.stringify(kind)}; write a capital letter, then letters and digits, so that code can name it`
  throw invalid({ source, path: 'spec.names.kind' }, problem)
}

/** A position in a file. */
interface Place {
  readonly source: string
  readonly path: string
}

function readVersions(spec: JsonObject, source: string): CrdVersion[] {
  const versions = own(spec, 'versions')
  if (!isJsonList(versions) || versions.length === 0) {
    throw invalid({ source, path: 'spec.versions' }, 'must be a list of at least one version')
  }
  const read = versions.map((version, index) => readVersion(version, { source, path: `spec.versions[${index}]` }))
  if (read.every(({ isServed }) => !isServed)) {
    throw invalid({ source, path: 'spec.versions' }, 'serve no version; set served: true on one')
  }
  for (const [index, { name }] of read.entries()) {
    if (read.findIndex((other) => other.name === name) !== index) {
      throw invalid({ source, path: `spec.versions[${index}].name` }, `${name} is there twice; name each version once`)
    }
  }
  return read
}

function readVersion(version: Json, place: Place): CrdVersion {
  if (!isJsonObject(version)) throw invalid(place, 'must be an object')
  const schemaPlace = { ...place, path: `${place.path}.schema` }
  const root = objectAt(objectAt(version, 'schema', place), 'openAPIV3Schema', schemaPlace)
  const rootPlace = { ...place, path: `${schemaPlace.path}.openAPIV3Schema` }
  const properties = own(root, 'properties') === undefined ? {} : objectAt(root, 'properties', rootPlace)
  const description = own(root, 'description')
  return {
    name: stringAt(version, 'name', place),
    isServed: own(version, 'served') === true,
    isStored: own(version, 'storage') === true,
    path: rootPlace.path,
    description: typeof description === 'string' ? description : '',
    fields: fieldsOf(root, withoutCommon(properties), rootPlace, 0),
  }
}

/** Every object has these fields, and the server defines them. */
function withoutCommon({ apiVersion: _, kind: __, metadata: ___, ...properties }: JsonObject): JsonObject {
  return properties
}

function objectAt(parent: JsonObject, key: string, place: Place): JsonObject {
  const value = own(parent, key)
  if (!isJsonObject(value)) throw invalid(within(place, key), 'is missing or no object')
  return value
}

function stringAt(parent: JsonObject, key: string, place: Place): string {
  const value = own(parent, key)
  if (typeof value !== 'string' || value === '') throw invalid(within(place, key), 'is missing or no text')
  return value
}

function within({ source, path }: Place, key: string): Place {
  return { source, path: path === '' ? key : `${path}.${key}` }
}

function invalid(place: Place, problem: string): GenerateError {
  return new GenerateError({ code: 'InvalidCrd', ...place, problem })
}
