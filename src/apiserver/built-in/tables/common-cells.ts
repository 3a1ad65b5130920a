// Cells that tables of several kinds share.
import type { JsonObject } from '../../../base/json.ts'
import { structAt, textAt, valueAt } from '../field-walk.ts'
import { shownAge } from './shown-time.ts'

export function name(object: JsonObject): string {
  return textAt(structAt(object, 'metadata'), 'name')
}

export function age(object: JsonObject, nowMs: number): string {
  return shownAge(valueAt(structAt(object, 'metadata'), 'creationTimestamp'), nowMs)
}

export function annotation(object: JsonObject, key: string): string | undefined {
  const annotations = structAt(structAt(object, 'metadata'), 'annotations')
  const value = annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined
  return typeof value === 'string' ? value : undefined
}

export function slashed(kind: string, name: string): string {
  return `${kind}/${name}`
}

/** Joins the first `most` items of a list, and the number of the remaining ones. */
export function firstFew(shown: readonly string[], most: number, separator: string): string {
  const few = shown.slice(0, most).join(separator)
  return shown.length > most ? `${few} + ${shown.length - most} more...` : few
}
