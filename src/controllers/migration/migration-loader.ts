// Loads the cluster's state that a migration depends on: databases and their connections, texts of steps, and reports
// of workers.
// Invariant: texts are no longer than the limit of an order before anything is computed from them.
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import type { MigrationSpec, MigrationStatus } from '../../../imports/wire/migration.ts'
import { ConfigMap, isBeingDeleted, isOf, Job, type LiveReader, type ObserveContext, valueAt } from '../../index.ts'
import { type ConnectionReader, loadConnection } from '../database/connection-loader.ts'
import { ownBackupState } from '../database/own-backup.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { MigrationStep } from '../engines/migration-step.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { QueuedReviewer } from '../engines/step-review.ts'
import { type MigrationObject, maxOrderBytes, orderOf, sizeProblem, tooLarge, workerOf } from './desired-worker.ts'
import {
  againAtMs,
  decisionBy,
  type Invalid,
  invalidIn,
  isWorkerWanted,
  type MigrationFacts,
  occasionOf,
} from './migration-facts.ts'
import { type Place, type PlaceInput, type Problem, placeOf, sourceOf } from './migration-place.ts'
import { isEnd, type MigrationOrder } from './migration-plan.ts'
import { desiredPreBackup, type PreBackup } from './pre-backup.ts'
import { loadPreDelete, type MigrationSurroundings } from './pre-delete-loader.ts'
import { isRepeatRequested, rejectedReview, reviewDigest } from './rejected-review.ts'
import { loadRun } from './run-loader.ts'
import { type SourceNeed, sourceNeeds } from './source-needs.ts'
import { specSteps } from './spec-steps.ts'
import { planHash } from './step-digest.ts'
import type { WorkerRun } from './worker-run.ts'

/** Poll interval while a review is queued or running. */
const reviewPollMs = 15_000

type Observing = ObserveContext<MigrationSpec, MigrationStatus>

export async function loadFacts(
  context: Observing,
  { seen, policy }: MigrationSurroundings,
  reviewer: QueuedReviewer,
): Promise<MigrationFacts> {
  const { live, children, nowMs } = context
  const object = context.object as MigrationObject // The CRD requires a spec.
  const kept = children.filter((child) => isOf(Job, child)).map(({ metadata }) => metadata.name)
  const idle: WorkerRun = { kind: 'none' }
  if (isBeingDeleted(object))
    return { run: idle, occasion: 'none', kept, parting: await loadPreDelete(context, { seen, policy }) }
  const stuck = (problem: Problem): MigrationFacts => ({ problem, run: idle, occasion: 'none', kept })
  const { target, sources } = await loadPlaces(object, { live, policy }, seen?.record)
  if (target.kind !== 'place') return stuck(target)
  const lost = sources.find((place) => place.kind !== 'place')
  // Markers are read nevertheless: they show which sources are no longer needed.
  if (lost !== undefined) return { ...stuck(lost), target: whereMarksAre(target) }
  const texts = await loadTexts(object, live)
  if ('kind' in texts) return stuck(texts)
  const steps = specSteps({
    steps: object.spec.steps,
    texts,
    home: object.metadata.namespace ?? 'default',
  })
  if ('kind' in steps) return stuck(steps)
  const order = orderOf(object, steps)
  const places = { target, sources: sources.flatMap((place) => (place.kind === 'place' ? [place] : [])) }
  const worker = workerOf(object, order, places)
  const oversized = sizeProblem(worker)
  if (oversized !== undefined) return stuck(oversized)
  const run = await loadRun(context, worker.name)
  const occasion = occasionOf(run, worker.name, nowMs)
  const reviewed = seen === undefined ? undefined : await review({ context, order, record: seen.record }, reviewer)
  const { invalid } = reviewed ?? {}
  const isReviewed = reviewed !== undefined
  const dueMs = againAtMs(run)
  const isDue = isWorkerWanted({ order, seen, run, isReviewed, invalid, occasion, nowMs })
  // A worker that only observes or removes something needs no backup.
  const isFirst = isDue && run.kind === 'none' && seen !== undefined && !isEnd(decisionBy(order, seen.record))
  const before = isFirst ? await loadPreBackup(object, order, live) : undefined
  if (before !== undefined && 'reason' in before) return stuck(before)
  const isHeld = before !== undefined && before.standing.kind !== 'verified'
  return {
    target: whereMarksAre(target),
    ...{ order, run, occasion, kept },
    ...(invalid === undefined ? {} : { invalid }),
    ...(isReviewed ? {} : { isUnreviewed: true as const }),
    ...(seen === undefined || isReviewed ? {} : { reviewAgainAtMs: nowMs + reviewPollMs }),
    ...(dueMs === undefined ? {} : { againAtMs: dueMs }),
    ...(isHeld && object.spec.suspend !== true ? { before } : {}),
    worker: { ...worker, isWanted: isDue && !isHeld },
  }
}

