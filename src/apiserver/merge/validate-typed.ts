// Validation of a value against its type. Server-side apply works only on valid values.
// Source: sigs.k8s.io/structured-merge-diff, typed.TypedValue.Validate.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { PathElement } from '../../diff/field-path.ts'
import { renderStep } from './field-text.ts'
import { goSyntax, goTypeName, goValue, type Numbers } from './go-value.ts'
import { keyedList } from './list-element.ts'
import { fieldTypeOf, formOf, type ListType, type MapType, type MergeType, type ScalarType } from './merge-type.ts'

export interface ValueOrigin {
  /** A live list may have duplicate items; a configuration may not. */
  readonly duplicates: 'tolerated' | 'refused'
  readonly numbers: Numbers
}

/** Returns all errors as one text, or undefined. Cost: linear in the value. */
export function typeFault(type: MergeType, value: Json, origin: ValueOrigin): string | undefined {
  const validation = new Validation(origin)
  validation.validate(type, value)
  const { faults } = validation
  if (faults.length < 2) return faults[0]
  return ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n')
}

class Validation {
  readonly faults: string[] = []
  readonly #origin: ValueOrigin
  /** Current path. Fields are bare names, because most steps are fields and most values have no error. */
  readonly #path: (string | PathElement)[] = []

  constructor(origin: ValueOrigin) {
    this.#origin = origin
  }

  validate(type: MergeType, value: Json): void {
    switch (formOf(type, value)) {
      case 'scalar':
        return this.#scalar(type.scalar ?? 'untyped', value)
      case 'list':
        if (isJsonList(value)) {
          if (type.list !== undefined) this.#list(type.list, value)
        } else if (value !== null) this.#report(`expected list, got ${goValue(value, this.#origin.numbers)}`)
        return
      case 'map':
        if (isJsonObject(value)) {
          if (type.map !== undefined) this.#map(type.map, value)
        } else if (value !== null) this.#report(`expected map, got ${goValue(value, this.#origin.numbers)}`)
    }
  }

  #scalar(type: ScalarType, value: Json): void {
    if (value === null) return
    const isNumber = typeof value === 'number' || typeof value === 'bigint'
    switch (type) {
      case 'numeric':
        if (!isNumber) this.#report(`expected numeric (int or float), got ${goTypeName(value)}`)
        return
      case 'string':
        if (typeof value !== 'string') this.#report(`expected string, got ${goSyntax(value, this.#origin.numbers)}`)
        return
      case 'boolean':
        if (typeof value !== 'boolean') this.#report(`expected boolean, got ${goValue(value, this.#origin.numbers)}`)
        return
      case 'untyped':
        if (typeof value === 'object') this.#report(`expected any scalar, got ${goValue(value, this.#origin.numbers)}`)
    }
  }

  #map(map: MapType, value: JsonObject): void {
    for (const name of Object.keys(value)) {
      const below = value[name]
      if (below === undefined) continue
      const type = fieldTypeOf(map, name)
      this.#path.push(name)
      if (type !== undefined) this.validate(type, below)
      else this.#report('field not declared in schema')
      this.#path.pop()
      if (type === undefined) return
    }
  }

  #list(list: ListType, items: readonly Json[]): void {
    if (list.isAtomic) {
      for (const [index, item] of items.entries()) this.#item(list, item, { kind: 'index', index })
      return
    }
    const { steps, hasDuplicates } = keyedList(list, items)
    const seen = hasDuplicates && this.#origin.duplicates === 'refused' ? new Set<string>() : undefined
    for (const [index, step] of steps.entries()) {
      // Without a step, deeper errors have no path.
      if (typeof step === 'string') return this.#report(`element ${index}: ${step}`)
      if (seen?.has(step.key)) {
        this.#report(`duplicate entries for key ${renderStep(step.element, this.#origin.numbers)}`)
      }
      seen?.add(step.key)
      this.#item(list, items[index] ?? null, step.element)
    }
  }

  #item(list: ListType, item: Json, step: PathElement): void {
    this.#path.push(step)
    this.validate(list.elementType, item)
    this.#path.pop()
  }

  #report(message: string): void {
    const path = this.#path
      .map((step) => (typeof step === 'string' ? `.${step}` : renderStep(step, this.#origin.numbers)))
      .join('')
    this.faults.push(path === '' ? message : `${path}: ${message}`)
  }
}
