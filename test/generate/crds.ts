// Definitions for tests: the smallest CustomResourceDefinition around a schema.
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts'

export interface Given {
  readonly spec?: JsonObject
  readonly status?: JsonObject
}

export function crdOf({ spec, status }: Given): JsonObject {
  return crdWithVersions([versionOf('v1', { ...(spec && { spec }), ...(status && { status }) })])
}

/** Like `crdOf`, of another kind. */
export function crdOfKind(kind: string, given: Given): JsonObject {
  const { spec, ...definition } = crdOf(given)
  const plural = `${kind.toLowerCase()}s`
  return {
    ...definition,
    metadata: { name: `${plural}.example.dev` },
    spec: { ...(isJsonObject(spec) && spec), names: { kind, plural } },
  }
}

export function versionOf(name: string, properties: JsonObject, served = true): JsonObject {
  return { name, served, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }
}

export function crdWithVersions(versions: readonly Json[]): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.dev' },
    spec: { group: 'example.dev', scope: 'Namespaced', names: { kind: 'Widget', plural: 'widgets' }, versions },
  }
}
