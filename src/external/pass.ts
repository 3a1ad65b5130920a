// What does a pass over one thing outside start from, and what does it come to?
import type { LogFields } from '../base/instrument.ts'
import type { EventReport } from '../object/event-report.ts'
import type { ExternalChange, ExternalRecord, Observation, Token } from './external.ts'
import type { Standing } from './standing.ts'

export interface Pass {
  /** That of the resource; `''` for a cluster-scoped one. */
  readonly namespace: string
  /** The resource, and its generation now. */
  readonly token: Token
  /** As it stands in status. */
  readonly record: ExternalRecord | undefined
  readonly cadenceMs: number
  /** Somebody wants it looked at now: a token, the same until it is another. */
  readonly demand?: string | undefined
  /** Writes the record into status, locked to the version that this pass was decided from; rejects when that is not the newest. */
  readonly store: (record: ExternalRecord) => Promise<void>
  readonly logFields: LogFields
  readonly signal: AbortSignal
}

export interface Found {
  readonly standing: Standing
  /** The wait that a failure asked for. */
  readonly retryAfterMs?: number | undefined
  /** As in Provision. */
  readonly graceMs?: number | undefined
  readonly record: ExternalRecord | undefined
  /** What the last look showed; undefined: it failed. */
  readonly observation: Observation<unknown> | undefined
  readonly drift: readonly ExternalChange[]
  readonly corrected: readonly ExternalChange[]
  readonly events: readonly EventReport[]
}
