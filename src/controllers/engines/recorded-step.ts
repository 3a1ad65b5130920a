// What does a database tell of a step, for people as well? Its mark, with times and rows. A value.
import type { StepMark } from './migration-target.ts'

export interface RecordedStep extends StepMark {
  /** RFC 3339, by the server's clock. */
  readonly startedAt: string | undefined
  readonly finishedAt: string | undefined
  /** Of a copy. */
  readonly rowsCopied: number | undefined
  /** Of a copy: its rows are still on their way, in ranges of a key. */
  readonly hasWatermark?: boolean
  /** Of a copy that was begun by replication: the name of its source, which holds a part of it still. */
  readonly followed?: string | undefined
}
