// Status of a migration: its steps from the applied markers, a phase, and a condition for each result that users wait
// for. While the markers cannot be read, their last reported state stays. Pure.
import type { MigrationSpec, MigrationStatus } from '../../../imports/wire/migration.ts'
import {
  type ConditionClaim,
  type EventReport,
  findCondition,
  isBeingDeleted,
  type StatusContext,
  type StatusReport,
} from '../../index.ts'
import type { CopyStep, MigrationStep } from '../engines/migration-step.ts'
import { replicationId } from '../engines/postgres/migration/follow-plan.ts'
import { partName } from '../engines/postgres/replication/replication-names.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import { cutoverAnnotation, type MigrationObject, migrationName } from './desired-worker.ts'
import type { MigrationFacts } from './migration-facts.ts'
import { leftText, type PreDeleteFacts, preDeleteProblem } from './migration-pre-delete.ts'
import {
  appliedIn,
  failureText,
  type MarkReport,
  type MigrationState,
  migrationState,
  reviewingText,
} from './migration-state.ts'
import { isRepeatRequested } from './rejected-review.ts'
import { planHash } from './step-digest.ts'

type Context = StatusContext<MigrationSpec, MigrationStatus, MigrationFacts>
type Fields = StatusReport<MigrationStatus>['fields']
type StepStatus = NonNullable<MigrationStatus['steps']>[number]

export function migrationStatus(context: Context, marks: MarkReport): StatusReport<MigrationStatus> {
  const { facts, outcome } = context
  const object = context.object as MigrationObject // Its definition requires a spec.
  if (facts?.parting !== undefined) return preDeleteStatus(object, facts.parting)
  if (facts === undefined || isBeingDeleted(object)) return { fields: remembered(object), conditions: [] }
  const standing = migrationState(object, facts, marks)
  const record = marks?.observed?.record
  // After a failed reconcile, the runtime's own conditions say more.
  const isOver = outcome.kind === 'settled' || outcome.kind === 'waiting'
  const conditions = [
    ...(isOver ? readiness(standing) : []),
    ...schemaValidated(object, { facts, standing, record }),
    ...dataCopied(facts, record),
    ...completed(facts, standing, record),
  ]
  return {
    fields: fieldsOf(object, { facts, standing, record }),
    conditions,
    events: eventsOf(object, standing),
    dueAtMs: [facts.againAtMs, facts.reviewAgainAtMs].filter((ms) => ms !== undefined),
  }
}

/** Returns the status of a Migration that is being deleted. The deletion waits until no replication is left. */
function preDeleteStatus(object: MigrationObject, parting: PreDeleteFacts): StatusReport<MigrationStatus> {
  const fields = remembered(object)
  const parted = { ...fields, phase: 'Parted' as const }
  const report = (trouble: string, kind: MigrationState['kind'] = 'stalled') => ({
    fields: { ...fields, phase: 'Parting' as const },
    conditions: readiness({ phase: 'Parting', kind, reason: 'ReplicationLeft', message: trouble }),
  })
  switch (parting.kind) {
    case 'free': {
      const isTold = parting.abandoned.length === 0 || object.status?.phase === 'Parted'
      if (isTold) return { fields, conditions: [] }
      const note = leftText(parting.abandoned)
      return {
        ...{ fields: parted, conditions: [] },
        events: [{ type: 'Warning', reason: 'ReplicationLeft', action: 'Migrate', note }],
      }
    }
    case 'held':
      return report(parting.message)
    case 'worker': {
      const { run } = parting
      // The runtime writes a changed condition at once, and the deletion waits for it.
      if (run.kind === 'ended' && run.report.outcome === 'Completed') {
        return { fields: parted, conditions: [claim('Completed', 'False', 'Parted', 'nothing follows any more')] }
      }
      const trouble = preDeleteProblem(run)
      if (trouble === undefined) return { fields: { ...fields, phase: 'Parting' }, conditions: [] }
      return report(trouble.message, trouble.kind === 'refused' ? 'stalled' : 'underWay')
    }
  }
}

