// Which of the owned fields does a policy's selector mean? The selector names list items by any field of theirs; managedFields
// name them by key, so the live object is read along.
import { isJsonObject, type Json, own } from '../base/json.ts'
import { type PathElement, valueAtPath } from '../diff/field-path.ts'
import { FieldSet } from '../diff/field-set.ts'
import { meetsStep, type SelectorStep } from '../synth/field-selector.ts'

/** The part of `owned` that is selected: the fields that the steps lead to, with all below them. */
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

/** Is this field or item one that the step leads to? */
export function isMeant(element: PathElement, value: Json | undefined, step: SelectorStep): boolean {
  if (step.kind === 'field') return element.kind === 'field' && element.name === step.name
  if (element.kind === 'field') return false
  if (step.kind === 'items' && element.kind === 'key' && own(element.key, step.key) !== undefined) {
    return meetsStep(element.key, step)
  }
  return isJsonObject(value) ? meetsStep(value, step) : step.kind === 'everyItem'
}
