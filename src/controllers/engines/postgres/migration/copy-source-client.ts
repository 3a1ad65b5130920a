// How is the database reached that rows are copied from? On one session that ends with the copy.
import { asEngineError } from '../failure.ts'
import { SessionClient, type SessionOptions } from '../session-client.ts'

/** Rejects with an EngineError, or with the signal's reason. */
export async function openCopySource(options: SessionOptions, signal: AbortSignal): Promise<SessionClient> {
  const { access } = options
  try {
    return await SessionClient.open(options, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const attempt = `connect to the source ${access.host}:${access.port}`
    throw asEngineError(error, { attempt, admin: access.username })
  }
}
