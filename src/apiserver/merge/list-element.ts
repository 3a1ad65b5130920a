// Which item of a list is which? The step of a path that leads to an item of a list that is shared by its items: by the
// fields that are its keys, or for a set by its value. Source: sigs.k8s.io/structured-merge-diff, typed.listItemToPathElement.
import { canonicalJson, isJsonList, isJsonObject, type Json } from '../../base/json.ts'
import { formatPathElement, type PathElement } from '../../diff/field-path.ts'
import { goQuoted } from '../field-error.ts'
import type { ListType } from './merge-type.ts'

/** A step, with its canonical text, which is how steps are told apart. */
export interface Step {
  readonly element: PathElement
  readonly key: string
}

/** A list as its items tell it apart. */
export interface KeyedList {
  /** One for each item; an item that has none says why in one sentence. */
  readonly steps: readonly (Step | string)[]
  /** The items by the key of their step; where several have the same key, the last of them. */
  readonly items: ReadonlyMap<string, Json>
  readonly hasDuplicates: boolean
}

interface Known extends KeyedList {
  readonly type: ListType
}

const known = new WeakMap<readonly Json[], Known>()

/** Never asked of an atomic list. Every walk over a value asks, so what was found is kept as long as the list lives. */
export function keyedList(type: ListType, items: readonly Json[]): KeyedList {
  const found = known.get(items)
  if (found?.type === type) return found
  const byKey = new Map<string, Json>()
  const steps = items.map((item) => {
    const step = type.keys.length === 0 ? setStep(item) : keyedStep(type, item)
    if (typeof step !== 'string') byKey.set(step.key, item)
    return step
  })
  const made = { type, steps, items: byKey, hasDuplicates: byKey.size < items.length }
  known.set(items, made)
  return made
}

/** The step to an item of a list that has been validated, so that each has one. */
export function stepAt({ steps }: KeyedList, index: number): Step {
  const step = steps[index]
  return step === undefined || typeof step === 'string' ? noStep : step
}

/** What the server goes on with for an item that has no step; the list has been refused long before. */
const noStep: Step = { element: { kind: 'field', name: '' }, key: '' }

function setStep(item: Json): Step | string {
  if (isJsonList(item)) return 'not supported: associative list with lists as elements'
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type"
  if (item === null) return "associative list without keys has an element that's an explicit null"
  const element: PathElement = { kind: 'value', value: item }
  return { element, key: formatPathElement(element) }
}

/** The text is put together by hand: lists with keys are where most of a merge is spent. */
function keyedStep(list: ListType, item: Json): Step | string {
  if (item === null) return 'associative list with keys may not have a null element'
  if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements'
  const key: Record<string, Json> = {}
  let text = ''
  for (const { name, label, default: missing } of list.sortedKeys) {
    const value = Object.hasOwn(item, name) ? item[name] : missing
    if (value === undefined) continue
    key[name] = value
    text += `${text === '' ? '' : ','}${label}${typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)}`
  }
  if (text !== '') return { element: { kind: 'key', key }, key: `k:{${text}}` }
  const names = `[${list.keys.map(goQuoted).join(' ')}]`
  return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`
}
