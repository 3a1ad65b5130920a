// Rejects a Backup that its schedule did not create, e.g. restored with its cluster, or from a copy of its manifest. It
// would back up the present data under a past scheduled time. The message says how to restore the original. Pure.
import { timestampAt } from '../../index.ts'
import type { Problem } from '../migration/migration-place.ts'
import { type BackupObject, slotAnnotation, slotOf } from './desired-work.ts'

/** Assumed maximum difference between the clocks of the operator and the API server. */
export const clocksMs = 3_600_000

/**
 * True if the Backup was created later than a schedule starts one. A Backup with an artifact is valid, however it came
 * back.
 */
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
