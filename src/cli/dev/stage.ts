// Control plane and operator of a `dev` command. Two implementations exist: in this process, and the real ones in
// separate processes.
import type { KubeObject } from '../../object/object.ts'
import type { ShownPostgres } from './shown-postgres.ts'

export interface Stage {
  /** First line of the output, e.g. `Kubernetes runs, with 5 nodes that kwok plays`. */
  readonly title: string
  /** Kubeconfig of a cluster administrator. */
  readonly kubeconfigPath: string
  /** Folder of a kubectl of a matching version; absent: the user's own kubectl. */
  readonly kubectlFolder?: string | undefined
  /** Objects that must exist before the samples. */
  readonly groundwork: readonly KubeObject[]
  /** The cluster was empty at its start. `dev` applies samples only to an empty cluster. */
  readonly isFresh: boolean
  /** Folder that remains after the stop; absent: nothing remains. */
  readonly keptFolder?: string | undefined
  startOperator(): RunningOperator
  /** Throws a CommandError with one sentence if a part of the control plane has ended unexpectedly. */
  throwIfEnded(): void
  /** Stops everything. No process remains, and no file except those that the user asked to keep. */
  stop(): Promise<void>
}

/** Control plane for konverge's own operator. */
export interface DatabaseStage extends Stage {
  readonly databases: DatabasesHere
}

/**
 * Support for databases. `simulated`: pods are simulated. `missing`: databases wait, and `message` names the missing
 * part.
 */
export type DatabasesHere =
  | { readonly kind: 'run'; readonly shown: ShownPostgres }
  | { readonly kind: 'simulated' }
  | { readonly kind: 'missing'; readonly message: string; readonly shown: ShownPostgres }

export interface RunningOperator {
  readonly logFile: string
  /** Returns the address of /metrics; undefined until the operator serves it. */
  metricsUrl(): Promise<string | undefined>
  /** Rejects with a CommandError if the operator has ended; the sentence quotes the last error of its log. */
  throwIfEnded(): Promise<void>
  stop(): Promise<void>
}

export interface StageAsk {
  /** Prints a progress line for the user. */
  readonly tell: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborts the start; later, `stop` ends the control plane. */
  readonly signal: AbortSignal
}
