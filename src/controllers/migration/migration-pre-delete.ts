// Pre-delete work of a Migration: a worker removes its replications from both servers. An abandoned slot would retain
// WAL until the disk is full. The status records that the work is done. Pure.
import { abandonAnnotation, isAbandoned, isOf, Job, type LiveObject } from '../../index.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import { jobCondition } from '../worker/job-words.ts'
import type { DesiredWorker, MigrationObject } from './desired-worker.ts'
import type { Place, Problem } from './migration-place.ts'
import { exitCodeOf } from './worker-report.ts'
import type { WorkerRun } from './worker-run.ts'

/** Logical copy that may have parts at its source and at the target. */
export interface Followed {
  readonly step: string
  /** The Database: `namespace/name`. */
  readonly source: string
  /** Name of its parts on both servers, if known. */
  readonly replication: string | undefined
}

export type PreDeleteFacts =
  /** No work, or no more work. */
  | { readonly kind: 'free'; readonly abandoned: readonly Followed[] }
  | { readonly kind: 'worker'; readonly worker: Omit<DesiredWorker, 'isWanted'>; readonly run: WorkerRun }
  /** Blocked by a problem that a user must solve, or that resolves itself. */
  | { readonly kind: 'held'; readonly message: string }

/** Delay after which another worker replaces an unsuccessful one. */
const againAfterMs = 600_000

export function followedBy(
  { spec, status, metadata }: MigrationObject,
  { record, children }: { readonly record: readonly RecordedStep[]; readonly children: readonly LiveObject[] },
): readonly Followed[] {
  const { namespace: home = 'default' } = metadata
  const known = new Map<string, Followed>()
  // A running worker may have started copies whose markers were not observed yet.
  if (children.some((child) => isOf(Job, child) && jobCondition(child, 'Complete') === undefined)) {
    for (const { name: step, copy } of spec.steps) {
      const state = status?.steps?.find(({ name }) => name === step)?.state
      const isApplied = state === 'Applied' || state === 'Adopted'
      if (copy?.mode === 'Logical' && !isApplied) {
        known.set(step, { step, source: `${home}/${copy.from.name}`, replication: undefined })
      }
    }
  }
  for (const { name: step, followed: source } of record) {
    if (source !== undefined) known.set(step, { step, source, replication: undefined })
  }
  for (const { name: step, source, replication } of status?.steps ?? []) {
    if (source !== undefined) known.set(step, { step, source, replication })
  }
  return [...known.values()]
}

/** Returns whether the deletion may proceed: no replication, work done, or abandoned by annotation. */
export function isFree(object: MigrationObject, followed: readonly Followed[]): boolean {
  return followed.length === 0 || object.status?.phase === 'Parted' || isAbandoned(object)
}

/** Returns the attempt number of a pre-delete worker from the time since the deletion; the first is 1. */
export function preDeleteAttempt({ metadata }: MigrationObject, nowMs: number): number {
  const sinceMs = nowMs - Date.parse(metadata.deletionTimestamp ?? '')
  return 1 + Math.max(0, Math.floor(sinceMs / againAfterMs) || 0)
}

export function heldBy(problem: Problem, followed: readonly Followed[]): PreDeleteFacts {
  return { kind: 'held', message: `${leftText(followed)} ${wayOut(problem.message)}` }
}

/** Returns the worker's reported problem that blocks the deletion; undefined if there is no report or no problem. */
export function preDeleteProblem(run: WorkerRun): Problem | undefined {
  const report = run.kind === 'ended' ? run.report : run.kind === 'active' ? run.last : undefined
  if (report === undefined || report.outcome === 'Completed') return undefined
  const { outcome, reason = outcome, message = 'the worker was interrupted' } = report
  return { kind: exitCodeOf(report) === 2 ? 'refused' : 'waiting', reason, message: wayOut(message) }
}

/** Returns the leftovers with their locations, for a removal by hand. */
export function leftText(followed: readonly Followed[]): string {
  const parts = followed.map(({ step, source, replication }) => {
    const name = replication === undefined ? '' : ` ${replication}`
    return `step ${step} follows Database ${source}: its slot, publication and login${name} are there, and its subscription at the target`
  })
  return `${parts.join('; ')}.`
}

function wayOut(message: string): string {
  return `${message}; the source keeps its log for as long as the slot is there: make that right, or drop by hand what is left and let the Migration go with the annotation ${abandonAnnotation}: "true"`
}

/** Returns the reachable places, in the order of their folders. */
export function reached(places: readonly (Place | Problem)[]): readonly Place[] {
  return places.flatMap((place) => (place.kind === 'place' ? [place] : []))
}