function readiness({ kind, reason, message }: MigrationState): readonly ConditionClaim[] {
  switch (kind) {
    case 'done':
      return [claim('Ready', 'True', reason, message)]
    case 'underWay':
      return [claim('Ready', 'False', reason, message), claim('Progressing', 'True', reason, message)]
    case 'stalled':
      return [
        claim('Ready', 'False', reason, message),
        claim('Progressing', 'False', 'Stalled', 'nothing goes on until somebody changes something'),
        claim('Degraded', 'True', reason, message),
        claim('Stalled', 'True', reason, message),
      ]
  }
}

/** Reasons that require a change of the steps themselves. */
const schemaReasons: readonly string[] = ['SourceMissing', 'SourceChanged', 'RehearsalFailed']

function schemaValidated(
  { metadata, status }: MigrationObject,
  { facts, standing: { reason, message }, record }: ReportedSteps,
): readonly ConditionClaim[] {
  const { invalid, problem, isUnreviewed } = facts
  if (invalid !== undefined) return [claim('SchemaValidated', 'False', invalid.reason, invalid.message)]
  if (schemaReasons.includes(reason)) return [claim('SchemaValidated', 'False', reason, message)]
  if (problem !== undefined || record === undefined) return []
  if (isUnreviewed) {
    const former = findCondition(status?.conditions, 'SchemaValidated')
    // An earlier process of the operator has reviewed the same steps.
    const isKnown = former !== undefined && former.observedGeneration === metadata.generation
    return [isKnown ? former : claim('SchemaValidated', 'Unknown', 'Reviewing', reviewingText)]
  }
  return [claim('SchemaValidated', 'True', 'Parsed', "every step that is to run is read by PostgreSQL's own grammar")]
}

function dataCopied({ order }: MigrationFacts, record: readonly RecordedStep[] | undefined): readonly ConditionClaim[] {
  const copies = order?.steps.filter((step) => step.kind === 'Copy') ?? []
  if (copies.length === 0 || record === undefined) return []
  const marks = copies.map(({ name }) => record.find((mark) => mark.name === name))
  const rows = marks.reduce((sum, mark) => sum + (mark?.rowsCopied ?? 0), 0)
  const failed = marks.find((mark) => mark?.state === 'Failed')
  if (failed !== undefined) {
    const message = failureText(failed.name, failed.failure?.sqlState, failed.failure?.message ?? '')
    return [claim('DataCopied', 'False', 'CopyFailed', message)]
  }
  const following = copies.find((step) => step.mode === 'Logical' && isFollowing(step, record))
  if (following !== undefined) {
    const message = `step ${following.name} follows its source; stop the writers there, then annotate this with ${cutoverAnnotation}=${following.name}`
    return [claim('DataCopied', 'False', 'Following', message)]
  }
  const isCopied = appliedIn(marks.flatMap((mark) => mark ?? [])).length === copies.length
  return isCopied
    ? [claim('DataCopied', 'True', 'Copied', `${rows} rows are copied, and compared`)]
    : [claim('DataCopied', 'False', 'Copying', `${rows} rows are copied so far`)]
}

/** Returns whether all rows were copied once, so that only later changes replicate. */
function isFollowing({ name, isCutOver }: CopyStep, record: readonly RecordedStep[]): boolean {
  const mark = record.find((one) => one.name === name)
  if (isCutOver === true || mark?.state !== 'Running') return false
  return mark.rowsCopied !== undefined && mark.hasWatermark !== true
}

function completed(
  { problem }: MigrationFacts,
  { kind, reason, message }: MigrationState,
  record: readonly RecordedStep[] | undefined,
): readonly ConditionClaim[] {
  if (problem !== undefined || record === undefined) return []
  return [claim('Completed', kind === 'done' ? 'True' : 'False', reason, message)]
}

interface ReportedSteps {
  readonly facts: MigrationFacts
  readonly standing: MigrationState
  readonly record: readonly RecordedStep[] | undefined
}

