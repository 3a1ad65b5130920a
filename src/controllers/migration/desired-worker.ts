// With what is a worker of a migration started? The order that it gets, and the keys of the databases in it, from the spec and what people have
// said by annotations. Pure.
import type { WorkerCredentials } from '../../../constructs/index.ts'
import type { MigrationSpec, MigrationStatus } from '../../../imports/wire/migration.ts'
import type { LiveObject } from '../../index.ts'
import type { MigrationStep } from '../engines/migration-step.ts'
import type { Caller } from '../engines/server-access.ts'
import type { Place, Problem } from './migration-place.ts'
import type { MigrationOrder } from './migration-plan.ts'
import { planHash } from './step-digest.ts'
import { orderDigest, orderText } from './worker-order.ts'

export type MigrationObject = LiveObject<MigrationSpec, MigrationStatus> & { readonly spec: MigrationSpec }

/** What a worker is started with. */
export interface DesiredWorker {
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

export interface OrderedPlaces {
  readonly target: Place
  readonly sources: readonly Place[]
}

/** `parting`: which try it is of one that takes away what follows. */
export function workerOf(
  object: MigrationObject,
  order: MigrationOrder,
  { target, sources, parting }: OrderedPlaces & { readonly parting?: number },
): Omit<DesiredWorker, 'isWanted'> {
  const { concurrencyKey = 'database', schemaValidation } = object.spec
  const text = orderText({
    ...{ format: 1, migration: migrationName(object), lock: concurrencyKey },
    ...{ target: target.ordered, sources: sources.map(({ ordered }) => ordered), order },
    isRehearsed: schemaValidation.dryRun === 'Rollback',
    requiresVerify: schemaValidation.requireVerify,
    ...(parting === undefined ? {} : { parting }),
  })
  const digest = orderDigest(text)
  const credentials = [target, ...sources].map((place) => place.credentials)
  // A cut must not end in what no name ends in.
  const stem = object.metadata.name.slice(0, maxStem).replace(/[^a-z0-9]+$/, '')
  return { name: `${stem}-${digest.slice(0, 10)}`, text, digest, credentials }
}

/** Undefined: it fits into a ConfigMap. */
export function sizeProblem({ text }: Pick<DesiredWorker, 'text'>): Problem | undefined {
  const sizeBytes = Buffer.byteLength(text)
  return sizeBytes <= maxOrderBytes ? undefined : tooLarge(sizeBytes)
}

export function tooLarge(sizeBytes: number): Problem {
  const message = `the steps have ${sizeBytes} bytes or more, and a worker gets ${maxOrderBytes} at most; make two Migrations`
  return { kind: 'refused', reason: 'OrderTooLarge', message }
}

/** Size of an order: what a ConfigMap holds, with room for its metadata. */
export const maxOrderBytes = 1_000_000

/** Pods of a Job bear its name in a label: 63 characters. */
const maxStem = 52
