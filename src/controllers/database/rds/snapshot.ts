// What should a snapshot of an RDS instance be, and what is it? What there is to know of it stands in its tags, so that it can be told from
// others, and restored from, where nothing else is left.
import type { Token } from '../../../index.ts'
import type { AwsAccess } from './instance.ts'

/** What is saved. */
export interface SnapshotSource {
  /** The instance's identifier. */
  readonly instance: string
  /** The Database, as `<namespace>/<name>`. */
  readonly database: string
  readonly databaseUID: string
  /** What the database is called on the server. */
  readonly databaseName: string
  readonly systemIdentifier: string
}

export interface DesiredSnapshot {
  readonly access: AwsAccess
  readonly source: SnapshotSource
  /** `<namespace>/<name>` of the Backup, for people who look at the tags. */
  readonly label: string
}

export interface ObservedSnapshot {
  readonly arn: string
  readonly owner: Token | undefined
  /** As its tags have it; undefined where they are not ours. */
  readonly source: SnapshotSource | undefined
  /** Of the volume that was saved: RDS does not say how much of it is kept. */
  readonly sizeBytes: number
  /** `15.18` */
  readonly engineVersion: string
  /** RFC 3339, whole seconds: the moment whose data it holds. */
  readonly takenAt: string
}
