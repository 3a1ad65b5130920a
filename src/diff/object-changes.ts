// Differences between two states of one object, field by field, whoever owns the fields. Items of lists are identified
// by their names if all have one, else by their positions. Bookkeeping of the server is omitted. Pure.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { isOwnerMark } from '../object/co-owner.ts'
import { asJson, type KubeObject } from '../object/object.ts'
import { appliedHashAnnotation } from './applied-hash.ts'
import type { Change } from './compare.ts'
import { type FieldPath, fieldElement, indexElement } from './field-path.ts'

/**
 * Returns the changes in the order of the fields of `after`; fields of `before` only come last in their object. Linear
 * in both.
 */
export function objectChanges(before: KubeObject, after: KubeObject): readonly Change[] {
  return changesOf(shown(before), shown(after), [])
}

const bookkeeping = ['creationTimestamp', 'generation', 'managedFields', 'resourceVersion', 'selfLink', 'uid']
const bookkeepingAnnotations = ['kubectl.kubernetes.io/last-applied-configuration', appliedHashAnnotation]
const isBookkeeping = (name: string) => bookkeepingAnnotations.includes(name) || isOwnerMark(name)

/** Omits the status, which is never declared, and the bookkeeping of servers and appliers. */
function shown(object: KubeObject): JsonObject {
  const { status: _, metadata, ...rest } = asJson(object)
  const kept = isJsonObject(metadata) ? without(metadata, (name) => bookkeeping.includes(name)) : {}
  const annotations = isJsonObject(kept.annotations) ? without(kept.annotations, isBookkeeping) : {}
  const hasAnnotations = Object.keys(annotations).length > 0
  return {
    ...rest,
    metadata: hasAnnotations ? { ...kept, annotations } : without(kept, (name) => name === 'annotations'),
  }
}

function without(object: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !isLeftOut(name)))
}

function changesOf(before: Json | undefined, after: Json | undefined, path: FieldPath): readonly Change[] {
  if (deepEqual(before, after)) return []
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = new Set([...Object.keys(after), ...Object.keys(before)])
    return [...names].flatMap((name) => changesOf(own(before, name), own(after, name), [...path, fieldElement(name)]))
  }
  if (isJsonList(before) && isJsonList(after)) return changesOfLists(before, after, path)
  if (before === undefined) return after === undefined ? [] : [{ kind: 'add', path, desired: after }]
  if (after === undefined) return [{ kind: 'remove', path, live: before }]
  return [{ kind: 'change', path, desired: after, live: before }]
}

function changesOfLists(before: readonly Json[], after: readonly Json[], path: FieldPath): readonly Change[] {
  const [known, wanted] = [byName(before), byName(after)]
  if (known !== undefined && wanted !== undefined) {
    const names = new Set([...wanted.keys(), ...known.keys()])
    const changes = [...names].flatMap((name) =>
      changesOf(known.get(name), wanted.get(name), [...path, { kind: 'key', key: { name } }]),
    )
    if (changes.length > 0) return changes
    return [{ kind: 'reorder', path, desired: [...wanted.keys()], live: [...known.keys()] }]
  }
  const isOfObjects = [...before, ...after].every(isJsonObject)
  if (!isOfObjects) return [{ kind: 'change', path, desired: after, live: before }]
  const longest = Math.max(before.length, after.length)
  return Array.from({ length: longest }, (_, index) =>
    changesOf(before[index], after[index], [...path, indexElement(index)]),
  ).flat()
}

/** Undefined unless all items have unique names. */
function byName(items: readonly Json[]): ReadonlyMap<string, Json> | undefined {
  const named = new Map<string, Json>()
  for (const item of items) {
    const name = isJsonObject(item) ? own(item, 'name') : undefined
    if (typeof name !== 'string' || named.has(name)) return undefined
    named.set(name, item)
  }
  return named
}
