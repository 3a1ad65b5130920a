// Bounded memory of field sets. Objects of a kind mostly have equal sets, so that one object's set serves the next.
// Writing a set costs as much as all other field management of a create, reading one half of it.
// The memory affects only the time.
import type { JsonObject } from '../../base/json.ts'
import { wireJson } from '../../base/wire-json.ts'
import { type FieldSet, fieldSetOf } from '../../diff/field-set.ts'

const setsKept = 8
const textsKept = 256

/** Most recently used first. */
const sets: FieldSet[] = []
const byText = new Map<string, FieldSet>()

/** Returns an equal, recently used set with its fieldsV1 already built; else the set itself. */
export function sharedFields(fields: FieldSet): FieldSet {
  const at = sets.findIndex((known) => known.equals(fields))
  const shared = sets[at] ?? fields
  if (at === 0) return shared
  if (at > 0) sets.splice(at, 1)
  else if (sets.length === setsKept) sets.pop()
  sets.unshift(shared)
  return shared
}

/** Like `fieldSetOf`, memoized by text. Calls `isValid` only for texts that are not remembered. */
export function readFields(fieldsV1: JsonObject, isValid: (fieldsV1: JsonObject) => boolean): FieldSet | undefined {
  const text = wireJson(fieldsV1)
  const known = byText.get(text)
  if (known !== undefined) return known
  if (!isValid(fieldsV1)) return undefined
  const fields = sharedFields(fieldSetOf(fieldsV1))
  if (byText.size === textsKept) byText.clear()
  byText.set(text, fields)
  return fields
}
