// Does a login work? It is tried, on a connection of its own, and the server's answer is read for what it says about the role: a
// wrong password is a verdict, an unreachable server is not.
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

/** `WrongPassword` stands for all that servers do not tell apart: an expired one, and a role that is not there. */
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

/** By SQLSTATE, and by the server's words where one stands for several things. */
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

/** The server's own functions that count connections once the password was accepted; a server that is full says so before it asks. */
const laterLimits: readonly string[] = ['InitializeSessionUserId', 'CheckMyDatabase', 'InitPostgres']

function routineOf(thrown: unknown): string | undefined {
  return thrown instanceof DatabaseError ? thrown.routine : undefined
}

function verdictOf({ code, message, isFromServer }: Failure, routine = ''): LoginVerdict | undefined {
  if (!isFromServer || (code === '53300' && !laterLimits.includes(routine))) return undefined
  return verdicts.find((row) => row.code === code && (row.text?.test(message) ?? true))?.verdict
}
