// Condition BackedUp of a Database, from its Backups. It shows when the Database is no longer backed up. With
// schedules, they decide whether the last backup is fresh; otherwise its age decides. Pure.
import { type ConditionClaim, isBeingDeleted, type LiveObject, timestampAt } from '../../index.ts'
import type { BackupObject } from '../backup/desired-work.ts'
import { isCredible } from '../backup/due-slot.ts'
import type { DatabaseObject } from './server-connection.ts'

export interface BackedUp extends Pick<ConditionClaim, 'status' | 'reason' | 'message'> {
  /** Time at which the condition changes without an event, in milliseconds since the epoch. */
  readonly dueAtMs?: number
}

export interface BackedUpInput {
  readonly object: DatabaseObject
  /** All Backups of its namespace. */
  readonly backups: readonly LiveObject[]
  readonly nowMs: number
}

/** Age up to which a backup is fresh without a schedule. */
const freshMs = 7 * 86_400_000

export function backedUp({ object, backups, nowMs }: BackedUpInput): BackedUp {
  const { name, uid } = object.metadata
  const own = backups.map(asBackup).filter((backup) => backup.spec.databaseRef.name === name && !isBeingDeleted(backup))
  const schedules = own.filter((backup) => backup.spec.schedule !== undefined && isInForce(backup))
  // Backups of an earlier Database with this name do not count.
  const sound = own.filter((backup) => isSound(backup, nowMs) && backup.status?.source?.databaseUID === uid)
  const last = sound.toSorted((left, right) => takenAt(right) - takenAt(left))[0]
  if (last === undefined) {
    const message = own.length === 0 ? 'no Backup saves it' : `no backup of it is complete${overdueText(schedules)}`
    return { status: 'False', reason: 'Never', message }
  }
  const proof = conditionOf(last, 'Verified') === 'True' ? ', and is proven' : ''
  const which = `Backup ${last.metadata.name} was complete at ${timestampAt(takenAt(last))}${proof}`
  const overdue = overdueText(schedules)
  if (overdue !== '') return { status: 'False', reason: 'Stale', message: which + overdue }
  const fresh = { status: 'True', reason: 'LastBackupFresh', message: which } as const
  if (schedules.length > 0) return fresh
  const endsAtMs = takenAt(last) + freshMs
  if (nowMs < endsAtMs) return { ...fresh, dueAtMs: endsAtMs }
  return { status: 'False', reason: 'Stale', message: `${which}, more than a week ago, and no schedule makes others` }
}

/** Returns whether the schedule defines how old a backup may be. A suspended, paused or unreadable one does not. */
function isInForce(schedule: BackupObject): boolean {
  const isPaused = schedule.spec.suspend === true || conditionOf(schedule, 'Paused') === 'True'
  return !isPaused && conditionOf(schedule, 'Overdue') !== 'Unknown'
}

/**
 * Applies the rule of schedules: the backup is stored and not found wrong. It also counts while it is verified again.
 */
function isSound(backup: BackupObject, nowMs: number): boolean {
  const { phase, verifiedAt } = backup.status ?? {}
  if (backup.spec.schedule !== undefined || !isCredible(takenAt(backup), nowMs)) return false
  return phase === 'Completed' || (phase === 'Verifying' && verifiedAt !== undefined)
}

function takenAt({ status }: BackupObject): number {
  return Date.parse(status?.completedAt ?? '')
}

function overdueText(schedules: readonly BackupObject[]): string {
  const names = schedules.filter((one) => conditionOf(one, 'Overdue') === 'True').map(({ metadata }) => metadata.name)
  return names.length === 0 ? '' : `; of schedule ${names.toSorted().join(', ')} a backup is overdue`
}

function conditionOf({ status }: BackupObject, type: string): string | undefined {
  return status?.conditions?.find((known) => known.type === type)?.status
}

/** The CRD requires the spec. */
function asBackup(backup: LiveObject): BackupObject {
  return backup as BackupObject
}
