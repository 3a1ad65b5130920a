// Status of one backup: its artifact, whether it is verified, and why not. Earlier reports stay after their workers are
// gone. Pure.
import type { BackupStatus } from '../../../imports/wire/backup.ts'
import { type ConditionClaim, type EventReport, findCondition, type StatusReport, timestampAt } from '../../index.ts'
import { claim, type Readiness, readiness } from './backup-claims.ts'
import { type BackupObject, verifyToken } from './desired-work.ts'
import type { PreDeleteFacts } from './pre-delete-facts.ts'
import { scratchName } from './scratch-database.ts'
import { isRequestedAgain, type SingleFacts } from './single-facts.ts'
import { verifyModeOf } from './verify-mode.ts'
import type { WorkReport } from './work-report.ts'

type Fields = StatusReport<BackupStatus>['fields']
type ReasonAndMessage = Pick<ConditionClaim, 'reason' | 'message'>

interface BackupState extends ReasonAndMessage {
  readonly phase: NonNullable<BackupStatus['phase']>
  readonly kind: Readiness
}

export function singleStatus(object: BackupObject, facts: SingleFacts, isOver: boolean): StatusReport<BackupStatus> {
  const standing = stateOf(object, facts)
  return {
    fields: fieldsOf(object, facts, standing),
    conditions: [
      ...(isOver ? readiness(standing.kind, standing) : []),
      completed(facts, standing),
      ...verified(object, facts, standing),
    ],
    events: eventsOf(object, standing),
    dueAtMs: [facts.tidyAtMs, facts.againAtMs].filter((ms) => ms !== undefined),
  }
}

/** Returns the unchanged fields, for a Backup that cannot be judged now. */
export function remembered({ status }: BackupObject): Fields {
  const { conditions: _, observedGeneration: __, lastHandledReconcileAt: ___, ...fields } = status ?? {}
  return fields
}

/** Returns the status of a Backup that is being deleted. The deletion waits for the phase Discarded. */
export function preDeleteStatus(object: BackupObject, facts: PreDeleteFacts): StatusReport<BackupStatus> {
  const { discard, tidy, tidyUntilMs, ending = [], rejection, abandoned } = facts
  const fields = remembered(object)
  if (abandoned !== undefined) return abandonedStatus(object, fields, abandoned)
  if (rejection !== undefined) return unremovable(fields, rejection)
  if (discard?.run.kind === 'failed') return undiscarded(fields, discard.run.report)
  const isDiscarded = discard === undefined || discard.run.kind === 'completed'
  const isTidied = tidy === undefined || tidy.run.kind === 'completed' || tidy.run.kind === 'failed'
  if ((discard === undefined && tidy === undefined) || !isDiscarded || !isTidied) {
    const conditions = ending.length === 0 ? [] : [claim('Ready', 'False', whileEnding(ending))]
    return { fields, conditions, ...(tidyUntilMs === undefined ? {} : { dueAtMs: [tidyUntilMs] }) }
  }
  const { artifact, ...rest } = fields
  const left = tidy?.run.kind === 'failed' ? leftBehind(object, tidy.run.report) : undefined
  const gone = discard === undefined ? 'what its workers had left is gone' : 'the artifact is gone'
  const words = { reason: 'Discarded', message: left ?? gone }
  return {
    fields: { ...rest, ...(discard === undefined && artifact !== undefined ? { artifact } : {}), phase: 'Discarded' },
    // A changed condition is written at once, and the deletion waits for it.
    conditions: [
      claim('Ready', 'False', words),
      ...(discard === undefined ? [] : [claim('Completed', 'False', words)]),
    ],
    ...(left === undefined
      ? {}
      : { events: [{ type: 'Warning', reason: 'LeftBehind', action: 'Backup', note: left }] }),
  }
}

/** Reports one Event: the condition shows whether it was reported. */
function abandonedStatus(object: BackupObject, fields: Fields, message: string): StatusReport<BackupStatus> {
  const reason = 'Abandoned'
  const isTold = findCondition(object.status?.conditions, 'Ready')?.reason === reason
  return {
    fields,
    conditions: [claim('Ready', 'False', { reason, message })],
    events: isTold ? [] : [{ type: 'Warning', reason: 'Kept', action: 'Delete', note: message }],
  }
}

/** Nothing is removed while a worker runs. The worker of a lost node ends only when a user deletes its pod. */
function whileEnding(pods: readonly string[]): ReasonAndMessage {
  const message = `a worker was told to end, and its pod is still there: ${pods.join(', ')}; if its node is gone for good, delete the pod by force`
  return { reason: 'WorkerEnding', message }
}

function leftBehind({ metadata }: BackupObject, { message = 'the worker failed' }: WorkReport): string {
  const name = scratchName(metadata.uid)
  return `what its workers have left may still be there: ${message}; drop the database and the role ${name} by hand, if they are there, and what is without a manifest in its folder of the store`
}

function unremovable(fields: Fields, { reason, message }: ReasonAndMessage): StatusReport<BackupStatus> {
  const remedy = `the artifact is not removed: ${message}; or set spec.artifactPolicy to Retain to leave it`
  return { fields: { ...fields, error: remedy }, conditions: readiness('stalled', { reason, message: remedy }) }
}

function undiscarded(fields: Fields, report: WorkReport): StatusReport<BackupStatus> {
  const { reason = 'DiscardFailed', message = 'the worker failed' } = report
  const words = {
    reason,
    message: `the artifact could not be removed, and is tried again within the hour: ${message}; set spec.artifactPolicy to Retain to leave it`,
  }
  return { fields: { ...fields, error: words.message }, conditions: readiness('stalled', words) }
}

