// State of a migration: phase, reason and message. Markers take precedence over the last worker's report, which takes
// precedence over obstacles to a worker. Pure.
import type { MigrationStatus } from '../../../imports/wire/migration.ts'
import type { ExternalReport } from '../../index.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { MigrationObject } from './desired-worker.ts'
import type { ObservedMarks } from './mark-driver.ts'
import { decisionBy, isRemovedAtOnce, leftBehind, type MigrationFacts } from './migration-facts.ts'
import type { Decision } from './migration-plan.ts'
import type { PreBackup } from './pre-backup.ts'
import type { WorkerReport } from './worker-report.ts'
import { isFinal, type WorkerRun } from './worker-run.ts'

export type MarkReport = ExternalReport<ObservedMarks> | undefined

export interface MigrationState {
  readonly phase: NonNullable<MigrationStatus['phase']>
  readonly reason: string
  readonly message: string
  /** `stalled` requires a change by a user; `underWay` only takes time. */
  readonly kind: 'done' | 'stalled' | 'underWay'
  readonly step?: string | undefined
  readonly lockHolder?: string | undefined
}

export function migrationState(object: MigrationObject, facts: MigrationFacts, marks: MarkReport): MigrationState {
  const { problem, order, invalid, run } = facts
  const record = marks?.observed?.record
  if (problem !== undefined) return underWay('Pending', problem.reason, problem.message)
  if (order === undefined || record === undefined) {
    const { reason = 'NotLookedAt', message = 'the marks in the database have not been read yet' } = marks ?? {}
    return underWay('Pending', reason, message)
  }
  const decision = decisionBy(order, record)
  const wrong = invalid === undefined ? undefined : stalled('Failed', invalid.reason, invalid.message)
  const still = standstill(decision) ?? wrong
  if (still !== undefined) {
    const left = leftBehind(order, record)
    const isSuspended = object.spec.suspend === true
    const until = `these steps are ${decision.kind === 'awaitApproval' ? 'approved' : 'put right'} or taken back`
    const rest = isRemovedAtOnce(decision, left) ? removalText(left, run, isSuspended) : keptText(record, until)
    return { ...still, message: `${still.message}${rest}` }
  }
  if (run.kind === 'ended') return ended(run.report, { isDone: decision.kind === 'done' })
  const kept = keptText(record, 'steps go on')
  if (facts.before !== undefined) return preBackupState(object, facts.before, kept)
  if (object.spec.suspend === true)
    return underWay('Pending', 'Suspended', `spec.suspend is true, so no step is begun${kept}`)
  if (run.kind === 'none' && facts.isUnreviewed) return underWay('Pending', 'Reviewing', reviewingText)
  if (run.kind === 'none') return underWay('Pending', 'WorkerStarting', 'a worker is being started')
  return atWork(decision, run.last)
}

export const reviewingText = 'the review of the steps waits for its turn or is under way; no step begins before it'

function preBackupState(
  { metadata: { namespace } }: MigrationObject,
  { backup, standing }: PreBackup,
  kept: string,
): MigrationState {
  const it = `Backup ${namespace}/${backup.name}`
  if (standing.kind === 'failed') {
    const way = `delete ${it} to have another made, or leave spec.preBackup out`
    return stalled('Failed', 'BackupFailed', `the backup before the steps failed; ${way} (${standing.message})${kept}`)
  }
  const why = standing.kind === 'underWay' ? ` (${standing.message})` : ''
  const asked = backup.proof === 'None' ? 'complete' : 'verified'
  return underWay('Pending', 'BackupPending', `no step is begun before ${it} is ${asked}${why}${kept}`)
}

/** Returns the state if the markers alone show that the migration cannot continue. */
function standstill(decision: Decision): MigrationState | undefined {
  switch (decision.kind) {
    case 'refuse':
      return { ...stalled('Failed', decision.reason, decision.message), step: decision.step }
    case 'failed': {
      const { step, failure } = decision
      return { ...stalled('Failed', 'StepFailed', failureText(step, failure.sqlState, failure.message)), step }
    }
    case 'awaitApproval': {
      const message = `annotate it with data.konverge.dev/approve=${decision.plan} to have these steps run`
      return stalled('AwaitingApproval', 'AwaitingApproval', message)
    }
    default:
      return undefined
  }
}