function fieldsOf(object: MigrationObject, { facts, standing, record }: ReportedSteps): Fields {
  const { phase, step, lockHolder } = standing
  const { order } = facts
  if (order === undefined || record === undefined) return { ...remembered(object), phase }
  const { systemIdentifier, database } = facts.target ?? {}
  const applied = appliedIn(record.filter(({ name }) => order.steps.some((one) => one.name === name)))
  const [appliedAt] = applied
    .flatMap(({ finishedAt }) => finishedAt ?? [])
    .toSorted((left, right) => (left < right ? 1 : -1))
  return {
    ...{ phase, planHash: planHash(order.steps), progress: `${applied.length}/${order.steps.length}` },
    ...(step === undefined ? {} : { currentStep: step }),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(lockHolder === undefined ? {} : { lockHolder }),
    ...rejectionOf(object, facts),
    steps: reportedSteps(order.steps, record).map((name) =>
      stepStatus(name, {
        mark: record.find((one) => one.name === name),
        site: systemIdentifier === undefined ? undefined : `${systemIdentifier}/${database}`,
        migration: migrationName(object),
      }),
    ),
  }
}

function rejectionOf(object: MigrationObject, { invalid, isUnreviewed }: MigrationFacts): Fields {
  const former = object.status?.rejectedReview
  // A request for another review drops the rejection at once; the review may end several reconciles later.
  if (isUnreviewed) return former === undefined || isRepeatRequested(object) ? {} : { rejectedReview: former }
  const { digest, reason, message } = invalid ?? {}
  if (digest === undefined || reason === undefined || message === undefined) return {}
  return { rejectedReview: { digest, reason, message } }
}

/** Returns the names of the steps. Removed steps stay while they have a replication, which upgrades must wait for. */
function reportedSteps(steps: readonly MigrationStep[], record: readonly RecordedStep[]): readonly string[] {
  const following = record.filter(({ followed }) => followed !== undefined)
  return [...new Set([...steps, ...following].map(({ name }) => name))]
}

interface StepPlace {
  readonly mark: RecordedStep | undefined
  /** Identity of the database among all servers: `<system identifier>/<database>`. */
  readonly site: string | undefined
  readonly migration: string
}

function stepStatus(name: string, { mark, site, migration }: StepPlace): StepStatus {
  if (mark === undefined) return { name, state: 'Pending' }
  const { state, checksum, attempts, startedAt, finishedAt, rowsCopied, failure, followed: source } = mark
  return {
    ...{ name, state, checksum, attempts },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(rowsCopied === undefined ? {} : { rowsCopied }),
    ...(source === undefined ? {} : { source }),
    ...(source === undefined || site === undefined
      ? {}
      : { replication: partName(replicationId({ site, migration }, { step: name, source })) }),
    ...(failure?.sqlState === undefined ? {} : { sqlState: failure.sqlState }),
    ...(failure === undefined ? {} : { message: failure.message }),
  }
}

/** Returns the status fields from the last read of the markers. */
function remembered({ status }: MigrationObject): Fields {
  const { phase, planHash: hash, progress, currentStep, appliedAt, lockHolder, steps, rejectedReview } = status ?? {}
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(hash === undefined ? {} : { planHash: hash }),
    ...(progress === undefined ? {} : { progress }),
    ...(currentStep === undefined ? {} : { currentStep }),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(lockHolder === undefined ? {} : { lockHolder }),
    ...(steps === undefined ? {} : { steps }),
    ...(rejectedReview === undefined ? {} : { rejectedReview }),
  }
}

/** Returns an event if the reason has changed, unless work continues. */
function eventsOf({ status }: MigrationObject, { kind, reason, message }: MigrationState): readonly EventReport[] {
  const before = findCondition(status?.conditions, 'Ready')?.reason
  if (before === reason || kind === 'underWay') return []
  return [{ type: kind === 'done' ? 'Normal' : 'Warning', reason, action: 'Migrate', note: message }]
}

function claim(type: string, status: ConditionClaim['status'], reason: string, message: string): ConditionClaim {
  return { type, status, reason, message }
}
