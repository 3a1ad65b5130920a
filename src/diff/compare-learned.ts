// Is there anything to do, given what the server taught us? The comparison, corrected by memory: a known pair is equal
// whatever the spelling, and what a changed declaration left behind inside a value that is owned as one is a change.
import { type Change, type CompareInput, type Comparison, compare } from './compare.ts'
import { type LearnedPairs, pairOf } from './learned-pairs.ts'

export interface CompareLearnedInput extends CompareInput {
  readonly pairs: LearnedPairs
}

/**
 * Compares first, because that is cheaper than hashing and, in the usual case, enough.
 *
 * Without memory, as after a restart, fields that a custom resource gained inside a value owned as one are taken for
 * defaults; so a field that was dropped there by a new version of the operator stays until the object is next applied.
 */
export function compareLearned({ desired, live, manager, pairs }: CompareLearnedInput): Comparison {
  const comparison = compare({ desired, live, manager })
  if (comparison.kind === 'unowned' || (comparison.kind === 'equal' && comparison.gained.length === 0))
    return comparison
  const pair = pairOf(desired, live, manager)
  if (pair === undefined) return comparison
  if (pairs.isKnown(live.metadata.uid, pair)) return { kind: 'equal', gained: [] }
  if (comparison.kind === 'different' || !pairs.hasOther(live.metadata.uid, pair.desiredHash)) return comparison
  return { kind: 'different', changes: comparison.gained.map((path): Change => ({ kind: 'remove', path })) }
}
