// Key order of a patched object in error texts.
// Upstream's libraries parse only the parts that a patch touches.
// They write these with sorted keys, and all others unchanged.
// Source: gopkg.in/evanphx/json-patch.v4.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'

/** Returns the result of a JSON patch with sorted keys along the path of each operation. */
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

/** Returns the result of a merge patch with sorted keys wherever it merged, and in all values that it added. */
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
