// What has to be saved before a Database goes that is not to be lost (`deletionPolicy: Snapshot`)? All that is in it, once nobody uses it
// any more: nothing is dropped before that is proven. Instances of RDS make their last snapshot themselves. Pure.
import { ApiObject, type Chart } from 'cdk8s'
import { hold, isAbandoned, isBeingDeleted, isOf, type LiveObject, StatefulSet, valueAt } from '../../index.ts'
import { declareOwnBackup, type OwnBackup, type OwnBackupState, ownBackup, ownBackupState } from './own-backup.ts'
import type { DatabaseObject } from './server-connection.ts'

export type FinalBackup =
  | {
      readonly kind: 'awaited'
      readonly backup: OwnBackup
      readonly standing: Exclude<OwnBackupState, { kind: 'verified' }>
      /** What the database is served by meanwhile. */
      readonly kept: readonly Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>[]
    }
  /** `isVolumeKept`: the volume of a server in the cluster would outlive it yet. */
  | { readonly kind: 'made'; readonly uri: string; readonly isVolumeKept: boolean }
  /** There is none, and cannot be one. */
  | { readonly kind: 'impossible'; readonly message: string }

export interface FinalBackupInput {
  readonly object: DatabaseObject
  readonly children: readonly LiveObject[]
  /** The Backup of that name. */
  readonly found: LiveObject | undefined
  /** Its namespace goes, too. */
  readonly isHomeGoing: boolean
}

/** The Backup that is waited for; undefined where none is. */
export function neededBeforeDeletion(object: DatabaseObject): OwnBackup | undefined {
  const { spec, status } = object
  if (!isBeingDeleted(object) || isAbandoned(object)) return undefined
  if (spec.deletionPolicy !== 'Snapshot' || spec.provider.rds !== undefined) return undefined
  // What was never there, or is gone, cannot be saved.
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

/** The server stays as it is meanwhile, also where nothing of it could be made now. */
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

/** One sentence that says what is waited for, and how to go on without it. */
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

/** The claim of a StatefulSet goes with it as soon as the controller of StatefulSets has seen that it shall. */
function isVolumeKept(children: readonly LiveObject[]): boolean {
  return children.some((set) => {
    if (!isOf(StatefulSet, set) || isBeingDeleted(set)) return false
    const whenDeleted = valueAt(set, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted')
    return whenDeleted !== 'Delete' || valueAt(set, 'status', 'observedGeneration') !== set.metadata.generation
  })
}
