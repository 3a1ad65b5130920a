// Detects whether a StatefulSet needs its volumes' retention policy before its deletion. During deletion the
// StatefulSet is normally not applied any more, so the last policy may be missing. Pure.
import { isBeingDeleted, type LiveObject, StatefulSet, valueAt } from '../../index.ts'

export interface ClaimRetention {
  readonly statefulSet: LiveObject | undefined
  readonly whenDeleted: 'Retain' | 'Delete'
  /** True if a claim is owned and would be deleted with it. */
  readonly ownsClaims: boolean
}

/** Returns whether it has to be applied once more. False for an object that is deleted or being deleted. */
export function isRetentionUnsettled({ statefulSet, whenDeleted, ownsClaims }: ClaimRetention): boolean {
  if (statefulSet === undefined || isBeingDeleted(statefulSet)) return false
  const told = valueAt(statefulSet, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted')
  return told !== whenDeleted || (whenDeleted === 'Retain' && ownsClaims)
}

/** Returns whether the claim is deleted with a StatefulSet. */
export function isOwnedClaim({ metadata }: LiveObject): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === StatefulSet.kind) === true
}
