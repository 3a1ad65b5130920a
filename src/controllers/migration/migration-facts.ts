// Facts of a migration: decides from loaded state whether a worker is needed, and when to observe again. Pure.
// Invariant: facts contain credentials, and stay in memory (I11).
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import { type Finding, findingsText } from '../engines/step-review.ts'
import type { DesiredWorker } from './desired-worker.ts'
import type { ObservedMarks } from './mark-driver.ts'
import type { Problem } from './migration-place.ts'
import { type Decision, decide, keptSteps, type MigrationOrder } from './migration-plan.ts'
import type { PreDeleteFacts } from './migration-pre-delete.ts'
import type { PreBackup } from './pre-backup.ts'
import { isFinal, type WorkerRun } from './worker-run.ts'

export interface MigrationFacts {
  /** Reason that the database cannot be used; then nothing else is known, and existing workers stay. */
  readonly problem?: Problem
  readonly target?: {
    readonly access: ServerAccess
    readonly database: string
    readonly systemIdentifier: string | undefined
  }
  /** Order for which markers are read. */
  readonly order?: MigrationOrder
  /** Findings that no open step may have. */
  readonly invalid?: Invalid
  /** No review of the open steps is complete. The condition of a former review stays. */
  readonly isUnreviewed?: true
  /** Time to ask again for a review that is queued or running; milliseconds since the epoch. */
  readonly reviewAgainAtMs?: number
  readonly worker?: DesiredWorker
  readonly run: WorkerRun
  /** Time at which the report of an ended run expires, so that another run starts; milliseconds since the epoch. */
  readonly againAtMs?: number
  /** Change of the worker since markers were last read. */
  readonly occasion: string
  /** Backup that must exist before the first step. */
  readonly before?: PreBackup
  /** Names of existing Jobs and their orders. */
  readonly kept: readonly string[]
  /** Pre-delete work of a Migration that is being deleted. */
  readonly parting?: PreDeleteFacts
}

export interface Invalid {
  /** Code of the first finding. */
  readonly reason: string
  readonly message: string
  /** Digest of steps whose review exceeded a limit. It is not repeated for them. */
  readonly digest?: string
}

/** Delay after a run that failed for a temporary reason. */
const againAfterMs = 300_000
/** Interval of reading markers while a worker runs. */
const watchMs = 15_000

/** Decision from the markers alone. Only workers run verification queries; here each of them counts as satisfied. */
export function decisionBy(order: MigrationOrder, record: readonly RecordedStep[]): Decision {
  return decide(order, { marks: record, verified: new Map(order.steps.map(({ name }) => [name, true])) })
}

export interface WantedInput {
  readonly order: MigrationOrder
  readonly seen: ObservedMarks | undefined
  readonly run: WorkerRun
  /** If false, no worker starts a step; a running worker continues. */
  readonly isReviewed: boolean
  readonly invalid: Invalid | undefined
  readonly occasion: string
  readonly nowMs: number
}

/** Replicating copies that no step continues. A worker removes them before it starts a step. */
export function leftBehind({ steps }: MigrationOrder, record: readonly RecordedStep[]): readonly RecordedStep[] {
  const kept = keptSteps(steps, record)
  return record.filter(
    ({ name, checksum, followed }) =>
      followed !== undefined && !kept.some((step) => step.name === name && step.checksum === checksum),
  )
}

/**
 * True for failed steps without further work. A changed step could be changed back, and its replication would continue.
 */
export function isRemovedAtOnce({ kind }: Decision, left: readonly RecordedStep[]): boolean {
  return kind === 'failed' && left.length > 0 && left.every(({ state }) => state === 'Failed')
}

/**
 * Each order gets one worker; another one if the markers contradict the last report, or if a failed step left a
 * replication.
 */
export function isWorkerWanted({ order, seen, run, isReviewed, invalid, occasion, nowMs }: WantedInput): boolean {
  if (seen === undefined) return invalid === undefined && run.kind !== 'none'
  const decision = decisionBy(order, seen.record)
  const areStepsValid = invalid === undefined && (isReviewed || run.kind !== 'none')
  const mayBegin = areStepsValid && decision.kind !== 'refuse' && decision.kind !== 'awaitApproval'
  const isToRemove = isRemovedAtOnce(decision, leftBehind(order, seen.record))
  if (!(mayBegin || isToRemove)) return false
  if (run.kind === 'active') return true
  if (run.kind === 'none') return isToRemove || decision.kind !== 'failed'
  // An end in the future comes from a clock that was wrong.
  if (!isFinal(run.report)) return Math.abs(nowMs - run.endedAtMs) < againAfterMs
  const { outcome, reason } = run.report
  const isOfMarks = outcome === 'Completed' || (outcome === 'Failed' && reason !== 'VerifyFailed')
  const isContradicted = isOfMarks && decision.kind !== 'done' && decision.kind !== 'failed'
  // An observation before the end of the run does not contradict its report.
  return !(isContradicted && seen.occasion === occasion)
}

export function againAtMs(run: WorkerRun): number | undefined {
  return run.kind === 'ended' && !isFinal(run.report) ? run.endedAtMs + againAfterMs : undefined
}

export function occasionOf(run: WorkerRun, worker: string, nowMs: number): string {
  if (run.kind === 'active') return `${worker} at ${Math.floor(nowMs / watchMs)}`
  return run.kind === 'ended' ? `${worker} ended at ${run.endedAtMs}` : 'none'
}

/** Undefined if the open steps have no findings. `digest`: digest of the reviewed steps. */
export function invalidIn(findings: readonly Finding[], digest: string): Invalid | undefined {
  const [first] = findings
  return first === undefined
    ? undefined
    : {
        ...(findings.some(({ code }) => code === 'StepTooComplex') ? { digest } : {}),
        reason: first.code,
        message: findingsText(findings),
      }
}
