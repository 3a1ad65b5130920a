// Merge patch: RFC 7396 with upstream's deviation.
// Objects in a new list lose their nulls, unless the list replaces an object.
// Source: gopkg.in/evanphx/json-patch.v4, merge.go.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'

/** Returns the patched object; shares parts that the patch does not name. A list replaces the object. */
export function mergePatched(live: JsonObject, patch: JsonObject | readonly Json[]): Json {
  return isJsonObject(patch) ? mergedObject(live, patch) : withoutNulls(patch)
}

function mergedObject(live: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(live))
  for (const [key, value] of Object.entries(patch)) {
    const current = merged.get(key)
    if (value === null) merged.delete(key)
    else if (value !== undefined) merged.set(key, isJsonObject(current) ? merge(current, value) : withoutNulls(value))
  }
  return Object.fromEntries(merged)
}

function merge(current: JsonObject, patch: Json): Json {
  return isJsonObject(patch) ? mergedObject(current, patch) : patch
}

function withoutNulls(value: Json): Json {
  if (isJsonList(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined)
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNulls(field ?? null)]))
}
