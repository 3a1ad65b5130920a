// Backup that a Database declares for itself, and its state. The Backup outlives the Database. Invariant: it counts
// only after the requested verification, and only if its source is this very database. Pure.
import { createHash } from 'node:crypto'
import { ApiObject, type Chart } from 'cdk8s'
import type { BackupSpec, BackupSpecTarget, BackupStatus } from '../../../imports/wire/backup.ts'
import { findCondition, isBeingDeleted, type LiveObject, retain } from '../../index.ts'
import type { DatabaseObject } from './server-connection.ts'

export interface OwnBackup {
  readonly name: string
  /** Name of the Database. */
  readonly database: string
  readonly target: BackupSpecTarget
  readonly proof: Proof
}

/** Verification by a restore, or none. */
type Proof = 'Restore' | 'None'

export type OwnBackupState =
  | { readonly kind: 'underWay'; readonly message: string }
  /** The backup cannot succeed any more. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The backup is complete, with the requested verification. */
  | { readonly kind: 'verified'; readonly uri: string }

/** Long enough for any database that can be verified by a restore. */
const deadline = '24h'
/** Most characters of the Database's name, for readers. Names of Jobs use 40 characters of the Backup's name. */
const maxStem = 40

/**
 * `purpose`: reason of the backup. `key`: distinguishes several of one purpose. A new target gives a new Backup,
 * because a Backup's target is immutable.
 */
export function ownBackup(
  database: DatabaseObject,
  purpose: string,
  { key = '', proof = 'Restore' }: { readonly key?: string; readonly proof?: Proof } = {},
): OwnBackup | undefined {
  const { metadata, spec } = database
  const { name, uid } = metadata
  const target = spec.snapshotTarget
  if (target === undefined) return undefined
  const digest = createHash('sha256')
    .update(JSON.stringify([uid, purpose, target, key, proof]))
    .digest('hex')
  // A name must not end with these characters.
  const stem = name.slice(0, maxStem).replace(/[^a-z0-9]+$/, '')
  return { name: `${stem}-${purpose}-${digest.slice(0, 8)}`, database: name, target, proof }
}

/** Returns the Backup before the switch to version `to`, which is made during the move. */
export function backupBefore(database: DatabaseObject, to: string): OwnBackup | undefined {
  return ownBackup(database, `before-${to}`)
}

/** Declares a retained Backup, which outlives its Database. To not wait until it is ready, use `readyWhen`. */
export function declareOwnBackup(chart: Chart, { name, database, target, proof }: OwnBackup): ApiObject {
  const child = new ApiObject(chart, name, {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup', metadata: { name } },
    spec: { databaseRef: { name: database }, target, verify: { mode: proof }, deadline },
  })
  retain(child)
  return child
}

/** `found`: existing object with this name. */
export function ownBackupState({ metadata: { uid } }: DatabaseObject, found: LiveObject | undefined): OwnBackupState {
  if (found === undefined) return { kind: 'underWay', message: 'it is about to be made' }
  if (isBeingDeleted(found)) return { kind: 'underWay', message: 'it is being deleted, and made again after that' }
  const { artifact, source, conditions } = (found.status ?? {}) as BackupStatus // A Backup.
  const conditionOf = (type: string) => findCondition(conditions, type)
  const proof = (found as LiveObject<BackupSpec>).spec?.verify.mode === 'None' ? 'Completed' : 'Verified' // A Backup.
  if (conditionOf(proof)?.status === 'True' && artifact !== undefined) {
    if (source?.databaseUID === uid) return { kind: 'verified', uri: artifact.uri }
    return { kind: 'failed', message: 'it is of another database' }
  }
  const stalled = conditionOf('Stalled')
  if (stalled?.status === 'True') return { kind: 'failed', message: `${stalled.reason}: ${stalled.message}` }
  const { reason, message } = conditionOf('Ready') ?? {}
  return { kind: 'underWay', message: reason === undefined ? 'nobody has looked at it yet' : `${reason}: ${message}` }
}
