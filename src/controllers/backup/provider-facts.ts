// Facts of a Backup of the method Provider: its instance, and the problem that prevents the request. They come from the
// Database while it exists.
// Invariant: the status records them before the request to the provider. When the Database is gone, the record suffices
// to continue and to remove the snapshot. Pure.
import type { BackupStatus } from '../../../imports/wire/backup.ts'
import { isBeingDeleted, type LiveObject } from '../../index.ts'
import { awsCredentials } from '../database/rds/aws-credentials.ts'
import { identifierOf } from '../database/rds/desired-instance.ts'
import type { AwsAccess } from '../database/rds/instance.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { Place, Problem } from '../migration/migration-place.ts'
import type { ReferencePolicy } from '../references/reference-policy.ts'
import type { BackupObject } from './desired-work.ts'
import { isSlotPassed, slotPassed } from './slot-passed.ts'

export interface ProviderFacts {
  readonly kind: 'provider'
  /** Record for the status. Undefined while the Database does not provide it. */
  readonly snapshot: SnapshotRecord | undefined
  /** Undefined if credentials are missing: see `problem`. */
  readonly access: AwsAccess | undefined
  /** Problem that prevents the request to the provider. */
  readonly problem: Problem | undefined
  /**
   * Time of the next reconcile, milliseconds since the epoch. The status is written first, and that write triggers no
   * reconcile.
   */
  readonly againAtMs?: number
}

export type SnapshotRecord = NonNullable<BackupStatus['snapshot']>

export interface ProviderInput {
  readonly object: BackupObject
  readonly database: DatabaseObject | undefined
  readonly place: Place | Problem
  /** Secret with the credentials for the provider, if it exists. */
  readonly secret: LiveObject | undefined
  readonly policy: ReferencePolicy
  readonly nowMs: number
}

/** Name of the snapshot among the external resources. */
export const recordName = 'snapshot'
const afterWriteMs = 1_000

export function providerFacts(input: ProviderInput): ProviderFacts {
  const { object, secret, policy, nowMs } = input
  const told = object.status?.snapshot
  const hasBegun = isRequested(object)
  const found = sourceOf(input)
  const snapshot = hasBegun ? told : (found ?? told)
  const { credentials, problem } = awsCredentials(credentialsSecretOf(input), secret, policy)
  const access = snapshot && credentials && { region: snapshot.region, credentials }
  const base = { kind: 'provider', snapshot: withSecret(snapshot, input), access } as const
  const { reason = 'CredentialsMissing', message: lack = '' } = problem ?? {}
  const noCredentials = problem === undefined ? undefined : ({ kind: 'waiting', reason, message: lack } as const)
  const whyNot = whyNotYet(input, hasBegun) ?? noCredentials
  if (whyNot !== undefined) return { ...base, problem: whyNot }
  if (isSame(told, snapshot)) return { ...base, problem: undefined }
  const message = 'which instance is saved is being recorded'
  return {
    ...base,
    problem: { kind: 'waiting', reason: 'SnapshotStarting', message },
    againAtMs: nowMs + afterWriteMs,
  }
}

/** True if the snapshot's journal entry exists. The snapshot then goes on, whatever happens to the Database. */
export function isRequested({ status }: Pick<BackupObject, 'status'>): boolean {
  return status?.external?.some(({ name }) => name === recordName) === true
}

/**
 * Returns the name of the Secret: from the backed-up Database while it exists, because a user may have changed it, else
 * from the record.
 */
export function credentialsSecretOf({
  object,
  database,
}: Pick<ProviderInput, 'object' | 'database'>): string | undefined {
  const told = object.status?.snapshot
  const isIt = told === undefined || told.databaseUID === database?.metadata.uid
  const rds = isIt || !isRequested(object) ? database?.spec.provider.rds : undefined
  return rds === undefined ? told?.credentialsSecret : rds.credentials.secretRef?.name
}

function whyNotYet({ object, database, place }: ProviderInput, hasBegun: boolean): Problem | undefined {
  if (hasBegun || isBeingDeleted(object)) return undefined
  if (isSlotPassed(object)) return slotPassed(object)
  if (database !== undefined && database.spec.provider.rds === undefined) return notOfRds(database.metadata.name)
  if (place.kind !== 'place') return place
  const suspended = { kind: 'waiting', reason: 'Suspended', message: 'spec.suspend is true' } as const
  return object.spec.suspend === true ? suspended : undefined
}

function sourceOf({ database, place }: ProviderInput): SnapshotRecord | undefined {
  const { metadata, spec, status } = database ?? {}
  const { systemIdentifier } = status?.identity ?? {}
  if (database === undefined || metadata === undefined || spec?.provider.rds === undefined) return undefined
  if (place.kind !== 'place' || systemIdentifier === undefined) return undefined
  const { rds } = spec.provider
  // Name that the instance got at its creation.
  const made = status?.external?.find(({ name }) => name === 'instance')?.externalName
  return {
    instance: made ?? identifierOf(database, rds),
    region: rds.region,
    database: place.ordered.name,
    databaseUID: metadata.uid,
    databaseName: place.ordered.database,
    systemIdentifier,
  }
}

function withSecret(snapshot: SnapshotRecord | undefined, input: ProviderInput): SnapshotRecord | undefined {
  if (snapshot === undefined) return undefined
  const { credentialsSecret: _, ...others } = snapshot
  const credentialsSecret = credentialsSecretOf(input)
  return credentialsSecret === undefined ? others : { ...others, credentialsSecret }
}

/** Ignores the credentials, which serve for requests only. */
function isSame(told: SnapshotRecord | undefined, snapshot: SnapshotRecord | undefined): boolean {
  return told?.instance === snapshot?.instance && told?.region === snapshot?.region && isSameDatabase(told, snapshot)
}

function isSameDatabase(told: SnapshotRecord | undefined, snapshot: SnapshotRecord | undefined): boolean {
  return told?.databaseUID === snapshot?.databaseUID && told?.systemIdentifier === snapshot?.systemIdentifier
}

function notOfRds(name: string): Problem {
  const message = `the method Provider is of Databases on Amazon RDS (provider rds), and Database ${name} is elsewhere; use the method Logical`
  return { kind: 'refused', reason: 'InvalidMethod', message }
}
