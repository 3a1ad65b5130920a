// What of the cluster does a migration depend on? Its databases and how they are reached, the texts of its steps, and what its worker
// said. The grammar is loaded when there is a step to read.
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import type { MigrationSpec, MigrationStatus } from '../../../imports/wire/migration.ts'
import { ConfigMap, isBeingDeleted, isOf, Job, type LiveReader, type ObserveContext, valueAt } from '../../index.ts'
import { loadConnection } from '../database/connection-loader.ts'
import { ownBackupStanding } from '../database/own-backup.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { MigrationStep } from '../engines/migration-step.ts'
import { loadSqlParser } from '../engines/postgres/review/parser-loader.ts'
import { stepReviewer } from '../engines/postgres/review/review.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { ObservedMarks } from './mark-driver.ts'
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
import { loadParting } from './parting-loader.ts'
import { type PreBackup, preBackupWish } from './pre-backup.ts'
import { loadRun } from './run-loader.ts'
import { type SourceNeed, sourceNeeds } from './source-needs.ts'
import { specSteps } from './spec-steps.ts'
import { planHash } from './step-digest.ts'
import type { WorkerRun } from './worker-run.ts'
import { type MigrationObject, orderOf, sizeProblem, workerOf } from './worker-wish.ts'

type Observing = ObserveContext<MigrationSpec, MigrationStatus>

/** `seen`: the marks as last read. */
export async function loadFacts(context: Observing, seen: ObservedMarks | undefined): Promise<MigrationFacts> {
  const { live, children, nowMs } = context
  const object = context.object as MigrationObject // Its definition requires a spec.
  const kept = children.filter((child) => isOf(Job, child)).map(({ metadata }) => metadata.name)
  const idle: WorkerRun = { kind: 'none' }
  if (isBeingDeleted(object)) return { run: idle, occasion: 'none', kept, parting: await loadParting(context, seen) }
  const stuck = (problem: Problem): MigrationFacts => ({ problem, run: idle, occasion: 'none', kept })
  const { target, sources } = await loadPlaces(object, live, seen?.record)
  if (target.kind !== 'place') return stuck(target)
  const lost = sources.find((place) => place.kind !== 'place')
  // Marks are read all the same: they say which sources have had their time.
  if (lost !== undefined) return { ...stuck(lost), target: whereMarksAre(target) }
  const steps = specSteps({
    steps: object.spec.steps,
    texts: await loadTexts(object, live),
    home: object.metadata.namespace ?? 'default',
  })
  if ('kind' in steps) return stuck(steps)
  const order = orderOf(object, steps)
  const places = { target, sources: sources.flatMap((place) => (place.kind === 'place' ? [place] : [])) }
  const worker = workerOf(object, order, places)
  const tooLarge = sizeProblem(worker)
  if (tooLarge !== undefined) return stuck(tooLarge)
  const run = await loadRun(context, worker.name)
  const occasion = occasionOf(run, worker.name, nowMs)
  const invalid = seen === undefined ? undefined : await review(object, order, seen.record)
  const dueMs = againAtMs(run)
  const isDue = isWorkerWanted({ order, seen, run, invalid, occasion, nowMs })
  // Who only looks, or removes something, waits for no backup.
  const isFirst = isDue && run.kind === 'none' && seen !== undefined && !isEnd(decisionBy(order, seen.record))
  const before = isFirst ? await loadPreBackup(object, order, live) : undefined
  if (before !== undefined && 'reason' in before) return stuck(before)
  const isHeld = before !== undefined && before.standing.kind !== 'verified'
  return {
    target: whereMarksAre(target),
    ...{ order, run, occasion, kept },
    ...(invalid === undefined ? {} : { invalid }),
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
  const database = found as DatabaseObject // Its definition requires a spec.
  const backup = preBackupWish(object, planHash(steps), database)
  if (backup === undefined || 'reason' in backup) return backup
  const made = await live.find(Backup, { namespace, name: backup.name })
  return { backup, standing: ownBackupStanding(database, made) }
}

interface Places {
  readonly target: Place | Problem
  /** But for those that are gone and that nothing is copied from any more: of them nothing can be removed. */
  readonly sources: readonly (Place | Problem)[]
}

async function loadPlaces(
  object: MigrationObject,
  live: LiveReader,
  record: readonly RecordedStep[] | undefined,
): Promise<Places> {
  const { namespace: home = 'default' } = object.metadata
  const load = async (name: string, folder: string): Promise<PlaceInput> => {
    const database = await live.find(Database, { namespace: home, name })
    const known = database as DatabaseObject | undefined // Its definition requires a spec.
    const connection = known === undefined ? undefined : await loadConnection(known, live)
    return { name, folder, database: known, connection }
  }
  const loadSource = async ({ name, need }: SourceNeed, at: number) =>
    sourceOf(await load(name, `source-${at + 1}`), need) ?? []
  return {
    target: placeOf(await load(object.spec.databaseRef.name, 'target')),
    sources: (await Promise.all(sourceNeeds(object, record).map(loadSource))).flat(),
  }
}

/** What steps name of ConfigMaps, as far as it is there, by `name/key`. */
async function loadTexts({ metadata, spec }: MigrationObject, live: LiveReader): Promise<ReadonlyMap<string, string>> {
  const { namespace } = metadata
  const refs = spec.steps.flatMap(({ configMapKeyRef }) => configMapKeyRef ?? [])
  const names = [...new Set(refs.map(({ name }) => name))]
  const found = await Promise.all(names.map((name) => live.find(ConfigMap, { namespace, name })))
  const maps = new Map(found.flatMap((map) => (map === undefined ? [] : [[map.metadata.name, map]])))
  const texts = refs.flatMap(({ name, key }) => {
    const map = maps.get(name)
    const text = map === undefined ? undefined : valueAt(map, 'data', key)
    return typeof text === 'string' ? [[`${name}/${key}`, text] as const] : []
  })
  return new Map(texts)
}

/** Of what is not applied yet. */
async function review(
  { spec }: MigrationObject,
  order: MigrationOrder,
  record: readonly RecordedStep[],
): Promise<Invalid | undefined> {
  if (decisionBy(order, record).kind === 'done') return undefined
  const isOpen = ({ name }: MigrationStep) =>
    !record.some((mark) => mark.name === name && (mark.state === 'Applied' || mark.state === 'Adopted'))
  const reviewSteps = stepReviewer(await loadSqlParser())
  const open = order.steps.filter(isOpen)
  return invalidIn(reviewSteps(open, { requiresVerify: spec.schemaValidation.requireVerify }).findings)
}
