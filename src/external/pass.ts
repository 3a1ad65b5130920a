// Input and result of one pass over an external resource.
import type { LogFields } from '../base/instrument.ts'
import type { EventReport } from '../object/event-report.ts'
import type { ExternalChange, ExternalRecord, Observation, Token } from './external.ts'
import type { ExternalState } from './external-state.ts'

export interface Pass {
  /** Namespace of the resource; `''` for a cluster-scoped one. */
  readonly namespace: string
  /** UID of the resource, and its current generation. */
  readonly token: Token
  /** Journal entry in the status. */
  readonly record: ExternalRecord | undefined
  readonly cadenceMs: number
  /** Token of a request to observe now; a new value is a new request. */
  readonly demand?: string | undefined
  /**
   * Writes the journal entry into the status, locked to the version of which this pass was decided. Rejects if that is
   * not the newest.
   */
  readonly store: (record: ExternalRecord) => Promise<void>
  readonly logFields: LogFields
  readonly signal: AbortSignal
}

export interface Found {
  readonly standing: ExternalState
  /** Wait that a failure requested. */
  readonly retryAfterMs?: number | undefined
  /** See Provision. */
  readonly graceMs?: number | undefined
  readonly record: ExternalRecord | undefined
  /** Last observation; undefined: it failed. */
  readonly observation: Observation<unknown> | undefined
  readonly drift: readonly ExternalChange[]
  readonly corrected: readonly ExternalChange[]
  readonly events: readonly EventReport[]
}
