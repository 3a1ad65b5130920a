// Status of a Backup of the method Provider: progress and outcome of the provider's snapshot. Earlier reports stay
// while the provider cannot be asked. Pure.
import type { BackupStatus } from '../../../imports/wire/backup.ts'
import type { ExternalReport, Outcome, StatusReport } from '../../index.ts'
import { type ConditionClaim, durationMs, type EventReport, findCondition, timestampAt } from '../../index.ts'
import type { ObservedSnapshot } from '../database/rds/snapshot.ts'
import { claim, readiness } from './backup-claims.ts'
import type { BackupObject } from './desired-work.ts'
import { type ProviderFacts, recordName } from './provider-facts.ts'
import { remembered } from './single-status.ts'

type SnapshotReport = ExternalReport<ObservedSnapshot>
type ReasonAndMessage = Pick<ConditionClaim, 'reason' | 'message'>

export interface ProviderStatusInput {
  readonly object: BackupObject
  readonly facts: ProviderFacts
  /** Undefined before the first observation. */
  readonly report: SnapshotReport | undefined
  readonly outcome: Outcome
}

/** Format of the artifact. */
export const snapshotFormat = 'rds/snapshot'

export function providerStatus(input: ProviderStatusInput): StatusReport<BackupStatus> {
  const { facts, report } = input
  const { observed } = report ?? {}
  if (report?.state === 'available' && observed !== undefined) return made(input, observed)
  if (report !== undefined && isLost(report)) return lost(input, report)
  return withDue(underWay(input), facts.againAtMs)
}

/** True if there is no usable snapshot, and no action of the operator brings one. */
function isLost({ state }: SnapshotReport): boolean {
  return state === 'vanished' || state === 'broken' || state === 'notOwned' || state === 'deleting'
}

function made(input: ProviderStatusInput, observed: ObservedSnapshot): StatusReport<BackupStatus> {
  const { object, facts, report, outcome } = input
  const { status } = object
  const completedAt = status?.completedAt ?? timestampAt(report?.seenAtMs ?? 0)
  const message = 'the provider keeps it; whether it can be restored is shown by a Database that begins with it'
  const words = { reason: 'NotRequested', message }
  const completed = {
    reason: 'Completed',
    message: `a snapshot of ${observed.sizeBytes / 2 ** 30} GiB, taken at ${observed.takenAt}`,
  }
  return {
    fields: {
      ...fieldsOf(input),
      phase: 'Completed',
      ...artifactOf(facts, observed),
      ...{ completedAt, lastSuccessTime: completedAt },
    },
    conditions: [
      ...(isOver(outcome) ? readiness('done', words) : []),
      claim('Completed', 'True', completed),
      claim('Verified', 'False', words),
    ],
    events: eventsOf(object, 'Normal', completed),
  }
}

function artifactOf(
  { snapshot }: ProviderFacts,
  { arn, sizeBytes, engineVersion, takenAt, source }: ObservedSnapshot,
): Pick<BackupStatus, 'artifact' | 'source'> {
  const { databaseUID = '', systemIdentifier = '' } = source ?? snapshot ?? {}
  return {
    artifact: { uri: arn, bytes: sizeBytes, format: snapshotFormat },
    source: { databaseUID, systemIdentifier, serverVersion: engineVersion, snapshotTime: takenAt },
  }
}

function lost(input: ProviderStatusInput, { reason, message, state }: SnapshotReport): StatusReport<BackupStatus> {
  const { artifact, source, ...rest } = fieldsOf(input)
  // Credentials of another account find no snapshot either, so the record stays.
  const was = artifact === undefined || source === undefined ? {} : { artifact, source }
  const fields = state === 'vanished' ? { ...rest, ...was } : rest
  const words = { reason, message }
  return {
    fields: { ...fields, phase: 'Failed', error: message },
    conditions: [...(isOver(input.outcome) ? readiness('stalled', words) : []), claim('Completed', 'False', words)],
    events: eventsOf(input.object, 'Warning', words),
  }
}

function underWay(input: ProviderStatusInput): StatusReport<BackupStatus> {
  const { object, outcome } = input
  const fields = fieldsOf(input)
  const words = wordsOf(input)
  const readyClaims = isOver(outcome) ? readiness('underWay', words) : []
  // A complete backup stays complete until an observation shows the contrary.
  if (fields.artifact !== undefined) {
    const before = conditionOf(object, 'Completed')
    const verified = conditionOf(object, 'Verified')
    return {
      fields,
      conditions: [
        ...readyClaims,
        ...(before === undefined ? [] : [claim('Completed', before.status, before)]),
        ...(verified === undefined ? [] : [claim('Verified', verified.status, verified)]),
      ],
    }
  }
  const lateAtMs = lateAt(object)
  return {
    fields: { ...fields, phase: lateAtMs === undefined ? 'Pending' : 'Running' },
    conditions: [...readyClaims, claim('Completed', 'Unknown', words)],
    ...(lateAtMs === undefined ? {} : { dueAtMs: [lateAtMs] }),
  }
}

function wordsOf({ object, facts, report, outcome }: ProviderStatusInput): ReasonAndMessage {
  if (facts.problem !== undefined) return facts.problem
  if (report === undefined || report.state === 'blocked') {
    return { reason: 'SnapshotStarting', message: 'the provider is about to be asked for it' }
  }
  const { reason, message, state } = report
  if (state === 'failed') return { reason, message }
  const isLate = outcome.kind === 'waiting' && (report.seenAtMs ?? 0) >= (lateAt(object) ?? Number.POSITIVE_INFINITY)
  if (!isLate) return { reason: 'Saving', message }
  const late = `it takes longer than spec.deadline, ${object.spec.deadline}, and is waited for`
  return { reason: 'DeadlineExceeded', message: `${late}: ${message}` }
}

/** Returns the deadline, milliseconds since the epoch. Undefined before the request to the provider. */
function lateAt({ spec, status }: BackupObject): number | undefined {
  const startedAt = status?.startedAt ?? requestedAt(status)
  return startedAt === undefined ? undefined : Date.parse(startedAt) + (durationMs(spec.deadline) ?? 0)
}

/** Returns the reported fields, and newly known ones. */
function fieldsOf({ object, facts }: ProviderStatusInput): StatusReport<BackupStatus>['fields'] {
  const { error: _, ...fields } = remembered(object)
  const startedAt = requestedAt(object.status)
  return {
    ...fields,
    ...(facts.snapshot === undefined ? {} : { snapshot: facts.snapshot }),
    ...(fields.startedAt !== undefined || startedAt === undefined ? {} : { startedAt }),
  }
}

function requestedAt(status: BackupStatus | undefined): string | undefined {
  return status?.external?.find(({ name }) => name === recordName)?.requestedAt
}

/** False for a failed reconcile: the runtime's own message says more then. */
function isOver({ kind }: Outcome): boolean {
  return kind === 'settled' || kind === 'waiting'
}

/** Returns an Event if the reason is new, so that it is reported once. */
function eventsOf(
  object: BackupObject,
  type: EventReport['type'],
  { reason, message }: ReasonAndMessage,
): readonly EventReport[] {
  if (conditionOf(object, 'Completed')?.reason === reason) return []
  return [{ type, reason, action: 'Backup', note: message }]
}

function conditionOf({ status }: BackupObject, type: string) {
  return findCondition(status?.conditions, type)
}

function withDue(report: StatusReport<BackupStatus>, dueAtMs: number | undefined): StatusReport<BackupStatus> {
  return dueAtMs === undefined ? report : { ...report, dueAtMs: [...(report.dueAtMs ?? []), dueAtMs] }
}
