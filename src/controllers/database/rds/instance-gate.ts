// Gate for the database on an instance. While the instance is not created or does not serve, there is no server to
// connect to. If the instance only could not be observed or changed, the database continues. Pure.
import type { ExternalReport } from '../../../index.ts'

export interface Gate {
  readonly reason: string
  readonly message: string
}

/** Returns undefined if the database can be managed. */
export function instanceGate(report: ExternalReport | undefined): Gate | undefined {
  if (report === undefined) return { reason: 'Creating', message: 'the instance has not been looked at yet' }
  const { state, reason, message } = report
  const mayServe = state === 'available' || state === 'failed' || reason === 'ChangesPending'
  return mayServe ? undefined : { reason, message }
}
