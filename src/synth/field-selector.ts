// Selector of a field for a policy: a path with dots and `["…"]` for keys with dots. `[name=app]` selects list items
// with that field, `[*]` all items. A selector without a match selects nothing.
import { isJsonList, isJsonObject, type Json, own } from '../base/json.ts'
import { SynthError } from './synth-errors.ts'

export type SelectorStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'items'; readonly key: string; readonly value: string }
  | { readonly kind: 'everyItem' }

export interface FieldSelector {
  /** As written. */
  readonly text: string
  readonly steps: readonly SelectorStep[]
}

const stepPattern =
  /(?:^|(?<=.)\.)(?<field>[^.[\]"=*]+)|\["(?<quoted>[^"]+)"\]|\[(?<key>[^=\]"]+)=(?<value>[^\]]*)\]|\[(?<every>\*)\]/y

/**
 * Parses a selector. Throws a SynthError of code `InvalidPolicy`.
 *
 * @example parseFieldSelector('spec.template.spec.containers[name=app].resources')
 * @example parseFieldSelector('metadata.annotations["example.com/note"]')
 */
export function parseFieldSelector(text: string): FieldSelector {
  const steps: SelectorStep[] = []
  const pattern = new RegExp(stepPattern)
  while (pattern.lastIndex < text.length) {
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) throw unreadable(text)
    steps.push(stepOf(groups))
  }
  if (steps[0]?.kind !== 'field') throw unreadable(text)
  return { text, steps }
}

/**
 * Returns the value without the selected fields, or the same object if it has none of them. Linear in the visited
 * nodes.
 */
export function withoutField(value: Json, { steps }: FieldSelector): Json {
  return without(value, steps)
}

function without(value: Json, [step, ...rest]: readonly SelectorStep[]): Json {
  if (step === undefined) return value
  if (step.kind === 'field') {
    if (!isJsonObject(value) || !Object.hasOwn(value, step.name)) return value
    if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step.name))
    const field = value[step.name]
    if (field === undefined) return value
    const changed = without(field, rest)
    return changed === field ? value : { ...value, [step.name]: changed }
  }
  if (!isJsonList(value)) return value
  const kept =
    rest.length > 0
      ? value.map((item) => (meetsStep(item, step) ? without(item, rest) : item))
      : value.filter((item) => !meetsStep(item, step))
  return kept.length === value.length && kept.every((item, index) => item === value[index]) ? value : kept
}

/** True if the step selects this item. */
export function meetsStep(item: Json, step: Exclude<SelectorStep, { kind: 'field' }>): boolean {
  if (step.kind === 'everyItem') return true
  const field = isJsonObject(item) ? own(item, step.key) : undefined
  return field !== undefined && typeof field !== 'object' && String(field) === step.value
}

function stepOf(groups: Readonly<Record<string, string | undefined>>): SelectorStep {
  const { field, quoted, key, value } = groups
  const name = field ?? quoted
  if (name !== undefined) return { kind: 'field', name }
  return key === undefined ? { kind: 'everyItem' } : { kind: 'items', key, value: value ?? '' }
}

function unreadable(text: string): SynthError {
  return new SynthError({
    code: 'InvalidPolicy',
    message: `"${text}" is no field path; write it like spec.replicas, containers[name=app].image or metadata.labels["a.b/c"]`,
  })
}
