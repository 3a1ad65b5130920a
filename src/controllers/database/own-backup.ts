// How does a Database have itself saved? By a Backup that it declares, which stays when the Database goes, and how that stands: as proof
// counts only one that was restored, and that is of this very database. Pure.
import { createHash } from 'node:crypto'
import { ApiObject, type Chart } from 'cdk8s'
import type { BackupSpec, BackupSpecTarget, BackupStatus } from '../../../imports/wire/backup.ts'
import { findCondition, isBeingDeleted, type LiveObject, retain } from '../../index.ts'
import type { DatabaseObject } from './server-connection.ts'

export interface OwnBackup {
  readonly name: string
  /** The name of the Database. */
  readonly database: string
  readonly target: BackupSpecTarget
  readonly proof: Proof
}

/** Is it restored to try it, or believed once it is stored? */
type Proof = 'Restore' | 'None'

export type OwnBackupState =
  | { readonly kind: 'underWay'; readonly message: string }
  /** Nothing comes of it any more. */
  | { readonly kind: 'failed'; readonly message: string }
  /** As it was asked to be. */
  | { readonly kind: 'verified'; readonly uri: string }

/** Long enough for any database that one restores to try it. */
const deadline = '24h'
/** Its Jobs take 40 characters of it, and people read it. */
const maxStem = 40

/** `purpose`: what it is made for, and `key`: which of several. Another target is another Backup, as one's own cannot change. */
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
  // A cut must not end in what no name ends in.
  const stem = name.slice(0, maxStem).replace(/[^a-z0-9]+$/, '')
  return { name: `${stem}-${purpose}-${digest.slice(0, 8)}`, database: name, target, proof }
}

/** That of its move to this version, which is made while it moves. */
export function backupBefore(database: DatabaseObject, to: string): OwnBackup | undefined {
  return ownBackup(database, `before-${to}`)
}

/** Nobody's, so that it outlives its Database. Whoever does not want to wait until it is ready says so by `readyWhen`. */
export function declareOwnBackup(chart: Chart, { name, database, target, proof }: OwnBackup): ApiObject {
  const child = new ApiObject(chart, name, {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup', metadata: { name } },
    spec: { databaseRef: { name: database }, target, verify: { mode: proof }, deadline },
  })
  retain(child)
  return child
}

/** `found`: what there is of this name. */
export function ownBackupState({ metadata: { uid } }: DatabaseObject, found: LiveObject | undefined): OwnBackupState {
  if (found === undefined) return { kind: 'underWay', message: 'it is about to be made' }
  if (isBeingDeleted(found)) return { kind: 'underWay', message: 'it is being deleted, and made again after that' }
  const { artifact, source, conditions } = (found.status ?? {}) as BackupStatus // Of its kind.
  const conditionOf = (type: string) => findCondition(conditions, type)
  const proof = (found as LiveObject<BackupSpec>).spec?.verify.mode === 'None' ? 'Completed' : 'Verified' // Of its kind.
  if (conditionOf(proof)?.status === 'True' && artifact !== undefined) {
    if (source?.databaseUID === uid) return { kind: 'verified', uri: artifact.uri }
    return { kind: 'failed', message: 'it is of another database' }
  }
  const stalled = conditionOf('Stalled')
  if (stalled?.status === 'True') return { kind: 'failed', message: `${stalled.reason}: ${stalled.message}` }
  const { reason, message } = conditionOf('Ready') ?? {}
  return { kind: 'underWay', message: reason === undefined ? 'nobody has looked at it yet' : `${reason}: ${message}` }
}
