// Printed form of structs in error messages: the internal Go type, with Go's field names in Go's order. Zero values are
// written out,
// absent pointers and lists are null, and maps are sorted. Each kind describes its structs with these parts.
// Source: ErrorBody of k8s.io/apimachinery/pkg/util/validation/field/errors.go, which marshals the internal types.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'
import { shownMap } from './label-selector.ts'

export type Show = (value: Json | undefined) => Json

export const showText: Show = (value) => value ?? ''
export const showNumber: Show = (value) => value ?? 0
export const showFlag: Show = (value) => value ?? false
/** A pointer to a plain value, or any value that prints unchanged. */
export const showOptional: Show = (value) => value ?? null
export const showMap: Show = (value) => shownMap(isJsonObject(value) ? value : undefined)

export function showList(item: Show): Show {
  return (value) => (isJsonList(value) ? value.map(item) : null)
}

export function showPointer(show: Show): Show {
  return (value) => (value === undefined || value === null ? null : show(value))
}

/** Describes a struct: its Go fields, each with its key in an object and its printer. */
export function showStruct(fields: Readonly<Record<string, readonly [key: string, show: Show]>>): Show {
  const entries = Object.entries(fields)
  return (value) => {
    const struct = isJsonObject(value) ? value : {}
    return Object.fromEntries(entries.map(([name, [key, show]]) => [name, show(own(struct, key))]))
  }
}
