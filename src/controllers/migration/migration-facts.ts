// What must be known before a worker is started, or judged? From what was loaded, whether there is to be one, and when to look again. Pure.
// Facts hold credentials, and stay in memory (I11).
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import { type Finding, findingsText } from '../engines/step-review.ts'
import type { ObservedMarks } from './mark-driver.ts'
import type { PartingFacts } from './migration-parting.ts'
import type { Problem } from './migration-place.ts'
import { type Decision, decide, keptSteps, type MigrationOrder } from './migration-plan.ts'
import type { PreBackup } from './pre-backup.ts'
import { isFinal, type WorkerRun } from './worker-run.ts'
import type { WorkerWish } from './worker-wish.ts'

export interface MigrationFacts {
  /** What keeps it from its database; then nothing else is known, and what is there stays. */
  readonly problem?: Problem
  readonly target?: {
    readonly access: ServerAccess
    readonly database: string
    readonly systemIdentifier: string | undefined
  }
  /** By which marks are read. */
  readonly order?: MigrationOrder
  /** What steps that are not applied yet say that no step may. */
  readonly invalid?: Invalid
  /** Steps are not reviewed before marks are read, nor before it is their turn: what a former review said stays. */
  readonly isUnreviewed?: true
  /** When to ask for the review again that waits for its turn or is under way; milliseconds since the epoch. */
  readonly reviewAgainAtMs?: number
  readonly worker?: WorkerWish
  readonly run: WorkerRun
  /** When a run that ended is forgotten, so that there is another; milliseconds since the epoch. */
  readonly againAtMs?: number
  /** What has happened to the worker since marks were last read. */
  readonly occasion: string
  /** What no step is begun before. */
  readonly before?: PreBackup
  /** Jobs and orders that are there. */
  readonly kept: readonly string[]
  /** What is to be done before it goes, of one that is deleted. */
  readonly parting?: PartingFacts
}

export interface Invalid {
  /** The first finding's. */
  readonly reason: string
  readonly message: string
  /** Of the steps, if their review exceeded a limit: it is not repeated for them. */
  readonly digest?: string
}

/** Who gave up for reasons that may pass has another worker after so long. */
const againAfterMs = 300_000
/** While a worker is at it, marks are read this often. */
const watchMs = 15_000

/** What the marks alone call for. What verifications say only workers ask; for whoever looks at marks they hold. */
export function decisionBy(order: MigrationOrder, record: readonly RecordedStep[]): Decision {
  return decide(order, { marks: record, verified: new Map(order.steps.map(({ name }) => [name, true])) })
}

export interface WantedInput {
  readonly order: MigrationOrder
  readonly seen: ObservedMarks | undefined
  readonly run: WorkerRun
  /** Else no worker begins a step; one that is at it goes on. */
  readonly isReviewed: boolean
  readonly invalid: Invalid | undefined
  readonly occasion: string
  readonly nowMs: number
}

/** What follows its source, and no step goes on with: a worker that may begin something removes it before. */
export function leftBehind({ steps }: MigrationOrder, record: readonly RecordedStep[]): readonly RecordedStep[] {
  const kept = keptSteps(steps, record)
  return record.filter(
    ({ name, checksum, followed }) =>
      followed !== undefined && !kept.some((step) => step.name === name && step.checksum === checksum),
  )
}

/** Of steps that are over, and for which nobody waits. What was changed may be changed back, and then a copy that follows is gone on with. */
export function isRemovedAtOnce({ kind }: Decision, left: readonly RecordedStep[]): boolean {
  return kind === 'failed' && left.length > 0 && left.every(({ state }) => state === 'Failed')
}

/** Each order has a worker once, and another where the marks contradict what the last one said, or where one that failed has left something. */
export function isWorkerWanted({ order, seen, run, isReviewed, invalid, occasion, nowMs }: WantedInput): boolean {
  if (seen === undefined) return invalid === undefined && run.kind !== 'none'
  const decision = decisionBy(order, seen.record)
  const areStepsValid = invalid === undefined && (isReviewed || run.kind !== 'none')
  const mayBegin = areStepsValid && decision.kind !== 'refuse' && decision.kind !== 'awaitApproval'
  const isToRemove = isRemovedAtOnce(decision, leftBehind(order, seen.record))
  if (!(mayBegin || isToRemove)) return false
  if (run.kind === 'active') return true
  if (run.kind === 'none') return isToRemove || decision.kind !== 'failed'
  // One whose end lies ahead was ended by a clock that has been put right since.
  if (!isFinal(run.report)) return Math.abs(nowMs - run.endedAtMs) < againAfterMs
  const { outcome, reason } = run.report
  const isOfMarks = outcome === 'Completed' || (outcome === 'Failed' && reason !== 'VerifyFailed')
  const isContradicted = isOfMarks && decision.kind !== 'done' && decision.kind !== 'failed'
  // What was seen before it ended says nothing against it.
  return !(isContradicted && seen.occasion === occasion)
}

export function againAtMs(run: WorkerRun): number | undefined {
  return run.kind === 'ended' && !isFinal(run.report) ? run.endedAtMs + againAfterMs : undefined
}

export function occasionOf(run: WorkerRun, worker: string, nowMs: number): string {
  if (run.kind === 'active') return `${worker} at ${Math.floor(nowMs / watchMs)}`
  return run.kind === 'ended' ? `${worker} ended at ${run.endedAtMs}` : 'none'
}

/** Undefined: of what is still to run nothing is wrong. `digest`: of the steps that were reviewed. */
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
