// Credentials in files: a token, a client certificate, the authority to trust. The kubelet and cert-manager replace
// such files before they expire. The loader therefore reads them again every minute, and at once when the server
// rejects them. Source of the period: client-go's token file source.
import { createSecureContext } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import { deepEqual, type Json } from '../base/json.ts'
import type { CredentialSource, Credentials } from './connection.ts'

const maxAgeMs = 60_000

export interface FileCredentialsLoaderOptions {
  readonly clock: Clock
  /** Reads the files. Rejects with a ConnectionError, or with the signal's reason on abort. */
  readonly read: (signal: AbortSignal) => Promise<Credentials>
}

export class FileCredentialsLoader implements CredentialSource {
  readonly #clock: Clock
  readonly #read: FileCredentialsLoaderOptions['read']
  #current: Credentials | undefined
  #readAtMs = 0
  #isRefused = false

  constructor({ clock, read }: FileCredentialsLoaderOptions) {
    this.#clock = clock
    this.#read = read
  }

  /**
   * If a read fails, or the new files do not match each other yet, the last credentials stay in use while the server
   * accepts them.
   */
  async credentials(signal: AbortSignal): Promise<Credentials> {
    const current = this.#current
    const isFresh = !this.#isRefused && this.#clock.monotonicMs() - this.#readAtMs < maxAgeMs
    if (current !== undefined && isFresh) return current
    try {
      const read = await this.#read(signal)
      if (current === undefined || !isSame(read, current)) {
        if (current !== undefined) assertUsable(read)
        this.#current = read
      }
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
}

/** Sound: credentials consist of strings and lists of strings. */
function isSame(left: Credentials, right: Credentials): boolean {
  return deepEqual(left as unknown as Json, right as unknown as Json)
}

/** Throws while only one of two files has been replaced. */
function assertUsable({ certificate, authority }: Credentials): void {
  createSecureContext({ ca: authority, cert: certificate?.certificate, key: certificate?.key })
}
