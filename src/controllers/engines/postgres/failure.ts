// What was thrown? Errors of the server, of the network, of TLS and of the client library in one form, of which nothing but
// codes and messages is read.
import { DatabaseError } from 'pg'
import { EngineError } from '../engine-error.ts'
import { engineErrorOf, type Failure, type FailureContext } from './sqlstate.ts'

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof DatabaseError) {
    const { code, message, detail, constraint } = thrown
    return { code, message: shown(message), detail: detail && shown(detail), constraint, isFromServer: true }
  }
  const error = thrown instanceof AggregateError ? thrown.errors[0] : thrown
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { code, message: shown(message), detail: undefined, constraint: undefined, isFromServer: false }
}

/** PostgreSQL's own messages have at most a few hundred; one of a server that means harm may have a million, in every condition. */
const longestText = 2_000

/** A text of a server as a condition or log line may show it: cut, and without characters that steer a terminal. */
function shown(text: string): string {
  const cut = text.length > longestText ? `${text.slice(0, longestText)}…` : text
  return cut.replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd')
}

/** One of ours stays as it is. */
export function asEngineError(thrown: unknown, context: FailureContext): EngineError {
  return thrown instanceof EngineError ? thrown : engineErrorOf(failureOf(thrown), context)
}

/** Has the server ended this session, or is it gone? Other errors leave it usable. */
export function endsSession(thrown: unknown): boolean {
  return !(thrown instanceof DatabaseError) || thrown.severity === 'FATAL' || thrown.severity === 'PANIC'
}
