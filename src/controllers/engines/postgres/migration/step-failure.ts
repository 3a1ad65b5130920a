// Was it the step that failed? By the server's code: what the text, its data or its limits did is the step's; a race that was lost
// may be run again; all else is the way to the server, or the server.
import { StepError } from '../../step-error.ts'
import { endsSession, failureOf } from '../failure.ts'
import { SilenceError } from '../session-client.ts'

const races = ['40001', '40P01', '55P03']

/** The server is a standby, or is stopping: others will be asked, or later. */
const ofServer = ['25006', '57P']

/** Undefined if it was not the step. */
export function stepErrorOf(thrown: unknown): StepError | undefined {
  if (thrown instanceof StepError) return thrown
  if (thrown instanceof SilenceError)
    return new StepError('StepFailed', { sqlState: undefined, message: thrown.message })
  if (endsSession(thrown)) return undefined
  const { code: sqlState = '', message } = failureOf(thrown)
  if (ofServer.some((prefix) => sqlState.startsWith(prefix))) return undefined
  return new StepError(races.includes(sqlState) ? 'StepContended' : 'StepFailed', { sqlState, message })
}

/** What a query asks about is not there. */
export function speaksOfAbsence({ failure }: StepError): boolean {
  return ['42P01', '42703', '42883', '42704', '3F000'].includes(failure.sqlState ?? '')
}
