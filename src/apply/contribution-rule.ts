// Tells whether an object has everything that a contribution declares. Values count, not whose record they are in: all resources of one
// controller contribute to an object as one manager. If each took the fields of the next for its own leftovers, they would alternate forever.
import { deepEqual, isJsonObject, type Json, own } from '../base/json.ts'
import type { Change, Comparison } from '../diff/compare.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import type { LiveObject } from '../object/object.ts'

export function isContributed(comparison: Comparison, live: LiveObject, manager: string): boolean {
  if (comparison.kind !== 'different') return comparison.kind === 'equal'
  return valueChanges(comparison, live, manager).length === 0
}

/**
 * The changes of values, as opposed to those of whose record a field is in. A field of its own record that it does not ask for stays there until
 * the next write, which hands it over.
 */
export function valueChanges(comparison: Comparison, live: LiveObject, manager: string): readonly Change[] {
  if (comparison.kind !== 'different') return []
  const owned = ownedFieldsOf(live, manager)
  return comparison.changes.filter((change) => {
    // What is to go from within a value that is owned as one has no record of its own.
    if (change.kind === 'remove') return owned?.has(change.path) !== true
    const { desired, live: found } = change
    return change.kind !== 'add' || desired === undefined || found === undefined || !covers(found, desired)
  })
}

/** Has the live value all fields of the desired one, as they are? */
function covers(live: Json, desired: Json): boolean {
  if (!isJsonObject(desired) || !isJsonObject(live)) return deepEqual(live, desired)
  return Object.entries(desired).every(([name, value]) => {
    const found = own(live, name)
    return value === undefined || (found !== undefined && covers(found, value))
  })
}
