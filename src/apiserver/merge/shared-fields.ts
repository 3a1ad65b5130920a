// Which sets of fields have many objects in common? Objects of a kind mostly have the same fields, so that a set that was written or
// read for one serves the next: writing one costs as much as all else that a create does for its managers, reading one half of it.
// What is remembered is bounded, and changes nothing but how long it takes.
import type { JsonObject } from '../../base/json.ts'
import { wireJson } from '../../base/wire-json.ts'
import { type FieldSet, fieldSetOf } from '../../diff/field-set.ts'

const setsKept = 8
const textsKept = 256

/** What was used last comes first. */
const sets: FieldSet[] = []
const byText = new Map<string, FieldSet>()

/** An equal set that was used lately, with its fieldsV1 already made; else the set itself. */
export function sharedFields(fields: FieldSet): FieldSet {
  const at = sets.findIndex((known) => known.equals(fields))
  const shared = sets[at] ?? fields
  if (at === 0) return shared
  if (at > 0) sets.splice(at, 1)
  else if (sets.length === setsKept) sets.pop()
  sets.unshift(shared)
  return shared
}

/** As `fieldSetOf`, but once for all objects that say the same. `isValid` is asked only about what was not read before. */
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
