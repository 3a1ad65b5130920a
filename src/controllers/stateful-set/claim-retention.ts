// Has a StatefulSet been told what becomes of its volumes when it goes? Of what is being deleted nothing is declared any more, so that what was
// said last may not have come to it. Pure.
import { isBeingDeleted, type LiveObject, StatefulSet, valueAt } from '../../index.ts'

export interface ClaimRetention {
  readonly statefulSet: LiveObject | undefined
  readonly whenDeleted: 'Retain' | 'Delete'
  /** Does any of its claims go with it yet? */
  readonly ownsClaims: boolean
}

/** Is it to be declared once more? Of what is gone, or going, nothing is. */
export function isRetentionUnsettled({ statefulSet, whenDeleted, ownsClaims }: ClaimRetention): boolean {
  if (statefulSet === undefined || isBeingDeleted(statefulSet)) return false
  const told = valueAt(statefulSet, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted')
  return told !== whenDeleted || (whenDeleted === 'Retain' && ownsClaims)
}

/** It goes with a StatefulSet. */
export function isOwnedClaim({ metadata }: LiveObject): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === StatefulSet.kind) === true
}