function ended(report: WorkerReport, { isDone }: { readonly isDone: boolean }): MigrationState {
  const { outcome, reason = outcome, message = '', step, sqlState, holder } = report
  if (outcome === 'Completed') {
    if (!isDone)
      return underWay('Running', 'StepsMissing', 'steps that were applied are not any more; they are applied again')
    return {
      phase: 'Completed',
      reason: 'AllStepsVerified',
      message: 'every step is applied, and verified where it says how',
      kind: 'done',
    }
  }
  if (!isFinal(report)) {
    const again = `${message}; another worker is started in a few minutes`
    return { ...underWay('Pending', reason, again), lockHolder: holder }
  }
  if (outcome === 'Failed' || outcome === 'RehearsalFailed') {
    const word = outcome === 'Failed' ? 'StepFailed' : outcome
    return { ...stalled('Failed', word, failureText(step ?? '', sqlState, message)), step }
  }
  return { ...stalled('Failed', reason, message), step }
}

function atWork(decision: Decision, last: WorkerReport | undefined): MigrationState {
  // The end of its Job soon follows a Completed report.
  if (last !== undefined && last.outcome !== 'Completed') {
    const { outcome, reason = outcome, message = 'the last try was interrupted', holder } = last
    return { ...underWay('Running', reason, message), lockHolder: holder }
  }
  switch (decision.kind) {
    case 'run':
    case 'adopt':
      return {
        ...underWay('Running', 'Applying', `step ${decision.attempt.step.name}`),
        step: decision.attempt.step.name,
      }
    case 'undo':
      return { ...underWay('Running', 'Undoing', `step ${decision.step.name}`), step: decision.step.name }
    default:
      return underWay('Verifying', 'Verifying', 'every step is applied; those that say how are verified')
  }
}

/** Describes the removal of replications, and the reason for a delay. */
function removalText(left: readonly RecordedStep[], run: WorkerRun, isSuspended: boolean): string {
  const it = `; what follows by replication for ${left.map(({ name }) => name).join(', ')}`
  if (isSuspended) return `${it} is removed once spec.suspend is false`
  const last = run.kind === 'ended' ? run.report : run.kind === 'active' ? run.last : undefined
  const why = last === undefined || isFinal(last) ? '' : ` (${last.message ?? 'the last try was interrupted'})`
  return `${it} is being removed${why}`
}

/** Describes replications that continue without a worker, and so retain WAL at the source. */
function keptText(record: readonly RecordedStep[], until: string): string {
  const following = record.filter(({ followed }) => followed !== undefined)
  if (following.length === 0) return ''
  const which = following.map(({ name, followed }) => `${name} (from Database ${followed})`).join(', ')
  return `; what follows by replication for ${which} is kept, and its slot keeps the log there, until ${until}`
}

export function failureText(step: string, sqlState: string | undefined, message: string): string {
  return `step ${step}: ${sqlState === undefined ? '' : `${sqlState} `}${message}`
}

/** Returns the recorded steps that are in effect. */
export function appliedIn(record: readonly RecordedStep[]): readonly RecordedStep[] {
  return record.filter(({ state }) => isInEffect(state))
}

/** `state`: of a marker or of a step in the status. A step whose rollback failed is still in effect. */
export function isInEffect(state: string | undefined): boolean {
  return state === 'Applied' || state === 'Adopted' || state === 'UndoFailed'
}

function underWay(phase: MigrationState['phase'], reason: string, message: string): MigrationState {
  return { phase, reason, message, kind: 'underWay' }
}

function stalled(phase: MigrationState['phase'], reason: string, message: string): MigrationState {
  return { phase, reason, message, kind: 'stalled' }
}
