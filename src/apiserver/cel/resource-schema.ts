// Schema fields that every resource has: apiVersion, kind and names. Rules may always use them.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model.
import { isJsonObject, own } from '../../base/json.ts'
import { compileSchema, type Schema } from '../schema/schema.ts'

const known = new WeakMap<Schema, Schema>()

/**
 * Returns the schema with apiVersion, kind, metadata.name and metadata.generateName; the same reference if it has them.
 */
export function withTypeAndMetadata(schema: Schema): Schema {
  if (hasThem(schema)) return schema
  const found = known.get(schema)
  if (found !== undefined) return found
  const text = { type: 'string' }
  const declared = own(schema.source, 'properties')
  const extended = compileSchema({
    ...schema.source,
    properties: {
      ...(isJsonObject(declared) ? declared : {}),
      kind: text,
      apiVersion: text,
      metadata: { type: 'object', properties: { name: text, generateName: text } },
    },
  })
  known.set(schema, extended)
  return extended
}

function hasThem({ properties }: Schema): boolean {
  const metadata = properties.get('metadata')
  return (
    properties.get('kind')?.type === 'string' &&
    properties.get('apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties.get('name')?.type === 'string' &&
    metadata.properties.get('generateName')?.type === 'string'
  )
}
