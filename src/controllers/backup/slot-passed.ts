// Is a Backup of a schedule one that its schedule did not make? Restored with its cluster, or from a copy of its manifest, it would save what
// there is now, and say that it is of then: it is refused, and says where the artifact of then is. Pure.
import { timestampAt } from '../../index.ts'
import type { Problem } from '../migration/migration-place.ts'
import { type BackupObject, slotAnnotation, slotOf } from './desired-work.ts'

/** How far the clocks of operator and API server may be apart. */
export const clocksMs = 3_600_000

/** No schedule begins a slot so late. What has an artifact is what it says, whoever brought it back. */
export function isSlotPassed(object: BackupObject): boolean {
  const { metadata, spec, status } = object
  const createdMs = Date.parse(metadata.creationTimestamp ?? '')
  const isMade = status?.artifact !== undefined
  return !isMade && createdMs > slotOf(object) + spec.startingDeadlineSeconds * 1_000 + clocksMs
}

export function slotPassed(object: BackupObject): Problem {
  const { metadata } = object
  const what = `it is of the slot ${timestampAt(slotOf(object))}, and was made again at ${metadata.creationTimestamp} by the API server's clock, so that it would save what there is now as of then`
  const help = `what was saved then is where it was stored: restore that by its location; to save what there is now, make a Backup without the annotation ${slotAnnotation}; if nobody made it again, the operator's clock is behind the API server's: put it right`
  return { kind: 'refused', reason: 'SlotPassed', message: `${what}; ${help}` }
}