function whereMarksAre({ access, ordered, systemIdentifier }: Place): NonNullable<MigrationFacts['target']> {
  return { access, database: ordered.database, systemIdentifier }
}

async function loadPreBackup(
  object: MigrationObject,
  { steps }: MigrationOrder,
  live: LiveReader,
): Promise<PreBackup | Problem | undefined> {
  const { namespace } = object.metadata
  const found = await live.find(Database, { namespace, name: object.spec.databaseRef.name })
  if (found === undefined) return undefined
  const database = found as DatabaseObject // The CRD requires a spec.
  const backup = desiredPreBackup(object, planHash(steps), database)
  if (backup === undefined || 'reason' in backup) return backup
  const made = await live.find(Backup, { namespace, name: backup.name })
  return { backup, standing: ownBackupState(database, made) }
}

interface Places {
  readonly target: Place | Problem
  /** Excludes deleted sources without remaining rows: nothing can be removed there. */
  readonly sources: readonly (Place | Problem)[]
}

async function loadPlaces(
  object: MigrationObject,
  { live, policy }: ConnectionReader,
  record: readonly RecordedStep[] | undefined,
): Promise<Places> {
  const { namespace: home = 'default' } = object.metadata
  const load = async (name: string, folder: string): Promise<PlaceInput> => {
    const database = await live.find(Database, { namespace: home, name })
    const known = database as DatabaseObject | undefined // The CRD requires a spec.
    const connection = known === undefined ? undefined : await loadConnection(known, { live, policy })
    return { name, folder, database: known, connection }
  }
  const loadSource = async ({ name, need }: SourceNeed, at: number) =>
    sourceOf(await load(name, `source-${at + 1}`), need) ?? []
  return {
    target: placeOf(await load(object.spec.databaseRef.name, 'target')),
    sources: (await Promise.all(sourceNeeds(object, record).map(loadSource))).flat(),
  }
}

/** Texts of steps in ConfigMaps that exist, by `name/key`. One ConfigMap is in memory at a time. */
async function loadTexts(
  { metadata, spec }: MigrationObject,
  live: LiveReader,
): Promise<ReadonlyMap<string, string> | Problem> {
  const { namespace } = metadata
  const refs = spec.steps.flatMap(({ configMapKeyRef }) => configMapKeyRef ?? [])
  const texts = new Map<string, string>()
  let sizeBytes = 0
  for (const name of new Set(refs.map((ref) => ref.name))) {
    const map = await live.find(ConfigMap, { namespace, name })
    if (map === undefined) continue
    // Each step that references a text contains it once.
    for (const { key } of refs.filter((ref) => ref.name === name)) {
      const text = valueAt(map, 'data', key)
      if (typeof text !== 'string') continue
      sizeBytes += Buffer.byteLength(text)
      if (sizeBytes > maxOrderBytes) return tooLarge(sizeBytes)
      texts.set(`${name}/${key}`, text)
    }
  }
  return texts
}

interface ToReview {
  readonly context: Observing
  readonly order: MigrationOrder
  readonly record: readonly RecordedStep[]
}

/** Findings of open steps; undefined while the review is queued or running. */
async function review(
  { context, order, record }: ToReview,
  reviewer: QueuedReviewer,
): Promise<{ readonly invalid: Invalid | undefined } | undefined> {
  if (decisionBy(order, record).kind === 'done') return { invalid: undefined }
  const object = context.object as MigrationObject // The CRD requires a spec.
  const isOpen = ({ name }: MigrationStep) =>
    !record.some((mark) => mark.name === name && (mark.state === 'Applied' || mark.state === 'Adopted'))
  const open = order.steps.filter(isOpen)
  const rules = { requiresVerify: object.spec.schemaValidation.requireVerify }
  const digest = reviewDigest(open, rules)
  const rejected = rejectedReview(object, digest)
  if (rejected !== undefined) return { invalid: rejected }
  const { namespace = 'default' } = object.metadata
  const request = { namespace, steps: open, rules, isRepeated: isRepeatRequested(object) }
  const found = await reviewer(request, context.signal)
  return found === undefined ? undefined : { invalid: invalidIn(found.findings, digest) }
}
