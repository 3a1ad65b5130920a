// What kind does a CustomResourceDefinition define, and which shapes have its Spec and Status? Pure: the parsed document
// in, a Crd or a GenerateError with the path of the trouble out. Nothing that it cannot say is passed over in silence.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { Crd, CrdVersion } from './crd.ts'
import { GenerateError } from './generate-error.ts'
import { readSchema } from './read-schema.ts'

const apiVersion = 'apiextensions.k8s.io/v1'

/**
 * Reads one definition. `source` is the file's name for messages.
 *
 * Only `spec` and `status` of the schema become types: wire objects carry the root fields apiVersion, kind and metadata of
 * every object, and give any others as unknown.
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
    group: stringAt(spec, 'group', { source, path: 'spec' }),
    kind: stringAt(names, 'kind', { source, path: 'spec.names' }),
    plural: stringAt(names, 'plural', { source, path: 'spec.names' }),
    scope,
    versions: readVersions(spec, source),
  }
}

/** A place in a file. */
interface Place {
  readonly source: string
  readonly path: string
}

function readVersions(spec: JsonObject, source: string): CrdVersion[] {
  const versions = own(spec, 'versions')
  if (!isJsonList(versions) || versions.length === 0) {
    throw invalid({ source, path: 'spec.versions' }, 'must be a list of at least one version')
  }
  return versions.map((version, index) => readVersion(version, { source, path: `spec.versions[${index}]` }))
}

function readVersion(version: Json, place: Place): CrdVersion {
  if (!isJsonObject(version)) throw invalid(place, 'must be an object')
  const schemaPlace = { ...place, path: `${place.path}.schema` }
  const root = objectAt(objectAt(version, 'schema', place), 'openAPIV3Schema', schemaPlace)
  const rootPlace = { ...place, path: `${schemaPlace.path}.openAPIV3Schema` }
  const properties = own(root, 'properties') === undefined ? {} : objectAt(root, 'properties', rootPlace)
  const description = own(root, 'description')
  const schemaOf = (field: 'spec' | 'status') => {
    const node = own(properties, field)
    return node === undefined
      ? {}
      : { [field]: readSchema(node, { ...place, path: `${rootPlace.path}.properties.${field}` }) }
  }
  return {
    name: stringAt(version, 'name', place),
    isServed: own(version, 'served') === true,
    description: typeof description === 'string' ? description : '',
    ...schemaOf('spec'),
    ...schemaOf('status'),
  }
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
