// Path elements of list items: by the key fields, or for a set by the value.
// Source: sigs.k8s.io/structured-merge-diff, typed.listItemToPathElement.
import { canonicalJson, isJsonList, isJsonObject, type Json } from '../../base/json.ts'
import { formatPathElement, type PathElement } from '../../diff/field-path.ts'
import { goQuoted } from '../field-error.ts'
import type { ListType } from './merge-type.ts'

/** Path element with its canonical text. The text identifies the element. */
export interface Step {
  readonly element: PathElement
  readonly key: string
}

/** List with the identities of its items. */
export interface KeyedList {
  /** One step per item, or the error of an item that has none. */
  readonly steps: readonly (Step | string)[]
  /** Items by key; of several with one key, the last. */
  readonly items: ReadonlyMap<string, Json>
  readonly hasDuplicates: boolean
}

interface Known extends KeyedList {
  readonly type: ListType
}

const known = new WeakMap<readonly Json[], Known>()

/**
 * Returns the identities of a list that is not atomic. Memoized per list, because every walk over a value needs them.
 */
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

/** Returns the step to an item of a validated list, so that each item has one. */
export function stepAt({ steps }: KeyedList, index: number): Step {
  const step = steps[index]
  return step === undefined || typeof step === 'string' ? noStep : step
}

/** Upstream's step for an item without one; validation has rejected such a list before. */
const noStep: Step = { element: { kind: 'field', name: '' }, key: '' }

function setStep(item: Json): Step | string {
  if (isJsonList(item)) return 'not supported: associative list with lists as elements'
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type"
  if (item === null) return "associative list without keys has an element that's an explicit null"
  const element: PathElement = { kind: 'value', value: item }
  return { element, key: formatPathElement(element) }
}

/** Builds the text by hand, because merges spend most of their time on keyed lists. */
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
