// Does a value say nothing? The server stores many empty values as absent fields, so the two mean the same to us.
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'

/** Is it one of `null`, `0`, `false`, `""`, `[]`, `{}`? */
export function isEmpty(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0
  if (isJsonObject(value)) return Object.values(value).every((field) => field === undefined)
  return value === null || value === 0 || value === false || value === ''
}

/** Absent, empty, or an object of which every field is vacant. A list with items says something: it has a length. */
export function isVacant(value: Json | undefined): boolean {
  if (value === undefined) return true
  return isJsonObject(value) ? Object.values(value).every(isVacant) : isEmpty(value)
}

/**
 * May an apply of the value leave no trace in managedFields? So it is for an empty list that is not atomic, and for a
 * struct of only such. Source: structured-merge-diff, typed.ToFieldSet.
 */
export function hasNothingToOwn(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0
  if (!isJsonObject(value) || isEmpty(value)) return false
  return Object.values(value).every((field) => field === undefined || hasNothingToOwn(field))
}
