// Decoding of a custom object by its schema: drops and reports unknown fields, drops nulls that are not nullable,
// decodes metadata and
// sets defaults.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go (unstructuredSchemaCoercer).
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { errorText } from '../field-error.ts'
import { dropNulls, setDefaults } from '../schema/defaults.ts'
import { pruneObject } from '../schema/prune.ts'
import type { Schema } from '../schema/schema.ts'
import { coerceEmbedded } from './embedded-objects.ts'
import { typedMetadata } from './typed-metadata.ts'

export type ReadObject =
  | {
      readonly object: JsonObject
      /** Paths in the order in which the server reports them. */
      readonly unknownFields: readonly string[]
    }
  | {
      /** Reason why the body does not decode as this kind. */
      readonly fault: string
    }

/** Decodes a body or a stored object. Returns the same reference if nothing changes. */
export function readObject(body: JsonObject, schema: Schema): ReadObject {
  const metadata = own(body, 'metadata')
  const typed = metadata === undefined ? undefined : typedMetadata(metadata)
  if (typed?.fault !== undefined) return { fault: typed.fault }
  const { object, unknownFields } = pruneObject(body, schema)
  const embedded = coerceEmbedded(dropNulls(object, schema), schema)
  if (embedded.error !== undefined) return { fault: errorText(embedded.error) }
  // An object stays an object in all these steps.
  const withMetadata = replaced(embedded.value as JsonObject, 'metadata', typed?.metadata)
  return {
    object: setDefaults(withMetadata, schema) as JsonObject,
    unknownFields: [
      ...(typed?.unknownFields ?? []).map((name) => `metadata.${name}`),
      ...unknownFields,
      ...embedded.unknownFields,
    ],
  }
}

/** Decodes only the metadata, for an object of another kind. */
export function readMetadata(body: JsonObject): ReadObject {
  const metadata = own(body, 'metadata')
  const typed = metadata === undefined ? undefined : typedMetadata(metadata)
  if (typed?.fault !== undefined) return { fault: typed.fault }
  return {
    object: replaced(body, 'metadata', typed?.metadata),
    unknownFields: (typed?.unknownFields ?? []).map((name) => `metadata.${name}`),
  }
}

/**
 * Decodes the result of an apply, which never was a body. Its type is checked already; validation finds its nulls;
 * empty values in its
 * metadata stay until it is read from storage.
 */
export function readApplied(object: JsonObject, schema: Schema): JsonObject {
  const metadata = own(object, 'metadata')
  const present = isJsonObject(metadata) ? withEmptiesForNulls(metadata) : metadata
  return setDefaults(replaced(object, 'metadata', present), schema) as JsonObject // An object stays one.
}

const emptyMetadata: Readonly<Record<string, Json>> = {
  labels: {},
  annotations: {},
  finalizers: [],
  ownerReferences: [],
}

/**
 * If an apply removes all items of a map or list, its result has null there; readers of metadata expect an empty value.
 */
function withEmptiesForNulls(metadata: JsonObject): JsonObject {
  const entries = Object.entries(metadata)
  if (entries.every(([, value]) => value !== null)) return metadata
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const kept = value === null ? own(emptyMetadata, key) : value
      return kept === undefined ? [] : [[key, kept]]
    }),
  )
}

function replaced(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  return value === undefined || own(object, key) === value ? object : { ...object, [key]: value }
}
