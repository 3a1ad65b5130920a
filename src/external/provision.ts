// What came of one pass over a thing outside? The report that `status` is told, the record to keep, what it means for the turn, and
// what people should hear of it.
import { AssertionError } from '../base/assert.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { ExternalChange, ExternalRecord, ExternalReport, Observation } from './external.ts'
import { described, type Standing } from './standing.ts'

export interface Provision {
  readonly report: ExternalReport
  /** To be kept in status; undefined: none. */
  readonly record: ExternalRecord | undefined
  readonly end: Standing['end']
  /** The wait that a failure asked for. */
  readonly retryAfterMs?: number | undefined
  /** For how long such a failure in a row says nothing yet of what was there before it. */
  readonly graceMs?: number | undefined
  /** When a turn should come for it; absent: nothing has to be looked at. */
  readonly lookInMs?: number | undefined
  readonly events: readonly EventReport[]
}

export interface ReportInput {
  readonly name: string
  readonly standing: Standing
  readonly record: ExternalRecord | undefined
  /** What the last look of this pass showed; undefined: there was none, or it failed. */
  readonly observation?: Observation<unknown> | undefined
  readonly drift?: readonly ExternalChange[]
  readonly corrected?: readonly ExternalChange[]
  /** The report before this one. */
  readonly last: ExternalReport | undefined
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
}

/** Where what a look showed is certainly ours. */
const statesOfOurs: ReadonlySet<Standing['state']> = new Set<Standing['state']>([
  'available',
  'pending',
  'failed',
  'deleting',
])

/** What could not be looked at is told as it was seen last: it is not known to be otherwise, and it is not known to be gone. */
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

/** Of one that no turn has looked at in this life of the process. */
export function unlooked(name: string, record: ExternalRecord | undefined): ExternalReport {
  const message =
    record === undefined
      ? 'nothing has been asked for yet'
      : `${JSON.stringify(record.externalName)} has not been looked at`
  const { providerID } = record ?? {}
  return { name, state: 'blocked', reason: 'NotLookedAt', message, providerID, drift: [], corrected: [] }
}

/** A place that is away for less than this, as for a restart, makes nothing unready that was ready. */
const graceMs = 30_000

/** A driver that cannot tell or cannot do: whatever it threw. */
export function failureOf(thrown: unknown): Standing & Pick<Provision, 'retryAfterMs' | 'graceMs'> {
  const message = messageOf(thrown)
  if (thrown instanceof CodedError) {
    const { code: reason, remedy, retryAfterMs } = thrown
    const standing = { state: 'failed', reason, message, retryAfterMs } as const
    return remedy === 'stop' ? { ...standing, end: 'stopped' } : { ...standing, end: 'retry', graceMs }
  }
  const reason = thrown instanceof AssertionError ? 'InvariantBroken' : 'InternalError'
  return { state: 'failed', reason, message, end: 'retry' }
}

/** What people should hear of; `what` names it: `database "shop"`. */
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
