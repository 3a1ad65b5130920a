// Decides whether an object has everything that a contribution declares. Values count, not the managedFields entries:
// all resources of one controller contribute to an object as one manager. If each treated the fields of another as its
// leftovers, they would alternate indefinitely.
import { deepEqual, isJsonObject, type Json, own } from '../base/json.ts'
import type { Change, Comparison } from '../diff/compare.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import type { LiveObject } from '../object/object.ts'

export function isContributed(comparison: Comparison, live: LiveObject, manager: string): boolean {
  if (comparison.kind !== 'different') return comparison.kind === 'equal'
  return valueChanges(comparison, live, manager).length === 0
}

/**
 * Returns the changes of values, without changes of ownership only. A field in the manager's own entry that is not
 * declared stays there until the next write, which hands it over.
 */
export function valueChanges(comparison: Comparison, live: LiveObject, manager: string): readonly Change[] {
  if (comparison.kind !== 'different') return []
  const owned = ownedFieldsOf(live, manager)
  return comparison.changes.filter((change) => {
    // A field to remove inside a value that is owned as one has no entry of its own.
    if (change.kind === 'remove') return owned?.has(change.path) !== true
    const { desired, live: found } = change
    return change.kind !== 'add' || desired === undefined || found === undefined || !covers(found, desired)
  })
}

/** True if the live value has all fields of the desired one, unchanged. */
function covers(live: Json, desired: Json): boolean {
  if (!isJsonObject(desired) || !isJsonObject(live)) return deepEqual(live, desired)
  return Object.entries(desired).every(([name, value]) => {
    const found = own(live, name)
    return value === undefined || (found !== undefined && covers(found, value))
  })
}
