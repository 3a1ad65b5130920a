// Accessors for an object's metadata. A replacement copies only the path to the changed entry.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'

export function metadataOf(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata')
  return isJsonObject(metadata) ? metadata : {}
}

/** Returns the text of a metadata entry, or ''. */
export function metadataText(object: JsonObject, key: string): string {
  const value = own(metadataOf(object), key)
  return typeof value === 'string' ? value : ''
}

export function metadataNumber(object: JsonObject, key: string): number | undefined {
  const value = own(metadataOf(object), key)
  return typeof value === 'number' ? value : undefined
}

export function finalizersOf(object: JsonObject): readonly string[] {
  const finalizers = own(metadataOf(object), 'finalizers')
  return isJsonList(finalizers) ? finalizers.filter((item) => typeof item === 'string') : []
}

export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  const labels = own(metadataOf(object), 'labels')
  return isJsonObject(labels) ? (labels as Readonly<Record<string, string>>) : {} // Sound: validated on write.
}

export function isTerminating(object: JsonObject): boolean {
  return metadataText(object, 'deletionTimestamp') !== ''
}

/** Returns the object with changed metadata entries; `undefined` removes one. Copies nothing if all are equal. */
export function withMetadata(object: JsonObject, entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  const metadata = metadataOf(object)
  const differs = Object.entries(entries).some(([key, value]) => own(metadata, key) !== value)
  if (!differs) return object
  const next: Record<string, Json | undefined> = { ...metadata, ...entries }
  for (const [key, value] of Object.entries(entries)) if (value === undefined) delete next[key]
  return { ...object, metadata: next }
}
