// What do conditions say of volumes that are to grow: that they do, or that a person has to decide something? Pure.
import type { ConditionClaim } from '../../index.ts'
import { expansionNote, type VolumeGrowth } from './volume-growth.ts'

/** Progressing, while volumes grow. */
export function expanding({ expansion }: Pick<VolumeGrowth, 'expansion'>): readonly ConditionClaim[] {
  if (expansion === undefined) return []
  return [{ type: 'Progressing', status: 'True', reason: 'VolumeExpanding', message: expansionNote(expansion) }]
}

/** Degraded, where they stay as they are. */
export function expansionRefused({ growthRefusal }: Pick<VolumeGrowth, 'growthRefusal'>): readonly ConditionClaim[] {
  if (growthRefusal === undefined) return []
  return [{ type: 'Degraded', status: 'True', reason: 'VolumeExpansionRefused', message: growthRefusal }]
}

/** Everything is done but what waits for a person. */
export function stalled({ reason, message }: ConditionClaim): readonly ConditionClaim[] {
  return [
    { type: 'Progressing', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ]
}
