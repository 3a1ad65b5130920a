// How does the server print a struct in an error? As its internal Go type: Go's field names in Go's order, zero values
// written out, absent pointers and lists as null, maps sorted. Each kind describes its structs with these pieces.
// Source: ErrorBody of k8s.io/apimachinery/pkg/util/validation/field/errors.go, which marshals the internal types.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'
import { shownMap } from './label-selector.ts'

export type Show = (value: Json | undefined) => Json

export const showText: Show = (value) => value ?? ''
export const showNumber: Show = (value) => value ?? 0
export const showFlag: Show = (value) => value ?? false
/** A pointer to a plain value; and anything that prints as it stands. */
export const showOptional: Show = (value) => value ?? null
export const showMap: Show = (value) => shownMap(isJsonObject(value) ? value : undefined)

export function showList(item: Show): Show {
  return (value) => (isJsonList(value) ? value.map(item) : null)
}

export function showPointer(show: Show): Show {
  return (value) => (value === undefined || value === null ? null : show(value))
}

/** A struct: its Go fields, each with the key that it has in an object and how it prints. */
export function showStruct(fields: Readonly<Record<string, readonly [key: string, show: Show]>>): Show {
  const entries = Object.entries(fields)
  return (value) => {
    const struct = isJsonObject(value) ? value : {}
    return Object.fromEntries(entries.map(([name, [key, show]]) => [name, show(own(struct, key))]))
  }
}
