// Backup before the deletion of a Database with `deletionPolicy: Snapshot`, once no DatabaseUser uses it. Invariant:
// nothing is dropped before this backup is verified. RDS instances make their last snapshot themselves. Pure.
import { ApiObject, type Chart } from 'cdk8s'
import { hold, isAbandoned, isBeingDeleted, isOf, type LiveObject, StatefulSet, valueAt } from '../../index.ts'
import { declareOwnBackup, type OwnBackup, type OwnBackupState, ownBackup, ownBackupState } from './own-backup.ts'
import type { DatabaseObject } from './server-connection.ts'

export type FinalBackup =
  | {
      readonly kind: 'awaited'
      readonly backup: OwnBackup
      readonly standing: Exclude<OwnBackupState, { kind: 'verified' }>
      /** Children that serve the database meanwhile. */
      readonly kept: readonly Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>[]
    }
  /** `isVolumeKept`: the volume of a server in the cluster would still outlive it. */
  | { readonly kind: 'made'; readonly uri: string; readonly isVolumeKept: boolean }
  /** No backup exists, and none can be made. */
  | { readonly kind: 'impossible'; readonly message: string }

export interface FinalBackupInput {
  readonly object: DatabaseObject
  readonly children: readonly LiveObject[]
  /** Existing Backup of that name. */
  readonly found: LiveObject | undefined
  /** Its namespace is being deleted, too. */
  readonly isHomeGoing: boolean
}

/** Returns the Backup that the deletion waits for; undefined if it waits for none. */
export function neededBeforeDeletion(object: DatabaseObject): OwnBackup | undefined {
  const { spec, status } = object
  if (!isBeingDeleted(object) || isAbandoned(object)) return undefined
  if (spec.deletionPolicy !== 'Snapshot' || spec.provider.rds !== undefined) return undefined
  // A database that never existed, or no longer exists, cannot be backed up.
  const record = status?.external?.find(({ name }) => name === 'database')
  return record === undefined || record.phase === 'Pending' ? undefined : ownBackup(object, 'final')
}

export function finalBackupOf(backup: OwnBackup, input: FinalBackupInput): FinalBackup {
  const { object, children, found, isHomeGoing } = input
  const standing = ownBackupState(object, found)
  if (standing.kind === 'verified') return { kind: 'made', uri: standing.uri, isVolumeKept: isVolumeKept(children) }
  if (isHomeGoing) return { kind: 'impossible', message: 'its namespace goes, in which no backup can be made any more' }
  const kept = children.filter(({ kind }) => kind !== 'Backup')
  return { kind: 'awaited', backup, standing, kept }
}

/** Keeps the server unchanged meanwhile, even if its objects could not be declared now. */
export function declareFinalBackup(chart: Chart, final: Extract<FinalBackup, { kind: 'awaited' }>): void {
  for (const { apiVersion, kind, metadata } of final.kept) {
    const child = new ApiObject(chart, `${kind}-${metadata.name}`, {
      apiVersion,
      kind,
      metadata: { name: metadata.name },
    })
    hold(child, 'stays until the last backup is proven')
  }
  declareOwnBackup(chart, final.backup)
}

/** Returns one sentence that names the awaited Backup and how to continue without it. */
export function awaitedSentence(
  { metadata: { namespace } }: DatabaseObject,
  { backup, standing }: Extract<FinalBackup, { kind: 'awaited' }>,
): string {
  const it = `Backup ${namespace}/${backup.name}`
  const way = 'to go on without a backup set spec.deletionPolicy to Retain or Delete'
  return standing.kind === 'failed'
    ? `the last backup failed; delete ${it} to have another made, or ${way} (${standing.message})`
    : `waits for the last backup, ${it}; ${way} (${standing.message})`
}

/** A claim is deleted with its StatefulSet only after the StatefulSet controller has observed this policy. */
function isVolumeKept(children: readonly LiveObject[]): boolean {
  return children.some((set) => {
    if (!isOf(StatefulSet, set) || isBeingDeleted(set)) return false
    const whenDeleted = valueAt(set, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted')
    return whenDeleted !== 'Delete' || valueAt(set, 'status', 'observedGeneration') !== set.metadata.generation
  })
}
