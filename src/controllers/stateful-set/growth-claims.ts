// Conditions about volumes that are growing, or that cannot grow. Pure.
import type { ConditionClaim } from '../../index.ts'
import { expansionNote, type VolumeGrowth } from './volume-growth.ts'

/** Progressing, while volumes grow. */
export function expanding({ expansion }: Pick<VolumeGrowth, 'expansion'>): readonly ConditionClaim[] {
  if (expansion === undefined) return []
  return [{ type: 'Progressing', status: 'True', reason: 'VolumeExpanding', message: expansionNote(expansion) }]
}

/** Degraded, if volumes cannot grow. */
export function expansionRejected({ growthRefusal }: Pick<VolumeGrowth, 'growthRefusal'>): readonly ConditionClaim[] {
  if (growthRefusal === undefined) return []
  return [{ type: 'Degraded', status: 'True', reason: 'VolumeExpansionRefused', message: growthRefusal }]
}

/** Only a user can make further progress. */
export function stalled({ reason, message }: ConditionClaim): readonly ConditionClaim[] {
  return [
    { type: 'Progressing', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ]
}
