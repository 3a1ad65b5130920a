// Text of field paths in messages of server-side apply: `.spec.ports[port=80,protocol="TCP"].name`.
// Source: sigs.k8s.io/structured-merge-diff, fieldpath.PathElement.String, value.ToString.
import { isJsonList, isJsonObject, type Json } from '../../base/json.ts'
import type { FieldPath, PathElement } from '../../diff/field-path.ts'
import { goQuoted } from '../field-error.ts'
import { goNumber, type Numbers } from './go-value.ts'

export function renderFieldPath(path: FieldPath, numbers: Numbers): string {
  return path.map((step) => renderStep(step, numbers)).join('')
}

export function renderStep(element: PathElement, numbers: Numbers): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`
    case 'key': {
      const names = Object.keys(element.key).sort()
      return `[${names.map((name) => `${name}=${renderValue(element.key[name], numbers)}`).join(',')}]`
    }
    case 'value':
      return `[=${renderValue(element.value, numbers)}]`
    case 'index':
      return `[${element.index}]`
  }
}

function renderValue(value: Json | undefined, numbers: Numbers): string {
  if (typeof value === 'string') return goQuoted(value)
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value, numbers)
  if (isJsonList(value)) return `[${value.map((item) => renderValue(item, numbers)).join(',')}]`
  if (!isJsonObject(value)) return String(value ?? null)
  return Object.keys(value)
    .map((key) => `${key}=${renderValue(value[key], numbers)}`)
    .join('')
}
