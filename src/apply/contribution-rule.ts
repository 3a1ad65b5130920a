// Is everything there that a contribution asks for? Values count, not whose record they are in: all resources add to an object
// under one manager's name. If each took the fields of the next for its own leftovers, they would take turns for ever.
import { deepEqual, isJsonObject, type Json, own } from '../base/json.ts'
import type { Comparison } from '../diff/compare.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import type { LiveObject } from '../object/object.ts'
import { childManager } from '../object/ownership.ts'

/** A field of its own record that it does not ask for stays there until the next write, which hands it over. */
export function isContributed(comparison: Comparison, live: LiveObject): boolean {
  if (comparison.kind !== 'different') return comparison.kind === 'equal'
  const owned = ownedFieldsOf(live, childManager)
  return comparison.changes.every((change) => {
    // What is to go from within a value that is owned as one has no record of its own.
    if (change.kind === 'remove') return owned?.has(change.path) === true
    const { desired, live: found } = change
    return change.kind === 'add' && desired !== undefined && found !== undefined && covers(found, desired)
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
