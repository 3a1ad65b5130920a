// Status of a Database's restores: progress of the last one, databases that they replaced and that are kept, and
// condition Restored for clients that wait. Pure.
import type { DatabaseStatus } from '../../../../imports/wire/database.ts'
import { type ConditionClaim, type EventReport, isBeingDeleted, type StatusReport } from '../../../index.ts'
import type { DatabaseStatusContext } from '../database-conditions.ts'
import type { RestoreRecord } from './restore-request.ts'
import { isUnderWay, type RestoreState } from './restore-state.ts'

/** `status`: status of the database alone. A Database without restores keeps it. */
export function withRestore(
  status: StatusReport<DatabaseStatus>,
  { object, facts }: DatabaseStatusContext,
): StatusReport<DatabaseStatus> {
  const told = object.status?.restore
  const standing: RestoreState = facts?.restore ?? { record: told }
  const { record, dueAtMs, problem } = standing
  if (record === undefined && problem === undefined) return status
  const { fields, conditions, events = [], dueAtMs: due = [] } = status
  const isShown = isUnderWay(record) && !isBeingDeleted(object) && fields.phase !== 'Failed'
  return {
    ...status,
    fields: {
      ...fields,
      ...(isShown ? { phase: 'Restoring' } : {}),
      ...(record === undefined ? {} : { restore: record }),
    },
    conditions: [...conditions, restored(standing)],
    events: [...events, ...eventsOf(told, record)],
    dueAtMs: [...due, ...(dueAtMs === undefined ? [] : [dueAtMs])],
  }
}

function restored({ record, problem, waiting }: RestoreState): ConditionClaim {
  const { phase, reason = 'Restoring', message = '', requestID } = record ?? { phase: undefined }
  if (phase === undefined) return claim('Unknown', problem?.reason ?? 'Pending', problem?.message ?? '')
  // A finished request says nothing about the one that is requested now.
  if (waiting !== undefined && problem !== undefined) {
    const who = problem.reason === 'RequestIDUsed' ? '' : `request ${waiting} waits: `
    return claim('Unknown', problem.reason, who + problem.message)
  }
  const why = problem === undefined || problem.message === message ? '' : `; ${problem.message}`
  const words = `request ${requestID}: ${message}${why}`
  if (phase === 'Completed') return claim('True', reason, words)
  if (phase === 'Failed') return claim('False', reason, words)
  return claim('Unknown', reason, words)
}

/** Returns an Event for a started, completed or failed request. */
function eventsOf(told: RestoreRecord | undefined, record: RestoreRecord | undefined): readonly EventReport[] {
  if (record === undefined) return []
  const isNews = told?.requestID !== record.requestID || told.phase !== record.phase
  const { requestID, phase, message = '' } = record
  if (!isNews) return []
  const news = (type: EventReport['type'], reason: string, note: string): readonly EventReport[] => [
    { type, reason, action: 'Restore', note: `request ${requestID}: ${note}` },
  ]
  switch (phase) {
    case 'Pending':
      return told?.requestID === requestID ? [] : news('Normal', 'RestoreStarted', 'it is begun')
    case 'Completed':
      return news('Normal', 'RestoreCompleted', message)
    case 'Failed':
      return news('Warning', 'RestoreFailed', message)
    case 'Restoring':
    case 'Discarding':
      return []
  }
}

function claim(status: ConditionClaim['status'], reason: string, message: string): ConditionClaim {
  return { type: 'Restored', status, reason, message }
}
