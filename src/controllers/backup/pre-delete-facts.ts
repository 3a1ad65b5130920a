// Work before the deletion of a Backup: removal of its artifact if the policy says so, and of leftovers of killed
// workers. Other workers do it after all earlier workers have ended.
// Invariant: only the status tells that this work is complete. Pure.
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
  /** Mandatory before the deletion. */
  readonly discard?: PreDeleteWork
  /** Attempted before the deletion, and left to the user after `tidyUntilMs`. */
  readonly tidy?: PreDeleteWork
  /** End of the attempt to tidy, milliseconds since the epoch. */
  readonly tidyUntilMs?: number
  /** Rejection of the store, while the artifact must still be removed. */
  readonly rejection?: Required<InvalidSpec>
  /** Message about what stays where because a user abandoned it. */
  readonly abandoned?: string
  /** Pods of earlier workers that have not ended; the pre-delete work waits for them. */
  readonly ending?: readonly string[]
}

export interface PreDeleteWork {
  readonly wish: DesiredWork
  readonly run: WorkRun
  readonly isSuspended: boolean
}

export interface PreDeleteInput {
  readonly object: BackupObject
  /** Place of its database, if that is reachable. */
  readonly place: Place | undefined
  readonly children: readonly LiveObject[]
  readonly pods: readonly LiveObject[]
  /** True if the pod belongs to the Job. */
  readonly isPodOf: (pod: LiveObject, job: string) => boolean
  readonly nowMs: number
}

/** Delay before another worker retries a failed removal, e.g. after a lock or a store that did not answer. */
const againAfterMs = 3_600_000
/** Time limit for tidying. A worker may never start, because its node or its Secret is gone. */
const tidyForMs = 300_000

export function preDeleteFacts(input: PreDeleteInput): PreDeleteFacts {
  const { object, place, children, nowMs } = input
  const { spec, status, metadata } = object
  // A Backup that was created again after its scheduled time made nothing. Its status is the former Backup's, whose
  // artifact may be good.
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

/** Message for users who have to remove the leftovers by hand. */
function abandonedText({ spec: { target }, metadata }: BackupObject, folder: string): string {
  const { pvc, s3 } = target ?? {}
  const store = s3 === undefined ? `volume ${pvc?.claimName ?? 'of its target'}` : `bucket ${s3.bucket}`
  const name = scratchName(metadata.uid)
  return `the artifact stays in folder ${folder} of ${store}, and the database and role ${name}, as far as they are there, on the server: abandoned by the annotation ${abandonAnnotation}`
}

/** Pods of Jobs other than `names`. They use the data that the pre-delete Jobs remove. */
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

/** Returns the folder from the order of a worker that started before the status named it. */
function folderIn(children: readonly LiveObject[]): string | undefined {
  for (const child of children) {
    const text = child.kind === 'ConfigMap' ? valueAt(child, 'data', 'order.json') : undefined
    const folder = typeof text === 'string' ? orderedFolder(text) : undefined
    if (folder !== undefined) return folder
  }
  return undefined
}
