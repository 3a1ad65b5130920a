// Attribution of a failure by the server's code. Failures of the text, its data and its limits belong to the step. A
// lost race can be repeated. All others are failures of the server or its connection.
import { StepError } from '../../step-error.ts'
import { endsSession, failureOf } from '../failure.ts'
import { SilenceError } from '../session-client.ts'

const races = ['40001', '40P01', '55P03']

/** The server is a standby, or is shutting down: retry later, or on another server. */
const ofServer = ['25006', '57P']

/** Returns the step's error. Undefined if the step did not fail. */
export function stepErrorOf(thrown: unknown): StepError | undefined {
  if (thrown instanceof StepError) return thrown
  if (thrown instanceof SilenceError)
    return new StepError('StepFailed', { sqlState: undefined, message: thrown.message })
  if (endsSession(thrown)) return undefined
  const { code: sqlState = '', message } = failureOf(thrown)
  if (ofServer.some((prefix) => sqlState.startsWith(prefix))) return undefined
  return new StepError(races.includes(sqlState) ? 'StepContended' : 'StepFailed', { sqlState, message })
}

/** Returns whether an object in the query does not exist. */
export function speaksOfAbsence({ failure }: StepError): boolean {
  return ['42P01', '42703', '42883', '42704', '3F000'].includes(failure.sqlState ?? '')
}
