// Credentials of the older `auth-provider` entries of a kubeconfig (oidc, azure, gcp), which client-node refreshes.
// Invariant: only this file imports client-node, and it is loaded only for such an entry. The import costs some 60 MiB
// of resident memory and half a second (measured on Node 24, undici already loaded).
import type { RequestOptions } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'
import { type Clock, deadline } from '../base/clock.ts'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import type { CredentialSource, Credentials } from './connection.ts'
import { ConnectionError } from './connection-error.ts'
import { SharedRunner, untilAborted } from './shared-runner.ts'

const limitMs = 60_000

export interface AuthProviderLoaderOptions {
  readonly clock: Clock
  readonly authProvider: JsonObject
}

export class AuthProviderLoader implements CredentialSource {
  readonly #clock: Clock
  readonly #provider: string
  readonly #config = new KubeConfig()
  readonly #runs = new SharedRunner<Credentials>()
  #current: Credentials | undefined

  constructor({ clock, authProvider }: AuthProviderLoaderOptions) {
    this.#clock = clock
    this.#provider = String(authProvider.name)
    // client-node keeps refreshed tokens in the object that it receives, so it receives a copy. It never contacts the
    // server.
    this.#config.loadFromClusterAndUser(
      { name: 'cluster', server: 'https://unused.invalid', skipTLSVerify: true },
      { name: 'user', authProvider: structuredClone(authProvider) },
    )
  }

  /** Runs for every request: client-node knows when a token has expired, and answers from memory until then. */
  async credentials(signal: AbortSignal): Promise<Credentials> {
    const credentials = await this.#runs.run((abandoned) => this.#ask(abandoned), signal)
    if (credentials.headers.authorization !== this.#current?.headers.authorization) this.#current = credentials
    return this.#current ?? credentials
  }

  /** Does nothing: client-node cannot drop a token before it expires. */
  refuse(): void {}

  async #ask(signal: AbortSignal): Promise<Credentials> {
    const options: RequestOptions = {}
    const limit = deadline(this.#clock, limitMs, signal)
    try {
      await untilAborted(this.#config.applyToHTTPSOptions(options), limit.signal)
    } catch {
      // Drops the error of client-node: it quotes the text that it could not read, and the text may be a token (I11).
      throw new ConnectionError(
        'PluginFailed',
        `the auth provider ${this.#provider} could not renew the token; log in again, or try "kubectl version" to see why`,
      )
    } finally {
      limit.clear()
    }
    const authorization = isJsonObject(options.headers) ? options.headers.Authorization : undefined
    if (typeof authorization === 'string') return { headers: { authorization } }
    throw new ConnectionError(
      'PluginFailed',
      `the auth provider ${this.#provider} gave no token; use oidc, azure or gcp, or an exec plugin`,
    )
  }
}
