// Result of one pass over an external resource: the report for `status`, the journal entry to store, the outcome of the
// reconcile, and its Events.
import { AssertionError } from '../base/assert.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { ExternalChange, ExternalRecord, ExternalReport, Observation } from './external.ts'
import { described, type ExternalState } from './external-state.ts'

export interface Provision {
  readonly report: ExternalReport
  /** Journal entry to store in the status; undefined: none. */
  readonly record: ExternalRecord | undefined
  readonly end: ExternalState['end']
  /** Wait that a failure requested. */
  readonly retryAfterMs?: number | undefined
  /** Time in which consecutive failures of this sort do not change the earlier state. */
  readonly graceMs?: number | undefined
  /** Delay of the next reconcile for it; absent: no observation is needed. */
  readonly lookInMs?: number | undefined
  readonly events: readonly EventReport[]
}

export interface ReportInput {
  readonly name: string
  readonly standing: ExternalState
  readonly record: ExternalRecord | undefined
  /** Last observation of this pass; undefined: there was none, or it failed. */
  readonly observation?: Observation<unknown> | undefined
  readonly drift?: readonly ExternalChange[]
  readonly corrected?: readonly ExternalChange[]
  /** The previous report. */
  readonly last: ExternalReport | undefined
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
}

/** States in which the observed resource is certainly owned. */
const statesOfOurs: ReadonlySet<ExternalState['state']> = new Set<ExternalState['state']>([
  'available',
  'pending',
  'failed',
  'deleting',
])

/**
 * Returns the report of a pass. After a failed observation it contains the last one, because the state may be
 * unchanged.
 */
export function reportOf(input: ReportInput): ExternalReport {
  const { name, standing, record, observation, drift = [], corrected = [], last, nowMs } = input
  const { state, reason, message } = standing
  const isSeen = observation !== undefined && observation.kind !== 'absent'
  const isOver = record === undefined && state !== 'kept'
  const observed = observation?.kind === 'available' && statesOfOurs.has(state) ? observation.observed : last?.observed
  return {
    name,
    state,
    reason,
    message,
    providerID: isOver ? undefined : (record?.providerID ?? last?.providerID),
    observed: isOver ? undefined : observed,
    drift: state === 'failed' ? (last?.drift ?? []) : drift,
    corrected,
    seenAtMs: isSeen ? nowMs : last?.seenAtMs,
  }
}

/** Report of an External that this process has not observed yet. */
export function notObserved(name: string, record: ExternalRecord | undefined): ExternalReport {
  const message =
    record === undefined
      ? 'nothing has been asked for yet'
      : `${JSON.stringify(record.externalName)} has not been looked at`
  const { providerID } = record ?? {}
  return { name, state: 'blocked', reason: 'NotLookedAt', message, providerID, drift: [], corrected: [] }
}

/** An outage of an endpoint below this time, e.g. a restart, does not make a ready resource unready. */
const graceMs = 30_000

/** Returns the state after any error of a driver. */
export function failureOf(thrown: unknown): ExternalState & Pick<Provision, 'retryAfterMs' | 'graceMs'> {
  const message = messageOf(thrown)
  if (thrown instanceof CodedError) {
    const { code: reason, remedy, retryAfterMs } = thrown
    const standing = { state: 'failed', reason, message, retryAfterMs } as const
    return remedy === 'stop' ? { ...standing, end: 'stopped' } : { ...standing, end: 'retry', graceMs }
  }
  const reason = thrown instanceof AssertionError ? 'InvariantBroken' : 'InternalError'
  return { state: 'failed', reason, message, end: 'retry' }
}

/** Events for people; `what` names the external resource: `database "shop"`. */
export const eventOf = {
  created: (what: string): EventReport => normal('Created', 'Create', `${what} was created`),
  adopted: (what: string): EventReport =>
    normal('Adopted', 'Adopt', `${what} was there and is looked after from now on`),
  corrected: (what: string, changes: readonly ExternalChange[]): EventReport =>
    normal('DriftCorrected', 'Update', `${what} was put right: ${described(changes)}`),
  removed: (what: string): EventReport => normal('Removed', 'Delete', `${what} was removed`),
  kept: (what: string, note: string): EventReport => normal('Kept', 'Delete', `${what} stays: ${note}`),
  leftAlone: (message: string): EventReport => ({
    type: 'Warning',
    reason: 'LeftAlone',
    action: 'Delete',
    note: message,
  }),
}

function normal(reason: string, action: string, note: string): EventReport {
  return { type: 'Normal', reason, action, note }
}
