// Common form of errors of the server, the network, TLS and the client library. Only codes and messages are read.
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

/**
 * PostgreSQL's own messages have at most a few hundred characters. A hostile server's message may have a million, and
 * would be in every condition.
 */
const longestText = 2_000

/** Returns a server's text for a condition or log line: truncated, and without terminal control characters. */
function shown(text: string): string {
  const cut = text.length > longestText ? `${text.slice(0, longestText)}…` : text
  return cut.replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd')
}

/** Returns an EngineError unchanged, and converts any other error. */
export function asEngineError(thrown: unknown, context: FailureContext): EngineError {
  return thrown instanceof EngineError ? thrown : engineErrorOf(failureOf(thrown), context)
}

/** Returns whether the server closed this session or its connection is lost. Other errors leave it usable. */
export function endsSession(thrown: unknown): boolean {
  return !(thrown instanceof DatabaseError) || thrown.severity === 'FATAL' || thrown.severity === 'PANIC'
}
