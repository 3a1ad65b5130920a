// What has to be done before a Backup may go? Its artifact is removed, where the policy says so, and what workers have left that were killed:
// by other workers, once nobody is at it any more. That this is over is said by the status, and by nothing else. Pure.
import { abandonAnnotation, type InvalidSpec, isAbandoned, isOf, Job, type LiveObject, valueAt } from '../../index.ts'
import type { Place } from '../migration/migration-place.ts'
import { isAtWork } from '../worker/job-words.ts'
import { type BackupObject, type DesiredWork, desiredDiscard, desiredTidy } from './desired-work.ts'
import { scratchName } from './scratch-database.ts'
import { isAtRest, recordedBackup } from './single-facts.ts'
import { isSlotPassed } from './slot-passed.ts'
import { orderedFolder } from './work-order.ts'
import { type WorkRun, workRun } from './work-run.ts'

export interface PreDeleteFacts {
  readonly kind: 'parting'
  /** Has to be done before it goes. */
  readonly discard?: PreDeleteWork
  /** Is tried, and left to people after a while. */
  readonly tidy?: PreDeleteWork
  /** When that is; milliseconds since the epoch. */
  readonly tidyUntilMs?: number
  /** Why no worker may be given the store; the artifact is still to be removed. */
  readonly rejection?: Required<InvalidSpec>
  /** What stays where, as a user abandoned it. */
  readonly abandoned?: string
  /** Pods of workers that were told to end, and are waited for. */
  readonly ending?: readonly string[]
}

export interface PreDeleteWork {
  readonly wish: DesiredWork
  readonly run: WorkRun
  readonly isSuspended: boolean
}

export interface PreDeleteInput {
  readonly object: BackupObject
  /** Of its database, where that can be reached. */
  readonly place: Place | undefined
  readonly children: readonly LiveObject[]
  readonly pods: readonly LiveObject[]
  /** Which of the pods are a Job's. */
  readonly isPodOf: (pod: LiveObject, job: string) => boolean
  readonly nowMs: number
}

/** What a worker could not remove, as it is locked or the store does not answer, another one is asked to remove after so long. */
const againAfterMs = 3_600_000
/** A worker may never be started: its node is gone, or its Secret. */
const tidyForMs = 300_000

export function preDeleteFacts(input: PreDeleteInput): PreDeleteFacts {
  const { object, place, children, nowMs } = input
  const { spec, status, metadata } = object
  // One that came back after its slot has made nothing: what it tells of is its former self's, and may be a good backup.
  const folder = isSlotPassed(object) ? undefined : (status?.folder ?? folderIn(children))
  if (folder === undefined || status?.phase === 'Discarded') return { kind: 'parting' }
  if (isAbandoned(object)) return { kind: 'parting', abandoned: abandonedText(object, folder) }
  const isDiscarded = spec.artifactPolicy === 'Delete'
  const deletedMs = Date.parse(metadata.deletionTimestamp ?? '')
  const attempt = Math.max(0, Math.floor((nowMs - deletedMs) / againAfterMs)) || 0
  const discard = isDiscarded ? desiredDiscard(object, folder, attempt) : undefined
  const isFinished = recordedBackup(status) !== undefined && isAtRest(object)
  const tidy = isFinished ? undefined : desiredTidy(object, isDiscarded ? undefined : folder, place)
  const names = [discard, tidy].flatMap((wish) => wish?.name ?? [])
  const ending = endingPods(input, names)
  const work = workAmong(input, names, ending)
  const tidyUntilMs = deletedMs + tidyForMs
  return {
    kind: 'parting',
    ...(ending.length === 0 ? {} : { ending }),
    ...(discard === undefined ? {} : { discard: work(discard) }),
    ...(tidy === undefined ? {} : { tidy: tidied(work(tidy), nowMs >= tidyUntilMs), tidyUntilMs }),
  }
}

/** For people who have to remove it by hand. */
function abandonedText({ spec: { target }, metadata }: BackupObject, folder: string): string {
  const { pvc, s3 } = target ?? {}
  const store = s3 === undefined ? `volume ${pvc?.claimName ?? 'of its target'}` : `bucket ${s3.bucket}`
  const name = scratchName(metadata.uid)
  return `the artifact stays in folder ${folder} of ${store}, and the database and role ${name}, as far as they are there, on the server: abandoned by the annotation ${abandonAnnotation}`
}

/** `names`: of the Jobs of the parting; others are at what these remove. */
function endingPods({ pods, isPodOf }: PreDeleteInput, names: readonly string[]): readonly string[] {
  const others = pods.filter((pod) => !names.some((name) => isPodOf(pod, name)))
  return others.filter(isAtWork).map(({ metadata }) => metadata.name)
}

function workAmong(
  { children, pods, isPodOf, nowMs }: PreDeleteInput,
  names: readonly string[],
  ending: readonly string[],
) {
  const jobs = children.filter((child) => isOf(Job, child))
  const isBusy = ending.length > 0 || jobs.some(({ metadata }) => !names.includes(metadata.name))
  return (wish: DesiredWork): PreDeleteWork => {
    const run = workRun(
      jobs.find(({ metadata }) => metadata.name === wish.name),
      pods.filter((pod) => isPodOf(pod, wish.name)),
      { nowMs, limit: `${wish.deadlineSeconds / 60} minutes` },
    )
    return { wish, run, isSuspended: isBusy || run.kind === 'failed' }
  }
}

function tidied(work: PreDeleteWork, isOverdue: boolean): PreDeleteWork {
  if (!isOverdue || work.run.kind === 'completed' || work.run.kind === 'failed') return work
  const message = `no worker has done it within ${tidyForMs / 60_000} minutes`
  const run: WorkRun = { kind: 'failed', report: { outcome: 'Interrupted', message }, endedAtMs: 0 }
  return { ...work, run, isSuspended: true }
}

/** Of a worker that was begun before the status could say where. */
function folderIn(children: readonly LiveObject[]): string | undefined {
  for (const child of children) {
    const text = child.kind === 'ConfigMap' ? valueAt(child, 'data', 'order.json') : undefined
    const folder = typeof text === 'string' ? orderedFolder(text) : undefined
    if (folder !== undefined) return folder
  }
  return undefined
}
