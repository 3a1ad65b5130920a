// The fields of a set that an object declares. The set comes from a managedFields entry, the object is plain JSON: list
// items are identified by the keys of the entry.
import { isJsonList, type Json } from '../base/json.ts'
import { type FieldPath, valueAtPath } from './field-path.ts'
import { FieldSet, type FieldSetChild } from './field-set.ts'
import { declaredItems } from './list-keys.ts'

/**
 * Returns the part of `fields` at which `declared` has a value; null is none. A declared struct or item counts with its
 * own membership, and below it again only declared fields. Linear in both.
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
