// Empty values. The server stores many empty values as absent fields, so that empty and absent are equal here.
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'

/** True for `null`, `0`, `false`, `""`, `[]` and `{}`. */
export function isEmpty(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0
  if (isJsonObject(value)) return Object.values(value).every((field) => field === undefined)
  return value === null || value === 0 || value === false || value === ''
}

/**
 * True if the value is absent, empty, or an object whose fields are all vacant. A list with items is not vacant: it has
 * a length.
 */
export function isVacant(value: Json | undefined): boolean {
  if (value === undefined) return true
  return isJsonObject(value) ? Object.values(value).every(isVacant) : isEmpty(value)
}

/**
 * True if an apply of the value may leave no trace in managedFields. Such values are an empty list that is not atomic,
 * and a struct of only these. Source: structured-merge-diff, typed.ToFieldSet.
 */
export function hasNothingToOwn(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0
  if (!isJsonObject(value) || isEmpty(value)) return false
  return Object.values(value).every((field) => field === undefined || hasNothingToOwn(field))
}
