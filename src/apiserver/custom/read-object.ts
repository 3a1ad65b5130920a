// How does the server read a custom object by its schema? Unknown fields are dropped and told, nulls go where there may be
// none, metadata are read, defaults are set.
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
      /** Paths in the order in which the server tells them. */
      readonly unknownFields: readonly string[]
    }
  | {
      /** Why the body cannot be read as this kind. */
      readonly fault: string
    }

/** Reads a body, or an object from storage. The same reference where nothing changes. */
export function readObject(body: JsonObject, schema: Schema): ReadObject {
  const metadata = own(body, 'metadata')
  const typed = metadata === undefined ? undefined : typedMetadata(metadata)
  if (typed?.fault !== undefined) return { fault: typed.fault }
  const { object, unknownFields } = pruneObject(body, schema)
  const embedded = coerceEmbedded(dropNulls(object, schema), schema)
  if (embedded.error !== undefined) return { fault: errorText(embedded.error) }
  // A value that was an object stays one in all these steps.
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

/** Reads of an object of another kind what every kind has. */
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
 * Reads what an apply made of a custom object, which never was a body: its type has been checked, its nulls stay for the
 * validation to find, and what is empty in its metadata is kept until it is read from storage.
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

/** A map or list all of whose items an apply took away is null in what it makes; nobody who reads metadata expects that. */
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
