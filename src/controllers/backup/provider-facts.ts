// Which instance is saved by a Backup of the method Provider, and may it be asked for? From its Database while that is there; what was found
// then is recorded before the provider is asked, and is enough to go on, and to remove the snapshot, when the Database is gone. Pure.
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
  /** As the status is to have it; undefined while the Database does not say it. */
  readonly snapshot: SnapshotRecord | undefined
  /** Undefined: see `problem`. */
  readonly access: AwsAccess | undefined
  /** What keeps the provider from being asked. */
  readonly problem: Problem | undefined
  /** The status is written first, and that brings no turn; milliseconds since the epoch. */
  readonly againAtMs?: number
}

export type SnapshotRecord = NonNullable<BackupStatus['snapshot']>

export interface ProviderInput {
  readonly object: BackupObject
  readonly database: DatabaseObject | undefined
  readonly place: Place | Problem
  /** Of the credentials for the provider, if it is there. */
  readonly secret: LiveObject | undefined
  readonly policy: ReferencePolicy
  readonly nowMs: number
}

/** The name among what there is outside the cluster. */
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

/** Has the provider been asked, or was it to be? Then it goes on, whatever becomes of the Database. */
export function isRequested({ status }: Pick<BackupObject, 'status'>): boolean {
  return status?.external?.some(({ name }) => name === recordName) === true
}

/** Of the Database while it is the one that is saved, as somebody may have given it another. */
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
  // The name that it was given when it was made.
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

/** But for the credentials, with which it is only asked. */
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
