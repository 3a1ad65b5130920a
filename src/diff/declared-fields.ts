// Which fields of a set does an object declare? The set is somebody's record of managedFields, the object plain JSON: list
// items are told apart by the keys that the record has.
import { isJsonList, type Json } from '../base/json.ts'
import { type FieldPath, valueAtPath } from './field-path.ts'
import { FieldSet, type FieldSetChild } from './field-set.ts'
import { declaredItems } from './list-keys.ts'

/**
 * The part of `fields` at which `declared` has a value; null is none. A struct or item that is declared counts with its own
 * membership, and of what is below it again only what is declared. Linear in both.
 */
export function declaredFields(fields: FieldSet, declared: Json): FieldSet {
  const declaredAt = valuesByStep(fields, declared)
  const children = new Map<string, FieldSetChild>()
  for (const [text, { element, set }] of fields.children) {
    const value = declaredAt(text, [element])
    if (value === undefined || value === null) continue
    const below = declaredFields(set, value)
    if (!below.isEmpty) children.set(text, { element, set: below })
  }
  return new FieldSet(fields.isMember, children)
}

function valuesByStep(fields: FieldSet, declared: Json): (text: string, path: FieldPath) => Json | undefined {
  if (fields.grain !== 'items' || !isJsonList(declared)) return (_, path) => valueAtPath(declared, path)
  const items = new Map(declaredItems(declared, fields).map(({ text, item }) => [text, item]))
  return (text) => items.get(text)
}
