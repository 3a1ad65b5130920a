// Loads a token from a file as credentials.
import { readFile } from 'node:fs/promises'
import { messageOf } from '../base/errors.ts'
import type { Credentials } from './connection.ts'
import { ConnectionError } from './connection-error.ts'

/** Rejects with a ConnectionError `FileUnreadable`, or with the signal's reason on abort. */
export async function loadTokenFile(path: string, signal: AbortSignal): Promise<Credentials> {
  const text = await readFile(path, { encoding: 'utf8', signal }).catch((thrown: unknown) => {
    throw new ConnectionError(
      'FileUnreadable',
      `the token file ${path} cannot be read: ${messageOf(thrown)}; check that it exists and that this user may read it`,
      thrown,
    )
  })
  const token = text.trim()
  if (token === '')
    throw new ConnectionError('FileUnreadable', `the token file ${path} is empty; write a token into it`)
  return { headers: { authorization: bearer(token) } }
}

/** Returns the value of the Authorization header for a bearer token. */
export function bearer(token: string): string {
  return `Bearer ${token}`
}
