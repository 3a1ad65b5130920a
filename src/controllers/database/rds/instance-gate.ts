// May the database on an instance be looked after? While the instance has not come to be, or does not serve, there is nothing to
// connect to; while it only could not be looked at or changed, the database goes on. Pure.
import type { ExternalReport } from '../../../index.ts'

export interface Gate {
  readonly reason: string
  readonly message: string
}

/** Undefined: yes. */
export function instanceGate(report: ExternalReport | undefined): Gate | undefined {
  if (report === undefined) return { reason: 'Creating', message: 'the instance has not been looked at yet' }
  const { state, reason, message } = report
  const mayServe = state === 'available' || state === 'failed' || reason === 'ChangesPending'
  return mayServe ? undefined : { reason, message }
}
