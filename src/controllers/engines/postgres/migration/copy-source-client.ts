// How is the database reached that rows are copied from? On one session that ends with the copy, by a login that only reads: what the
// types, casts and policies of that database do while they are read is done by it.
import type { SessionClient } from '../session-client.ts'
import { RunLoginClient, type RunPlace } from './run-login-client.ts'

export interface CopySource {
  readonly session: SessionClient
  /** Never rejects. */
  close(): Promise<void>
}

/** Rejects with an EngineError, or with the signal's reason. */
export async function openCopySource(place: RunPlace, role: string, signal: AbortSignal): Promise<CopySource> {
  const login = await RunLoginClient.open(place, signal)
  try {
    const session = await login.letIn(role, 'read')
    return { session, close: () => login.close() }
  } catch (error) {
    await login.close()
    throw error
  }
}
