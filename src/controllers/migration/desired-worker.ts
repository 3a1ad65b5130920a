// Desired worker of a migration: its order and the credentials of the databases in the order, from the spec and the
// annotations. Pure.
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

/** Name, order and credentials of a worker. */
export interface DesiredWorker {
  readonly name: string
  readonly text: string
  readonly digest: string
  readonly credentials: readonly WorkerCredentials[]
  /** True if a worker must run. */
  readonly isWanted: boolean
}

/** Annotation by which a user approves a plan; its value is the plan hash. */
const approvalAnnotation = 'data.konverge.dev/approve'
/** Annotation by which a user confirms that the source of a step has no writers; its value is the step's name. */
export const cutoverAnnotation = 'data.konverge.dev/cutover'
/** Maximum number of attempts of one step. */
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
  // An approval of another plan does not count, and does not change the order.
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

/** Returns a worker for `order`. `parting`: attempt number of a pre-delete worker, which removes replications. */
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
  // A truncated name must end in an alphanumeric character.
  const stem = object.metadata.name.slice(0, maxStem).replace(/[^a-z0-9]+$/, '')
  return { name: `${stem}-${digest.slice(0, 10)}`, text, digest, credentials }
}

/** Returns undefined if the order fits into a ConfigMap. */
export function sizeProblem({ text }: Pick<DesiredWorker, 'text'>): Problem | undefined {
  const sizeBytes = Buffer.byteLength(text)
  return sizeBytes <= maxOrderBytes ? undefined : tooLarge(sizeBytes)
}

export function tooLarge(sizeBytes: number): Problem {
  const message = `the steps have ${sizeBytes} bytes or more, and a worker gets ${maxOrderBytes} at most; make two Migrations`
  return { kind: 'refused', reason: 'OrderTooLarge', message }
}

/** Maximum size of an order: a ConfigMap's data limit, with room for its metadata. */
export const maxOrderBytes = 1_000_000

/** Limits the Job's name to the 63 characters of a label value, because its pods carry the name as a label. */
const maxStem = 52
