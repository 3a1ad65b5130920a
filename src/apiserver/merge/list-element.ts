// Which item of a list is which? The step of a path that leads to an item of a list that is shared by its items: by the
// fields that are its keys, or for a set by its value. Source: sigs.k8s.io/structured-merge-diff, typed.listItemToPathElement.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'
import { formatPathElement, type PathElement } from '../../diff/field-path.ts'
import { goQuoted } from '../field-error.ts'
import type { ListType } from './merge-type.ts'

/** A step, with its canonical text, which is how steps are told apart. */
export interface Step {
  readonly element: PathElement
  readonly key: string
}

/** The step to an item, or in one sentence why it has none. Never asked of an atomic list. */
export function stepOf(list: ListType, item: Json): Step | string {
  return list.keys.length === 0 ? setStep(item) : keyedStep(list, item)
}

/** The steps to all items; only of a list that has been validated, so that each has one. */
export function stepsOf(list: ListType, items: readonly Json[]): Step[] {
  return items.map((item) => {
    const step = stepOf(list, item)
    return typeof step === 'string' ? unknownStep : step
  })
}

/** What the server goes on with for an item that has no step; the list has been refused long before. */
const unknownStep: Step = { element: { kind: 'field', name: '' }, key: '' }

function setStep(item: Json): Step | string {
  if (isJsonList(item)) return 'not supported: associative list with lists as elements'
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type"
  if (item === null) return "associative list without keys has an element that's an explicit null"
  return step({ kind: 'value', value: item })
}

function keyedStep(list: ListType, item: Json): Step | string {
  if (item === null) return 'associative list with keys may not have a null element'
  if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements'
  const key: [string, Json][] = []
  for (const { name, default: missing } of list.sortedKeys) {
    const value = own(item, name) ?? (Object.hasOwn(item, name) ? null : missing)
    if (value !== undefined) key.push([name, value])
  }
  if (key.length > 0) return step({ kind: 'key', key: Object.fromEntries(key) })
  const names = `[${list.keys.map(goQuoted).join(' ')}]`
  return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`
}

function step(element: PathElement): Step {
  return { element, key: formatPathElement(element) }
}
