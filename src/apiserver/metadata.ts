// What do an object's metadata say? Reading and replacing single entries of metadata on the trees that the server keeps,
// without copying more than the way to them.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'

export function metadataOf(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata')
  return isJsonObject(metadata) ? metadata : {}
}

/** The text of a metadata entry, '' where there is none. */
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
  return isJsonObject(labels) ? (labels as Readonly<Record<string, string>>) : {} // Checked when it was written.
}

export function isTerminating(object: JsonObject): boolean {
  return metadataText(object, 'deletionTimestamp') !== ''
}

/** The object with other metadata entries; `undefined` takes one away. Nothing is copied if nothing differs. */
export function withMetadata(object: JsonObject, entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  const metadata = metadataOf(object)
  const differs = Object.entries(entries).some(([key, value]) => own(metadata, key) !== value)
  if (!differs) return object
  const next: Record<string, Json | undefined> = { ...metadata, ...entries }
  for (const [key, value] of Object.entries(entries)) if (value === undefined) delete next[key]
  return { ...object, metadata: next }
}
