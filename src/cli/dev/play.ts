// Show of a `dev` command: a control plane with an operator, the kinds of the table, samples, and the text when all are
// Ready.
import type { KubeObject } from '../../object/object.ts'
import type { ResourceLoader } from './resource-loader.ts'
import type { ResourceRow, ShownKind } from './resource-table.ts'
import type { Stage, StageAsk } from './stage.ts'

export interface Play {
  /** Kinds in the order of the table. */
  readonly kinds: readonly ShownKind[]
  start(ask: StageAsk): Promise<PlayedStage>
  /** Maps a failure to the error that `dev` throws. Default: the same error. */
  failureOf?(thrown: unknown): unknown
}

/** A running control plane with its samples. */
export interface PlayedStage {
  readonly stage: Stage
  loadSamples(signal: AbortSignal): Promise<readonly KubeObject[]>
  look(rows: readonly ResourceRow[], loader: ResourceLoader, signal: AbortSignal): Promise<Hint>
}

/** State of the samples. */
export interface Hint {
  readonly areReady: boolean
  /** All are Ready, and clients can reach the servers. */
  readonly isWhole: boolean
  /** Sentence when all are Ready, e.g. `All are Ready`. */
  readonly readyText: string
  /** Sentences after `readyText`. */
  readonly notes: readonly string[]
  /** Hints, one a line, each with its line feed. */
  readonly hints: string
}
