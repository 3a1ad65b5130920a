// What is the token in this file now? The kubelet rewrites a pod's token before it expires, so the file is read again
// every minute, and at once when the server refuses the token. Source of the period: client-go's token file source.
import { readFile } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { CredentialSource, Credentials } from './connection.ts'
import { ConnectionError } from './connection-error.ts'

const maxAgeMs = 60_000

export interface TokenFileLoaderOptions {
  readonly clock: Clock
  readonly path: string
}

export class TokenFileLoader implements CredentialSource {
  readonly #clock: Clock
  readonly #path: string
  #current: Credentials | undefined
  #readAtMs = 0
  #isRefused = false

  constructor({ clock, path }: TokenFileLoaderOptions) {
    this.#clock = clock
    this.#path = path
  }

  /** A file that cannot be read for a while does no harm as long as the token read before is accepted. */
  async credentials(signal: AbortSignal): Promise<Credentials> {
    const current = this.#current
    const isFresh = !this.#isRefused && this.#clock.monotonicMs() - this.#readAtMs < maxAgeMs
    if (current !== undefined && isFresh) return current
    try {
      const token = await this.#read(signal)
      if (bearer(token) !== current?.headers.authorization)
        this.#current = { headers: { authorization: bearer(token) } }
      this.#readAtMs = this.#clock.monotonicMs()
      this.#isRefused = false
    } catch (thrown) {
      signal.throwIfAborted()
      if (current === undefined || this.#isRefused) throw thrown
    }
    return this.#current ?? current ?? { headers: {} }
  }

  refuse(credentials: Credentials): void {
    if (credentials === this.#current) this.#isRefused = true
  }

  async #read(signal: AbortSignal): Promise<string> {
    const text = await readFile(this.#path, { encoding: 'utf8', signal }).catch((thrown: unknown) => {
      throw new ConnectionError(
        'FileUnreadable',
        `the token file ${this.#path} cannot be read: ${messageOf(thrown)}; check that it exists and that this user may read it`,
        thrown,
      )
    })
    const token = text.trim()
    if (token === '')
      throw new ConnectionError('FileUnreadable', `the token file ${this.#path} is empty; write a token into it`)
    return token
  }
}

/** The value of the Authorization header for a bearer token. */
export function bearer(token: string): string {
  return `Bearer ${token}`
}
