// What has to be done before a Migration may go? A copy that follows its source is taken away from both sides by a worker, as the slot of
// one that nobody reads has its server keep its log until the disk is full. That it is done is said by the status. Pure.
import { abandonAnnotation, isAbandoned, isOf, Job, type LiveObject } from '../../index.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import { jobCondition } from '../worker/job-words.ts'
import type { DesiredWorker, MigrationObject } from './desired-worker.ts'
import type { Place, Problem } from './migration-place.ts'
import { exitCodeOf } from './worker-report.ts'
import type { WorkerRun } from './worker-run.ts'

/** A copy of which something may be at its source, and at the target. */
export interface Followed {
  readonly step: string
  /** The Database: `namespace/name`. */
  readonly source: string
  /** What its parts are called on both servers, if that is known. */
  readonly replication: string | undefined
}

export type PreDeleteFacts =
  /** Nothing is to be done, or any more. */
  | { readonly kind: 'free'; readonly abandoned: readonly Followed[] }
  | { readonly kind: 'worker'; readonly worker: Omit<DesiredWorker, 'isWanted'>; readonly run: WorkerRun }
  /** Nobody can do it until somebody changes something, or time does. */
  | { readonly kind: 'held'; readonly message: string }

/** A worker that came to no end is followed by another one after so long. */
const againAfterMs = 600_000

export function followedBy(
  { spec, status, metadata }: MigrationObject,
  { record, children }: { readonly record: readonly RecordedStep[]; readonly children: readonly LiveObject[] },
): readonly Followed[] {
  const { namespace: home = 'default' } = metadata
  const known = new Map<string, Followed>()
  // A worker that is at it may have begun what was not seen yet.
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

/** Its consent is given, or it was done, or there was nothing. */
export function isFree(object: MigrationObject, followed: readonly Followed[]): boolean {
  return followed.length === 0 || object.status?.phase === 'Parted' || isAbandoned(object)
}

/** Which try of a worker it is, by the time since the deletion. */
export function preDeleteAttempt({ metadata }: MigrationObject, nowMs: number): number {
  const sinceMs = nowMs - Date.parse(metadata.deletionTimestamp ?? '')
  return 1 + Math.max(0, Math.floor(sinceMs / againAfterMs) || 0)
}

export function heldBy(problem: Problem, followed: readonly Followed[]): PreDeleteFacts {
  return { kind: 'held', message: `${leftText(followed)} ${wayOut(problem.message)}` }
}

/** What a worker said that keeps the Migration; undefined: nothing, or it is at work. */
export function preDeleteProblem(run: WorkerRun): Problem | undefined {
  const report = run.kind === 'ended' ? run.report : run.kind === 'active' ? run.last : undefined
  if (report === undefined || report.outcome === 'Completed') return undefined
  const { outcome, reason = outcome, message = 'the worker was interrupted' } = report
  return { kind: exitCodeOf(report) === 2 ? 'refused' : 'waiting', reason, message: wayOut(message) }
}

/** What is left, and where, for people who have to remove it by hand. */
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

/** Those that can be reached, in the order of their folders. */
export function reached(places: readonly (Place | Problem)[]): readonly Place[] {
  return places.flatMap((place) => (place.kind === 'place' ? [place] : []))
}
