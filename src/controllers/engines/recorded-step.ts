// Record of a step in the database: its marker, with times and rows. A value.
import type { StepMark } from './migration-target.ts'

export interface RecordedStep extends StepMark {
  /** RFC 3339, by the server's clock. */
  readonly startedAt: string | undefined
  readonly finishedAt: string | undefined
  /** Only for a copy. */
  readonly rowsCopied: number | undefined
  /** Only for a copy: a range copy is in progress. */
  readonly hasWatermark?: boolean
  /** Only for a copy by replication: name of its source, which still has a slot, publication or login. */
  readonly followed?: string | undefined
}
