// Tries a login on a separate connection and derives the role's state from the server's answer. A wrong password is a
// verdict; an unreachable server is an error.
import { DatabaseError } from 'pg'
import type { ExternalTools } from '../../../index.ts'
import type { LoginAttempt, LoginVerdict } from '../engine.ts'
import type { ServerAccess } from '../server-access.ts'
import { asEngineError, failureOf } from './failure.ts'
import { operatorAnswerBytes, SessionClient } from './session-client.ts'
import type { Failure } from './sqlstate.ts'

export interface LoginAsk {
  readonly access: ServerAccess
  readonly attempt: LoginAttempt
  readonly applicationName: string
  readonly clock: ExternalTools['clock']
  readonly signal: AbortSignal
}

/**
 * Returns the verdict. `WrongPassword` includes cases that servers do not distinguish: an expired password and a
 * missing role.
 */
export async function tryLogin({ access, attempt, applicationName, clock, signal }: LoginAsk): Promise<LoginVerdict> {
  const { username, password, database } = attempt
  try {
    const login = { ...access, username, password }
    const options = { access: login, database, applicationName, clock, answerBytes: operatorAnswerBytes }
    const session = await SessionClient.open(options, signal)
    await session.close()
    return 'Verified'
  } catch (thrown) {
    const verdict = signal.aborted ? undefined : verdictOf(failureOf(thrown), routineOf(thrown))
    if (verdict !== undefined) return verdict
    throw signal.aborted
      ? thrown
      : asEngineError(thrown, { attempt: `log in to ${access.host}:${access.port}`, admin: username })
  }
}

/** By SQLSTATE, and by the message where one SQLSTATE has several meanings. */
const verdicts: readonly { readonly code: string; readonly text?: RegExp; readonly verdict: LoginVerdict }[] = [
  { code: '28P01', verdict: 'WrongPassword' },
  { code: '28000', text: /not permitted to log in/, verdict: 'Disabled' },
  { code: '28000', text: / does not exist/, verdict: 'RoleMissing' },
  { code: '28000', verdict: 'Rejected' },
  { code: '3D000', verdict: 'DatabaseMissing' },
  { code: '42501', verdict: 'ConnectNotGranted' },
  { code: '53300', verdict: 'TooManyConnections' },
  { code: '55000', verdict: 'Rejected' },
]

/**
 * Server functions that check connection limits after the password was accepted. A full server rejects before it asks
 * for the password.
 */
const laterLimits: readonly string[] = ['InitializeSessionUserId', 'CheckMyDatabase', 'InitPostgres']

function routineOf(thrown: unknown): string | undefined {
  return thrown instanceof DatabaseError ? thrown.routine : undefined
}

function verdictOf({ code, message, isFromServer }: Failure, routine = ''): LoginVerdict | undefined {
  if (!isFromServer || (code === '53300' && !laterLimits.includes(routine))) return undefined
  return verdicts.find((row) => row.code === code && (row.text?.test(message) ?? true))?.verdict
}
