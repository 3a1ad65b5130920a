// How does a refusal print what a patch made of an object? The real server's libraries read only the parts that a patch leads
// through; these are written with their keys in order, all others as they were. Source: gopkg.in/evanphx/json-patch.v4.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'

/** What a JSON patch made, its keys in order along the way of each operation. */
export function sortedAlong(patched: Json, operations: readonly Json[]): Json {
  const ways = new Set<string>([''])
  for (const operation of operations) {
    if (!isJsonObject(operation)) continue
    for (const pointer of [own(operation, 'path'), own(operation, 'from')]) {
      if (typeof pointer !== 'string') continue
      const steps = pointer.split('/')
      for (let length = 2; length < steps.length; length++) ways.add(steps.slice(0, length).join('/'))
    }
  }
  return sortedOn(patched, '', ways)
}

function sortedOn(value: Json, at: string, ways: ReadonlySet<string>): Json {
  if (!ways.has(at)) return value
  if (isJsonList(value)) return value.map((item, index) => sortedOn(item, `${at}/${index}`, ways))
  if (!isJsonObject(value)) return value
  const below = (key: string) => `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return Object.fromEntries(inOrder(value).map(([key, field]) => [key, sortedOn(field, below(key), ways)]))
}

/** What a merge patch made, its keys in order wherever it merged, and in all that it brought. */
export function sortedWhereMerged(patched: Json, patch: Json): Json {
  if (!isJsonObject(patched) || !isJsonObject(patch)) return patched
  return Object.fromEntries(
    inOrder(patched).map(([key, field]) => [key, sortedWhereMerged(field, own(patch, key) ?? null)]),
  )
}

function inOrder(object: Readonly<Record<string, Json | undefined>>): [string, Json][] {
  return Object.keys(object)
    .sort()
    .map((key) => [key, own(object, key) ?? null])
}