function stateOf({ spec, status }: BackupObject, facts: SingleFacts): BackupState {
  const { step, problem, make, verify, againAtMs } = facts
  if (step === 'rest') {
    const mode = verifyModeOf(spec)
    const message = mode === 'None' ? 'it is stored; spec.verify.mode says not to prove it' : proven(spec)
    return { phase: 'Completed', kind: 'done', reason: restReasons[mode], message }
  }
  if (step === 'failed' || step === 'unproven') {
    const run = step === 'failed' ? make : verify
    const words = run.kind === 'failed' ? wordsOf(run.report) : reportedBefore(status)
    return { phase: 'Failed', kind: 'stalled', ...words }
  }
  const phase = step === 'make' ? 'Running' : 'Verifying'
  if (problem !== undefined) {
    const { reason, message } = problem
    return { phase: step === 'make' ? 'Pending' : phase, kind: 'underWay', reason, message }
  }
  if (spec.suspend === true) {
    return { phase: 'Pending', kind: 'underWay', reason: 'Suspended', message: 'spec.suspend is true' }
  }
  const run = step === 'make' ? make : verify
  if (run.kind === 'failed' && againAtMs !== undefined) {
    const { reason, message } = wordsOf(run.report)
    return { phase, kind: 'underWay', reason, message: `${message}; it is tried again at ${timestampAt(againAtMs)}` }
  }
  if (run.kind === 'active' && run.last !== undefined) return { phase, kind: 'underWay', ...wordsOf(run.last) }
  if (run.kind !== 'active') {
    return { phase: 'Pending', kind: 'underWay', reason: 'WorkerStarting', message: 'a worker is being started' }
  }
  const message = step === 'make' ? 'the database is being saved' : 'what was saved is being proven'
  return { phase, kind: 'underWay', reason: step === 'make' ? 'Saving' : 'Verifying', message }
}

const restReasons = { Restore: 'RestoreVerified', Checksum: 'ChecksumVerified', None: 'NotRequested' } as const

function proven(spec: BackupObject['spec']): string {
  if (verifyModeOf(spec) !== 'Restore') return 'what is stored is what was stored; it was not restored'
  return spec.method === 'Physical'
    ? 'its files are those that were saved, a server has recovered from them, and every row could be read'
    : 'it was restored, and what was restored is what was saved'
}

function wordsOf({ reason, outcome, message = 'the worker was interrupted' }: WorkReport): ReasonAndMessage {
  return { reason: reason ?? outcome, message }
}

function reportedBefore(status: BackupStatus | undefined): ReasonAndMessage {
  const ready = conditionOf(status, 'Ready')
  return { reason: ready?.reason ?? 'Failed', message: status?.error ?? ready?.message ?? 'it failed' }
}

function completed({ made, step }: SingleFacts, standing: BackupState): ConditionClaim {
  if (made !== undefined) {
    const { tables, rows } = made.source
    const what = tables === undefined ? 'the whole server' : `${tables} tables with ${rows} rows`
    const message = `${what} in ${made.artifact.bytes} bytes`
    return claim('Completed', 'True', { reason: 'Completed', message })
  }
  return claim('Completed', step === 'failed' ? 'False' : 'Unknown', standing)
}

function verified(
  { spec, status }: BackupObject,
  { made, step }: SingleFacts,
  standing: BackupState,
): readonly ConditionClaim[] {
  const mode = verifyModeOf(spec)
  if (made === undefined) return []
  const before = conditionOf(status, 'Verified')
  if (step === 'verify') {
    // A verified backup stays verified until a verification fails.
    const wasProven = status?.verifiedAt !== undefined && before !== undefined
    return [wasProven ? claim('Verified', before.status, before) : claim('Verified', 'Unknown', standing)]
  }
  if (step === 'unproven') {
    const isTold = before?.status === 'False' && standing.message === before.message
    return [claim('Verified', 'False', isTold ? before : standing)]
  }
  return [claim('Verified', mode === 'Restore' ? 'True' : 'False', standing)]
}

function fieldsOf(object: BackupObject, { made, folder, step, verify }: SingleFacts, standing: BackupState): Fields {
  const { spec, status } = object
  const { phase, message } = standing
  const isProven = step === 'rest' && verifyModeOf(spec) !== 'None'
  const provenAt = verify.kind === 'completed' ? timestampAt(verify.endedAtMs) : undefined
  const newest = isProven && isRequestedAgain(object) ? provenAt : undefined
  const known = newest ?? status?.verifiedAt ?? (isProven ? provenAt : undefined)
  // A backup with a fault is no longer verified.
  const verifiedAt = step === 'unproven' ? undefined : known
  const token = step === 'rest' || step === 'unproven' ? verifyToken(object) : status?.lastHandledVerify
  return {
    phase,
    ...(made === undefined ? {} : { ...made, lastSuccessTime: made.completedAt }),
    ...(folder === undefined ? {} : { folder }),
    ...(verifiedAt === undefined ? {} : { verifiedAt }),
    ...(token === undefined ? {} : { lastHandledVerify: token }),
    ...(verifiedAt === undefined || verifyModeOf(spec) !== 'Restore' ? {} : { lastVerifiedTime: verifiedAt }),
    ...(phase === 'Failed' ? { error: message } : {}),
  }
}

/** Returns an Event if the reason is new, so that it is reported once. */
function eventsOf({ status }: BackupObject, { kind, reason, message }: BackupState): readonly EventReport[] {
  if (kind === 'underWay' || conditionOf(status, 'Ready')?.reason === reason) return []
  return [{ type: kind === 'done' ? 'Normal' : 'Warning', reason, action: 'Backup', note: message }]
}

function conditionOf(status: BackupStatus | undefined, type: string) {
  return findCondition(status?.conditions, type)
}
