// Schema by which server-side apply merges a custom object: the definition's schema, with type and metadata at the root
// and in each
// embedded object.
// Source: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { compileSchema, type Schema } from '../schema/schema.ts'

const text: JsonObject = { type: 'string' }
const integer: JsonObject = { type: 'integer', format: 'int64' }
const textMap: JsonObject = { type: 'object', additionalProperties: text }

/** Published schema of ObjectMeta, without descriptions. */
const objectMeta: JsonObject = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: integer,
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    deletionGracePeriodSeconds: integer,
    labels: textMap,
    annotations: textMap,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: { type: 'boolean' },
          blockOwnerDeletion: { type: 'boolean' },
        },
      },
    },
    finalizers: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
      items: text,
    },
    managedFields: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'object' } },
  },
}

/** Returns the schema of a whole object, from `openAPIV3Schema`. */
export function appliedSchema(source: JsonObject): Schema {
  return compileSchema(withType({ ...below(source), type: 'object' }))
}

function withType(source: JsonObject): JsonObject {
  const properties = own(source, 'properties')
  const declared = isJsonObject(properties) ? properties : {}
  return { ...source, properties: { ...declared, apiVersion: text, kind: text, metadata: objectMeta } }
}

/** Returns the schema with every embedded object below it completed. */
function below(source: JsonObject): JsonObject {
  const completed: Record<string, Json | undefined> = { ...source }
  for (const key of ['items', 'additionalProperties']) {
    const inner = own(source, key)
    if (isJsonObject(inner) && !isJsonList(inner)) completed[key] = embedded(inner)
  }
  const properties = own(source, 'properties')
  if (isJsonObject(properties))
    completed['properties'] = Object.fromEntries(
      Object.entries(properties).map(([key, inner]) => [key, isJsonObject(inner) ? embedded(inner) : inner]),
    )
  return completed
}

function embedded(source: JsonObject): JsonObject {
  const completed = below(source)
  return own(source, 'x-kubernetes-embedded-resource') === true ? withType(completed) : completed
}
