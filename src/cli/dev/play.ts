// What a `dev` command shows: a control plane with an operator on it, the kinds of its table, samples, and the words when all of it is there.
import type { KubeObject } from '../../object/object.ts'
import type { ResourceLoader } from './resource-loader.ts'
import type { ResourceRow, ShownKind } from './resource-table.ts'
import type { Stage, StageAsk } from './stage.ts'

export interface Play {
  /** In the order in which they are shown. */
  readonly kinds: readonly ShownKind[]
  start(ask: StageAsk): Promise<PlayedStage>
  /** What to throw for what was thrown. Default: the same. */
  failureOf?(thrown: unknown): unknown
}

/** A stage and what is shown on it. */
export interface PlayedStage {
  readonly stage: Stage
  loadSamples(signal: AbortSignal): Promise<readonly KubeObject[]>
  look(rows: readonly ResourceRow[], loader: ResourceLoader, signal: AbortSignal): Promise<Look>
}

/** How it stands with what is shown. */
export interface Look {
  readonly areReady: boolean
  /** They are ready, and what serves them can be reached. */
  readonly isWhole: boolean
  /** The sentence when they are ready, as `All are Ready`. */
  readonly readyText: string
  /** Sentences that follow. */
  readonly notes: readonly string[]
  /** Lines that say what to try, each with its end. */
  readonly hints: string
}
