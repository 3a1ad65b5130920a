// Desired and observed snapshot of an RDS instance. Its tags contain all facts about it, so that it can be identified
// and restored if no other object is left.
import type { Token } from '../../../index.ts'
import type { AwsAccess } from './instance.ts'

/** Source of a snapshot. */
export interface SnapshotSource {
  /** Identifier of the instance. */
  readonly instance: string
  /** The Database, as `<namespace>/<name>`. */
  readonly database: string
  readonly databaseUID: string
  /** Name of the database on the server. */
  readonly databaseName: string
  readonly systemIdentifier: string
}

export interface DesiredSnapshot {
  readonly access: AwsAccess
  readonly source: SnapshotSource
  /** `<namespace>/<name>` of the Backup, for readers of the tags. */
  readonly label: string
}

export interface ObservedSnapshot {
  readonly arn: string
  readonly owner: Token | undefined
  /** From its tags. Undefined: tags of another owner. */
  readonly source: SnapshotSource | undefined
  /** Size of the instance's volume. RDS does not report the snapshot's own size. */
  readonly sizeBytes: number
  /** Example: `15.18`. */
  readonly engineVersion: string
  /** Time of the data, RFC 3339 in whole seconds. */
  readonly takenAt: string
}
