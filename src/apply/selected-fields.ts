// The owned fields that a policy's selector selects. The selector names list items by any of their fields, but
// managedFields by key, so the live object is read in parallel.
import { isJsonObject, type Json, own } from '../base/json.ts'
import { type PathElement, valueAtPath } from '../diff/field-path.ts'
import { FieldSet } from '../diff/field-set.ts'
import { meetsStep, type SelectorStep } from '../synth/field-selector.ts'

/** Returns the selected part of `owned`: the fields that the steps lead to, with everything below them. */
export function selectedFields(
  owned: FieldSet,
  live: Json | undefined,
  [step, ...rest]: readonly SelectorStep[],
): FieldSet {
  if (step === undefined) return owned
  const children = [...owned.children].flatMap(([text, { element, set }]) => {
    const value = live === undefined ? undefined : valueAtPath(live, [element])
    if (!isMeant(element, value, step)) return []
    const selected = selectedFields(set, value, rest)
    return selected.isEmpty ? [] : [[text, { element, set: selected }] as const]
  })
  return children.length === 0 ? FieldSet.empty : new FieldSet(false, new Map(children))
}

/** True if the step leads to this field or item. */
export function isMeant(element: PathElement, value: Json | undefined, step: SelectorStep): boolean {
  if (step.kind === 'field') return element.kind === 'field' && element.name === step.name
  if (element.kind === 'field') return false
  if (step.kind === 'items' && element.kind === 'key' && own(element.key, step.key) !== undefined) {
    return meetsStep(element.key, step)
  }
  return isJsonObject(value) ? meetsStep(value, step) : step.kind === 'everyItem'
}
