// Field sets of managedFields, read without the runtime's own code: leaf paths, and objects without some of them. Pure.
// Source: meta/v1 FieldsV1.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts'
import type { KubeObject } from '../../src/object/object.ts'

/** Returns leaf paths, each a JSON list of FieldsV1 steps; an owned list item or map itself ends in `.`. */
export function fieldsOf({ metadata }: KubeObject, isMeant: (manager: string) => boolean): ReadonlySet<string> {
  const leaves = new Set<string>()
  for (const { manager = '', fieldsV1 = {}, subresource } of metadata.managedFields ?? []) {
    if (isMeant(manager) && subresource === undefined) collect(fieldsV1, [], leaves)
  }
  return leaves
}

function collect(fields: Json | undefined, path: readonly string[], leaves: Set<string>): void {
  if (!isJsonObject(fields) || Object.keys(fields).length === 0) {
    leaves.add(JSON.stringify(path))
    return
  }
  for (const [step, below] of Object.entries(fields)) {
    if (step === '.') leaves.add(JSON.stringify([...path, '.']))
    else collect(below, [...path, step], leaves)
  }
}

/** Returns the object without the values at these paths, and without maps and lists that become empty. */
export function withoutFields(object: JsonObject, paths: Iterable<string>): JsonObject {
  const copy = structuredClone(object) as JsonObject // A clone of JSON.
  for (const path of paths) remove(copy, JSON.parse(path) as string[]) // A path of fieldsOf.
  return copy
}

function remove(value: Json | undefined, [step, ...rest]: readonly string[]): void {
  if (value === undefined || step === undefined || step === '.') return
  const isLast = rest.length === 0 || (rest.length === 1 && rest[0] === '.' && !step.startsWith('f:'))
  if (step.startsWith('f:') && isJsonObject(value)) {
    const members = value as Record<string, Json>
    const name = step.slice(2)
    if (isLast) delete members[name]
    else remove(members[name], rest)
    if (members[name] !== undefined && isEmpty(members[name])) delete members[name]
    return
  }
  if (!isJsonList(value)) return
  const items = value as Json[]
  const at = items.findIndex((item) => isItem(item, step))
  if (at < 0) return
  if (isLast) items.splice(at, 1)
  else remove(items[at], rest)
}

function isItem(item: Json, step: string): boolean {
  const wanted = JSON.parse(step.slice(2)) as Json // A key or value of FieldsV1.
  if (step.startsWith('v:')) return deepEqual(item, wanted)
  if (!step.startsWith('k:') || !isJsonObject(item) || !isJsonObject(wanted)) return false
  return Object.entries(wanted).every(([name, value]) => deepEqual(item[name], value))
}

function isEmpty(value: Json): boolean {
  return (isJsonObject(value) && Object.keys(value).length === 0) || (isJsonList(value) && value.length === 0)
}
