// What must be known before a worker is started, or judged? What was loaded becomes the order for a worker and whether there is to be
// one. Pure. Facts hold credentials, and stay in memory (I11).
import type { WorkerCredentials } from '../../../constructs/index.ts'
import type { MigrationSpec, MigrationStatus } from '../../../imports/wire/migration.ts'
import type { LiveObject } from '../../index.ts'
import type { MigrationStep } from '../engines/migration-step.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'
import { type Finding, findingText } from '../engines/step-review.ts'
import type { ObservedMarks } from './mark-driver.ts'
import type { Place, Problem } from './migration-place.ts'
import { type Decision, decide, type MigrationOrder } from './migration-plan.ts'
import type { PreBackup } from './pre-backup.ts'
import { planHash } from './step-digest.ts'
import { orderDigest, orderText } from './worker-order.ts'
import { isFinal, type WorkerRun } from './worker-run.ts'

export type MigrationObject = LiveObject<MigrationSpec, MigrationStatus> & { readonly spec: MigrationSpec }

export interface MigrationFacts {
  /** What keeps it from its database; then nothing else is known, and what is there stays. */
  readonly problem?: Problem
  readonly target?: { readonly access: ServerAccess; readonly database: string }
  /** By which marks are read. */
  readonly order?: MigrationOrder
  /** What steps that are not applied yet say that no step may. */
  readonly invalid?: Invalid
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
}

export interface Invalid {
  /** The first finding's. */
  readonly reason: string
  readonly message: string
}

/** What a worker is started with. */
export interface WorkerWish {
  readonly name: string
  readonly text: string
  readonly digest: string
  readonly credentials: readonly WorkerCredentials[]
  /** There is to be one. */
  readonly isWanted: boolean
}

/** The user's word for a plan. */
const approvalAnnotation = 'data.konverge.dev/approve'
/** The user's word that nobody writes into the source of a step any more: its name. */
export const cutoverAnnotation = 'data.konverge.dev/cutover'
/** Of one step: how often it may be interrupted. */
const maxAttempts = 5
/** Who gave up for reasons that may pass has another worker after so long. */
const againAfterMs = 300_000
/** While a worker is at it, marks are read this often. */
const watchMs = 15_000

export function migrationName({ metadata }: Pick<MigrationObject, 'metadata'>): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`
}

export function callerOf({ kind, metadata }: Pick<MigrationObject, 'kind' | 'metadata'>): Caller {
  return { kind, namespace: metadata.namespace ?? 'default', name: metadata.name }
}

export function orderOf({ metadata, spec }: MigrationObject, asked: readonly MigrationStep[]): MigrationOrder {
  const ended = metadata.annotations?.[cutoverAnnotation]
  const steps = asked.map((step) =>
    step.kind === 'Copy' && step.mode === 'Logical' && step.name === ended
      ? { ...step, isCutOver: true as const }
      : step,
  )
  const { onFailure, baseline: adoptsBaseline, retry: retryToken = '', approval } = spec
  const approvedPlan = metadata.annotations?.[approvalAnnotation]
  // An approval of another plan is none, and no other order.
  const approved = approvedPlan === planHash(steps) ? approvedPlan : undefined
  return {
    ...{ steps, onFailure, adoptsBaseline, retryToken, maxAttempts },
    approval: approval === 'Manual' ? { kind: 'Manual', approvedPlan: approved } : { kind: 'Auto' },
  }
}

/** What the marks alone call for. What verifications say only workers ask; for whoever looks at marks they hold. */
export function decisionBy(order: MigrationOrder, record: readonly RecordedStep[]): Decision {
  return decide(order, { marks: record, verified: new Map(order.steps.map(({ name }) => [name, true])) })
}

export interface OrderedPlaces {
  readonly target: Place
  readonly sources: readonly Place[]
}

export function workerOf(
  object: MigrationObject,
  order: MigrationOrder,
  { target, sources }: OrderedPlaces,
): Omit<WorkerWish, 'isWanted'> {
  const { concurrencyKey = 'database', schemaValidation } = object.spec
  const text = orderText({
    ...{ format: 1, migration: migrationName(object), lock: concurrencyKey },
    ...{ target: target.ordered, sources: sources.map(({ ordered }) => ordered), order },
    isRehearsed: schemaValidation.dryRun === 'Rollback',
    requiresVerify: schemaValidation.requireVerify,
  })
  const digest = orderDigest(text)
  const credentials = [target, ...sources].map((place) => place.credentials)
  // A cut must not end in what no name ends in.
  const stem = object.metadata.name.slice(0, maxStem).replace(/[^a-z0-9]+$/, '')
  return { name: `${stem}-${digest.slice(0, 10)}`, text, digest, credentials }
}

/** Undefined: it fits into a ConfigMap. */
export function sizeProblem({ text }: Pick<WorkerWish, 'text'>): Problem | undefined {
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= maxOrderBytes) return undefined
  const message = `the steps have ${sizeBytes} bytes together, and a worker is told ${maxOrderBytes} at most; make two Migrations`
  return { kind: 'refused', reason: 'OrderTooLarge', message }
}

/** What a ConfigMap holds, and some room for its metadata. */
const maxOrderBytes = 1_000_000

/** Pods of a Job bear its name in a label: 63 characters. */
const maxStem = 52

export interface WantedInput {
  readonly order: MigrationOrder
  readonly seen: ObservedMarks | undefined
  readonly run: WorkerRun
  readonly invalid: Invalid | undefined
  readonly occasion: string
  readonly nowMs: number
}

/** Each order has a worker once, and another where the marks contradict what the last one said. */
export function isWorkerWanted({ order, seen, run, invalid, occasion, nowMs }: WantedInput): boolean {
  if (invalid !== undefined) return false
  if (seen === undefined) return run.kind !== 'none'
  const decision = decisionBy(order, seen.record)
  if (decision.kind === 'refuse' || decision.kind === 'awaitApproval') return false
  if (run.kind === 'active') return true
  if (run.kind === 'none') return decision.kind !== 'failed'
  if (!isFinal(run.report)) return nowMs < run.endedAtMs + againAfterMs
  const isContradicted = run.report.outcome === 'Completed' && decision.kind !== 'done' && decision.kind !== 'failed'
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

/** Undefined: of what is still to run nothing is wrong. */
export function invalidIn(findings: readonly Finding[]): Invalid | undefined {
  const [first] = findings
  return first === undefined
    ? undefined
    : { reason: first.code, message: findings.map((finding) => findingText(finding)).join('; ') }
}
