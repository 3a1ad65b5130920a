// The control plane and the operator that a `dev` command shows. Both come in two makes: in this process, and the real one in processes of its own.
import type { KubeObject } from '../../object/object.ts'
import type { ShownPostgres } from './shown-postgres.ts'

export interface Stage {
  /** What there is, as in `Kubernetes runs, with 5 nodes that kwok plays`. */
  readonly title: string
  /** Of a user who may do everything. */
  readonly kubeconfigPath: string
  /** The folder of a kubectl that fits; absent: whichever the user has. */
  readonly kubectlFolder?: string | undefined
  /** What has to be there before the samples. */
  readonly groundwork: readonly KubeObject[]
  /** Was there nothing in it when it was started? Samples go only into such a one. */
  readonly isFresh: boolean
  /** What stays when it stops; absent: nothing. */
  readonly keptFolder?: string | undefined
  startOperator(): RunningOperator
  /** Throws one sentence if something of it has ended by itself. */
  throwIfEnded(): void
  /** Leaves no process behind, and no file but those that are meant to stay. */
  stop(): Promise<void>
}

/** A stage of konverge's own operator. */
export interface DatabaseStage extends Stage {
  readonly databases: DatabasesHere
}

/** Can databases run on it? `simulated`: its pods only seem to run. `missing`: they wait, and the sentence says what for. */
export type DatabasesHere =
  | { readonly kind: 'run'; readonly shown: ShownPostgres }
  | { readonly kind: 'simulated' }
  | { readonly kind: 'missing'; readonly message: string; readonly shown: ShownPostgres }

export interface RunningOperator {
  readonly logFile: string
  /** Undefined until it serves. */
  metricsUrl(): Promise<string | undefined>
  /** Rejects with one sentence, with the last error of its log, if it has ended. */
  throwIfEnded(): Promise<void>
  stop(): Promise<void>
}

export interface StageAsk {
  /** Writes a line for the person who waits. */
  readonly tell: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Told while it starts; later `stop` ends it. */
  readonly signal: AbortSignal
}
