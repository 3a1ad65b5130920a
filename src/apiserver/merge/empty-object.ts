// Empty object of a kind, with which the server compares a new object.
// For a custom kind it has only the type.
// For a built-in kind it has every struct, and every field that its Go type writes even if unset.
// Source: encoding/json, k8s.io/kube-openapi/pkg/generators (which publishes such fields with a default, or as
// required).
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Schema } from '../schema/schema.ts'
import { isBuiltIn } from './merge-type.ts'

export function emptyObject(schema: Schema | undefined, type: { apiVersion: string; kind: string }): JsonObject {
  return { ...(schema !== undefined && isBuiltIn(schema) ? emptyStruct(schema) : {}), ...type }
}

function emptyStruct(schema: Schema): JsonObject {
  const fields: [string, Json][] = []
  for (const [name, property] of schema.properties) {
    const value = emptyValue(property)
    if (value !== undefined) fields.push([name, value])
    else if (schema.required.includes(name)) fields.push([name, null])
  }
  return Object.fromEntries(fields)
}

function emptyValue(schema: Schema): Json | undefined {
  if (!isJsonObject(schema.default)) return schema.default
  return schema.type === 'object' ? emptyStruct(schema) : null
}
