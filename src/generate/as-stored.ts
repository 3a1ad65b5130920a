// How would the API server store what somebody wrote? Nulls that mean nothing are dropped, and defaults are filled in, before
// anything is checked. Source: apiextensions, structural defaulting.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'

/** A value of this schema as it is stored. Linear in the value and in the defaults; nothing given is changed. */
export function asStored(value: Json, schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return value
  if (isJsonList(value)) return value.map((item) => asStored(item, own(schema, 'items')))
  if (!isJsonObject(value)) return value
  const properties = own(schema, 'properties')
  const named = isJsonObject(properties) ? properties : {}
  const given = Object.entries(value).flatMap(([name, field]): [string, Json][] => {
    const inner = own(named, name) ?? own(schema, 'additionalProperties')
    // Null is taken for absent wherever the field may not be null.
    if (field === undefined || (field === null && isJsonObject(inner) && inner.nullable !== true)) return []
    return [[name, asStored(field, inner)]]
  })
  return Object.fromEntries([...given, ...defaultsOf(named, new Set(given.map(([name]) => name)))])
}

/** Of the fields that are not there; a default gets the defaults of what is in it. */
function defaultsOf(properties: JsonObject, present: ReadonlySet<string>): [string, Json][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, Json][] => {
    const value = isJsonObject(schema) ? own(schema, 'default') : undefined
    return value === undefined || present.has(name) ? [] : [[name, asStored(value, schema)]]
  })
}
