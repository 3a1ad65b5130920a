// Next step of one backup: make it, verify it, or wait for its database, from its status and the reports of its
// workers.
// The status records the artifact; until then the termination message of the worker is the source. Pure.
import type { BackupStatus } from '../../../imports/wire/backup.ts'
import type { Problem } from '../migration/migration-place.ts'
import { type BackupObject, type DesiredWork, verifyToken } from './desired-work.ts'
import { verifyModeOf } from './verify-mode.ts'
import type { MadeBackup } from './work-report.ts'
import type { WorkRun } from './work-run.ts'

export interface SingleFacts {
  readonly kind: 'single'
  readonly step: SingleStep
  /** Reason that prevents access to its database. */
  readonly problem?: Problem
  readonly made?: MadeBackup
  /** Folder in the store. */
  readonly folder?: string
  readonly make: WorkRun
  readonly verify: WorkRun
  /** Time of the next verification after a failed one; milliseconds since the epoch. */
  readonly againAtMs?: number
  /** Desired workers. */
  readonly workers: readonly WorkerToBe[]
  /** Time of the next observation of workers, whose reports the status has by then; milliseconds since the epoch. */
  readonly tidyAtMs?: number
  /** Names of existing Jobs, which stay while the desired ones are unknown. */
  readonly held: readonly string[]
}

export type SingleStep =
  | 'make'
  /** The backup failed. */
  | 'failed'
  | 'verify'
  /** The verification failed. */
  | 'unproven'
  | 'rest'

export interface WorkerToBe {
  readonly wish: DesiredWork
  /** The worker has ended. */
  readonly isOver: boolean
  readonly isSuspended: boolean
}

export interface SingleInput {
  readonly object: BackupObject
  readonly make: WorkRun
  readonly verify: WorkRun
  /** Another try follows. */
  readonly isTriedAgain: boolean
  readonly made: MadeBackup | undefined
}

/** The backup that the status records. */
export function recordedBackup(status: BackupStatus | undefined): MadeBackup | undefined {
  const { artifact, source, startedAt, completedAt } = status ?? {}
  if (artifact === undefined || source === undefined) return undefined
  return { artifact, source, startedAt: startedAt ?? '', completedAt: completedAt ?? '' }
}

/** `make`: run of the worker, whose report counts until the status has one. */
export function madeBy(status: BackupStatus | undefined, make: WorkRun): MadeBackup | undefined {
  return recordedBackup(status) ?? (make.kind === 'completed' ? make.report?.made : undefined)
}

export function singleStep({ object, make, verify, isTriedAgain, made }: SingleInput): SingleStep {
  const { status } = object
  if (made === undefined) {
    // A failed backup stays failed, even without its Job: create another Backup to try again.
    const hasFailed = make.kind === 'failed' || (make.kind === 'none' && status?.phase === 'Failed')
    return hasFailed ? 'failed' : 'make'
  }
  if (isAtRest(object)) return 'rest'
  if (verify.kind === 'completed') return 'rest'
  if (verify.kind === 'failed') return isTriedAgain ? 'verify' : 'unproven'
  const hasFailed = status?.phase === 'Failed' && !isRequestedAgain(object)
  return verify.kind === 'none' && hasFailed ? 'unproven' : 'verify'
}

/** A user requested a verification that was not answered yet. */
export function isRequestedAgain(object: Pick<BackupObject, 'metadata' | 'status'>): boolean {
  const token = verifyToken(object)
  return token !== undefined && token !== object.status?.lastHandledVerify
}

/** The backup is verified as its spec requires. */
export function isAtRest(object: BackupObject): boolean {
  return verifyModeOf(object.spec) === 'None' || isProven(object)
}

function isProven(object: BackupObject): boolean {
  return object.status?.verifiedAt !== undefined && !isRequestedAgain(object)
}

export interface WorkersInput extends SingleInput {
  readonly step: SingleStep
  readonly makeWish: DesiredWork
  /** Undefined before there is an artifact. */
  readonly verifyWish: DesiredWork | undefined
}

/**
 * Workers that must exist. A worker stays until the status has its report; one that ended without a report is created
 * again.
 */
export function workersOf(input: WorkersInput): readonly WorkerToBe[] {
  const { object, step, make, verify, makeWish, verifyWish } = input
  const { spec, status } = object
  const isSuspended = spec.suspend === true
  const isLost = make.kind === 'completed' && make.report?.made === undefined
  const isMaking = recordedBackup(status) === undefined && !isLost && !(step === 'failed' && make.kind === 'none')
  const isProving = !isProven(object) && verifyWish !== undefined && verifyModeOf(spec) !== 'None'
  const isGivenUp = step === 'unproven' && verify.kind === 'none'
  return [
    ...(isMaking ? [toBe(makeWish, make, isSuspended)] : []),
    ...(isProving && !isGivenUp ? [toBe(verifyWish, verify, isSuspended)] : []),
  ]
}

function toBe(wish: DesiredWork, run: WorkRun, isSuspended: boolean): WorkerToBe {
  const isOver = run.kind === 'completed' || run.kind === 'failed'
  return { wish, isOver, isSuspended: isSuspended || run.kind === 'failed' }
}
