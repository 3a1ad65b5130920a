// What is the next thing to do for one backup? To make it, to prove it, to rest, or to wait for its database: from what its status and its
// workers say. What was made is known by the status, or by the worker's last words until it stands there. Pure.
import type { BackupStatus } from '../../../imports/wire/backup.ts'
import type { Problem } from '../migration/migration-place.ts'
import { verifyModeOf } from './verify-mode.ts'
import type { MadeBackup } from './work-report.ts'
import type { WorkRun } from './work-run.ts'
import { type BackupObject, verifyToken, type WorkWish } from './work-wish.ts'

export interface SingleFacts {
  readonly kind: 'single'
  readonly step: SingleStep
  /** What keeps it from its database. */
  readonly problem?: Problem
  readonly made?: MadeBackup
  /** In the store. */
  readonly folder?: string
  readonly make: WorkRun
  readonly verify: WorkRun
  /** When it is proven again, as that came to nothing; milliseconds since the epoch. */
  readonly againAtMs?: number
  /** Workers that there are to be. */
  readonly workers: readonly WorkerToBe[]
  /** When workers are looked at again whose words stand in the status by then; milliseconds since the epoch. */
  readonly tidyAtMs?: number
  /** What there is of workers, while it is not known what there should be. */
  readonly held: readonly string[]
}

export type SingleStep =
  | 'make'
  /** It could not be made. */
  | 'failed'
  | 'verify'
  /** It could not be proven. */
  | 'unproven'
  | 'rest'

export interface WorkerToBe {
  readonly wish: WorkWish
  /** Nothing comes of it any more. */
  readonly isOver: boolean
  readonly isSuspended: boolean
}

export interface SingleInput {
  readonly object: BackupObject
  readonly make: WorkRun
  readonly verify: WorkRun
  /** There is another try. */
  readonly isTriedAgain: boolean
  readonly made: MadeBackup | undefined
}

/** As the status has it. */
export function recordedBackup(status: BackupStatus | undefined): MadeBackup | undefined {
  const { artifact, source, startedAt, completedAt } = status ?? {}
  if (artifact === undefined || source === undefined) return undefined
  return { artifact, source, startedAt: startedAt ?? '', completedAt: completedAt ?? '' }
}

/** `make`: of the worker whose words count while the status has none. */
export function madeBy(status: BackupStatus | undefined, make: WorkRun): MadeBackup | undefined {
  return recordedBackup(status) ?? (make.kind === 'completed' ? make.report?.made : undefined)
}

export function singleStep({ object, make, verify, isTriedAgain, made }: SingleInput): SingleStep {
  const { status } = object
  if (made === undefined) {
    // What failed stays failed, also when its Job is gone: another Backup is another try.
    const hasFailed = make.kind === 'failed' || (make.kind === 'none' && status?.phase === 'Failed')
    return hasFailed ? 'failed' : 'make'
  }
  if (isAtRest(object)) return 'rest'
  if (verify.kind === 'completed') return 'rest'
  if (verify.kind === 'failed') return isTriedAgain ? 'verify' : 'unproven'
  const hasFailed = status?.phase === 'Failed' && !isAskedAgain(object)
  return verify.kind === 'none' && hasFailed ? 'unproven' : 'verify'
}

/** By somebody, since it was last answered. */
export function isAskedAgain(object: Pick<BackupObject, 'metadata' | 'status'>): boolean {
  const token = verifyToken(object)
  return token !== undefined && token !== object.status?.lastHandledVerify
}

/** What was made is as proven as it is to be. */
export function isAtRest(object: BackupObject): boolean {
  return verifyModeOf(object.spec) === 'None' || isProven(object)
}

function isProven(object: BackupObject): boolean {
  return object.status?.verifiedAt !== undefined && !isAskedAgain(object)
}

export interface WorkersInput extends SingleInput {
  readonly step: SingleStep
  readonly makeWish: WorkWish
  /** Undefined while there is nothing to prove. */
  readonly verifyWish: WorkWish | undefined
}

/** A worker stays until what it said stands in the status; one that ended without a word is made anew, and finds what is there. */
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

function toBe(wish: WorkWish, run: WorkRun, isSuspended: boolean): WorkerToBe {
  const isOver = run.kind === 'completed' || run.kind === 'failed'
  return { wish, isOver, isSuspended: isSuspended || run.kind === 'failed' }
}
