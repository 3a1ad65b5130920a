// Text form of labels and selectors in `kubectl get` columns, sorted by key as the server prints them.
// Source: k8s.io/apimachinery/pkg/labels; metav1.FormatLabelSelector.
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, type Struct, structsAt, textAt, textsAt } from '../field-walk.ts'

/** Returns `a=1,b=2`, or `<none>`. */
export function shownLabels(labels: JsonObject): string {
  const shown = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .join(',')
  return shown === '' ? '<none>' : shown
}

/** Returns the selector's text; empty if it matches everything or nothing. */
export function selectorText(selector: Struct): string {
  const labels = mapAt(selector, 'matchLabels')
  const equal = Object.keys(labels).map((key) => ({ key, text: `${key}=${labels[key]}` }))
  const expressions = structsAt(selector, 'matchExpressions').map((expression) => ({
    key: textAt(expression, 'key'),
    text: requirementText(expression),
  }))
  return [...equal, ...expressions]
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',')
}

export function shownSelector(selector: Struct): string {
  const text = selectorText(selector)
  return text === '' ? '<none>' : text
}

function requirementText(expression: JsonObject): string {
  const key = textAt(expression, 'key')
  const values = `(${[...textsAt(expression, 'values')].sort().join(',')})`
  switch (textAt(expression, 'operator')) {
    case 'In':
      return `${key} in ${values}`
    case 'NotIn':
      return `${key} notin ${values}`
    case 'DoesNotExist':
      return `!${key}`
    default:
      return key
  }
}
